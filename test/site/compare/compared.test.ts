// Tests the comparison of funders: totals of a year, sizes, years in common, shared recipients.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FunderSummary, Grant } from "../../../site/src/api/client.ts";
import {
  bandsOf,
  findShared,
  repeatedOf,
  shareOfBands,
  sumOf,
  yearsInCommon,
} from "../../../site/src/compare/compared.ts";
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

const grant = (recipient_ein: string | null, amount: number, recipient_name: string | null = null) =>
  ({ recipient_ein, recipient_name, amount }) as Grant;

describe("a funder", () => {
  it("has the totals of one year or of all", () => {
    expect(sumOf(summary, undefined)).toMatchObject({ records: 4, amount: 22_500 });
    expect(sumOf(summary, 2016)).toMatchObject({ records: 1, amount: 2_000 });
    expect(sumOf(summary, 2017)).toMatchObject({ records: 0, amount: 0 });
  });

  it("has the repeated grants of one year or of all", () => {
    const years = [{ transaction_year: 2016, records: 1, amount: 2_000, filings: 2 }];
    const refiled = { ...summary, repeated: { records: 1, amount: 2_000, years } };
    expect(repeatedOf(refiled, undefined)).toMatchObject({ records: 1, amount: 2_000 });
    expect(repeatedOf(refiled, 2016)).toMatchObject({ records: 1, amount: 2_000 });
    expect(repeatedOf(refiled, 2018)).toMatchObject({ records: 0, amount: 0 });
  });

  it("has the bands of its summary, or of a year's grants", () => {
    const one = { ein: "200253310", summary, grants: [grant(null, -500), grant(null, 10_000)], total: 2 };
    expect(bandsOf(one, undefined)).toBe(summary.sizes);
    expect(bandsOf(one, 2018)).toStrictEqual([
      { from: null, below: 0, records: 1, amount: -500 },
      { from: 0, below: 1_000, records: 0, amount: 0 },
      { from: 1_000, below: 10_000, records: 0, amount: 0 },
      { from: 10_000, below: null, records: 1, amount: 10_000 },
    ]);
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

describe("shared recipients", () => {
  it("are ordered by number of funders, then by sum, and named by most of their grants", () => {
    const lists = [
      [grant("1", 10, "A"), grant("1", 5, "B"), grant("1", 1, "B"), grant("2", 50), grant("3", 7)],
      [grant("1", 1), grant("2", 1), grant(null, 1_000)],
      [grant("1", -4), grant("4", 9)],
    ];
    expect(findShared(lists)).toStrictEqual([
      {
        ein: "1",
        name: "B",
        sums: [
          { amount: 16, records: 3 },
          { amount: 1, records: 1 },
          { amount: -4, records: 1 },
        ],
      },
      { ein: "2", name: null, sums: [{ amount: 50, records: 1 }, { amount: 1, records: 1 }, undefined] },
    ]);
  });

  it("are exactly the EINs in the grants of two or more funders, with all of their dollars", () => {
    const list = fc.array(
      fc.record({ ein: fc.option(fc.constantFrom("1", "2", "3", "4")), amount: fc.integer() }),
    );
    const check = (lists: readonly (readonly { ein: string | null; amount: number }[])[]) => {
      const shared = findShared(lists.map((grants) => grants.map(({ ein, amount }) => grant(ein, amount))));
      const expected = ["1", "2", "3", "4"].filter(
        (ein) => lists.filter((grants) => grants.some((one) => one.ein === ein)).length > 1,
      );
      expect(shared.map(({ ein }) => ein).sort()).toStrictEqual(expected);
      for (const { ein, sums } of shared)
        expect(sums.map((sum) => sum?.amount ?? 0)).toStrictEqual(
          lists.map((grants) => grants.reduce((sum, one) => sum + (one.ein === ein ? one.amount : 0), 0)),
        );
    };
    fc.assert(fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), check));
  });
});
