// Tests the names of states.
import { describe, expect, it } from "vitest";
import { nameState, stateNames } from "../../../../api-static/contract/text/states.ts";

describe("a state", () => {
  it("has a name; other letters stay, in capitals", () => {
    expect(["CA", "ca", "DC", "PR", "zz"].map(nameState)).toStrictEqual([
      "California",
      "California",
      "District of Columbia",
      "Puerto Rico",
      "ZZ",
    ]);
    expect(stateNames.size).toBe(56);
    expect([...stateNames.keys()].every((state) => /^[A-Z]{2}$/.test(state))).toBe(true);
  });
});
