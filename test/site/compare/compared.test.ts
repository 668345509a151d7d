// Tests the comparison of funders: sizes, years in common.
import { describe, expect, it } from "vitest";
import type { FunderSummary } from "../../../site/src/api/client.ts";
import { lastRun, shareOfBands, yearsInCommon } from "../../../site/src/compare/compared.ts";
import type { SizeBand } from "../../../site/src/text/sizes.ts";

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
    expect(lastRun([2012, 2014, 2015, 2016])).toEqual({ min: 2014, max: 2016 });
    expect(lastRun([2012])).toEqual({ min: 2012, max: 2012 });
    expect(lastRun([])).toBeUndefined();
  });
});
