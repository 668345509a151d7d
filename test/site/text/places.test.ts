// Tests the names of states, and how places are written.
import { describe, expect, it } from "vitest";
import { stateNames } from "../../../api-static/contract/states.ts";
import { formatPlace, nameState } from "../../../site/src/text/places.ts";

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

describe("a place", () => {
  it("is the city and the state, as far as they are known", () => {
    expect(formatPlace({ city: "Pasadena", state: "CA" })).toBe("Pasadena, CA");
    expect(formatPlace({ city: null, state: "CA" })).toBe("CA");
    expect(formatPlace({ city: null, state: null })).toBeUndefined();
  });
});
