// Tests what is said about an EIN that is none.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEin } from "../../../api-static/contract/ein.ts";
import { findEinProblem } from "../../../site/src/organization/einProblem.ts";

describe("an EIN's problem", () => {
  it("says how many digits were entered", () => {
    expect(findEinProblem("20-02533")).toBe(
      "An EIN has nine digits, for example 13-1635294. You entered seven.",
    );
    expect(findEinProblem("1".repeat(30))).toMatch(/You entered 30\.$/);
    expect(findEinProblem("20x0253310")).toMatch(/at most one hyphen, after the second digit\.$/);
    expect(findEinProblem("food")).toBe("An EIN has nine digits, for example 13-1635294.");
  });

  it("is found exactly where the API finds one", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,10}-?\d{0,9}$/)), (text) => {
        expect(findEinProblem(text) === undefined).toBe(parseEin(text) !== undefined);
      }),
    );
  });
});
