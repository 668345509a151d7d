// Tests the comparison of funders: totals of a year, sizes, years in common.
import { describe, expect, it } from "vitest";
import type { FunderSummary } from "../../../site/src/api/client.ts";
import { repeatedOf, shareOfBands, sumOf, yearsInCommon } from "../../../site/src/compare/compared.ts";
import type { SizeBand } from "../../../site/src/organization/sizes.ts";

const summary = {
  records: 4,
  amount: 22_500,
  years: [
    { transaction_year: 2018, records: 3, amount: 20_500 },
    { transaction_year: 2016, records: 1, amount: 2_000 },
  ],
  sizes: [
    { from: null, below: 0, records: 1, amount: -500 },
    { from: 0, below: 1_000, records: 0, amount: 0 },
    { from: 1_000, below: 10_000, records: 2, amount: 7_000 },
    { from: 10_000, below: null, records: 1, amount: 15_000 },
  ],
} as unknown as FunderSummary;

describe("a funder", () => {
  it("has the totals of one year or of all, and none of a year without grants", () => {
    expect(sumOf(summary, undefined)).toMatchObject({ records: 4, amount: 22_500 });
    expect(sumOf(summary, 2016)).toMatchObject({ records: 1, amount: 2_000 });
    expect(sumOf(summary, 2017)).toBeUndefined();
  });

  it("has the repeated grants of one year or of all", () => {
    const years = [{ transaction_year: 2016, records: 1, amount: 2_000, filings: 2 }];
    const refiled = { ...summary, repeated: { records: 1, amount: 2_000, years } };
    expect(repeatedOf(refiled, undefined)).toMatchObject({ records: 1, amount: 2_000 });
    expect(repeatedOf(refiled, 2016)).toMatchObject({ records: 1, amount: 2_000 });
    expect(repeatedOf(refiled, 2018)).toMatchObject({ records: 0, amount: 0 });
  });

  it("has shares that add up: negative amounts count in the smallest band", () => {
    const sharesOf = (bands: readonly SizeBand[]) => shareOfBands(bands).map(({ share }) => share);
    expect(sharesOf(summary.sizes)).toStrictEqual([0.25, 0.5, 0.25]);
    expect(sharesOf(summary.sizes.map((band) => ({ ...band, records: 0 })))).toStrictEqual([0, 0, 0]);
  });
});

describe("years in common", () => {
  it("are the years of all funders, oldest first", () => {
    const other = { years: [2014, 2016, 2018].map((transaction_year) => ({ transaction_year })) };
    expect(yearsInCommon([summary, other as unknown as FunderSummary])).toStrictEqual([2016, 2018]);
    expect(yearsInCommon([])).toStrictEqual([]);
  });
});
