// Tests the sentences about totals.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAmountLong } from "../../../site/src/text/numbers.ts";
import { describeWithout, repeatsOfYears } from "../../../site/src/text/totals.ts";

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

describe("the repeats among a funder's grants", () => {
  const years = [2018, 2016, 2015].map((transaction_year, index) => ({
    transaction_year,
    ...{ records: 1, amount: 2_000.1 * (index + 1), filings: 2 },
  }));
  const of = { repeated: { records: 3, amount: 12_000.6, years } };

  it("are those of the years that are filtered by, and unknown for other filters", () => {
    expect(repeatsOfYears(of)).toEqual({ records: 3, amount: 12_000.6 });
    expect(repeatsOfYears(of, { transaction_year: "2016" })).toEqual({ records: 1, amount: 4_000.2 });
    expect(repeatsOfYears(of, { min_year: "2016" })).toEqual({ records: 2, amount: 6_000.3 });
    expect(repeatsOfYears(of, { min_year: "2016", purpose: "food" })).toBeUndefined();
  });
});
