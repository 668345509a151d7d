// Tests the sentences about totals.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAmountLong } from "../../../site/src/text/numbers.ts";
import { describeWithout } from "../../../site/src/text/totals.ts";

describe("a total without repeated grants", () => {
  it("is the difference if both totals would read the same", () => {
    expect(describeWithout(31_100_000, 2_800_000)).toBe("$28.3 million");
    expect(describeWithout(5_130_000_000, 3_200_000)).toBe("$3.2 million less");
    expect(describeWithout(5_130_000_000, -3_200_000)).toBe("$3.2 million more");
  });

  it("never reads like the total with them, unless they sum to nothing", () => {
    const dollars = fc.integer({ min: -1e12, max: 1e12 });
    const check = (amount: number, repeated: number) => {
      expect(describeWithout(amount, repeated) === formatAmountLong(amount)).toBe(repeated === 0);
    };
    fc.assert(fc.property(dollars, dollars, check), { examples: [[1, 0]] });
  });
});
