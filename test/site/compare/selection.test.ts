// Tests the address of the Compare page, its sentences and its CSV file.
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCommon, formatCovered, formatYearList } from "../../../site/src/compare/compared.ts";
import { formatSelection, readSelection } from "../../../site/src/compare/selection.ts";
import { formatSharedCsv } from "../../../site/src/compare/sharedRecipients.tsx";

describe("the address", () => {
  it("holds the selected funders and years", () => {
    const ein = fc.stringMatching(/^\d{9}$/);
    const eins = fc.uniqueArray(ein, { maxLength: 4 });
    const year = fc.option(fc.integer({ min: 1000, max: 9999 }), { nil: undefined });
    const check = (chosen: string[], one: number | undefined, other: number | undefined) => {
      const [min, max] =
        one !== undefined && other !== undefined && one > other ? [other, one] : [one, other];
      const expected = { eins: chosen, years: { min, max }, problems: [] };
      expect(readSelection(formatSelection(chosen, { min, max }))).toStrictEqual(expected);
    };
    fc.assert(fc.property(eins, year, year, check));
  });

  it("may name one year, and bounds in the wrong order", () => {
    expect(readSelection("?transaction_year=2018").years).toEqual({ min: 2018, max: 2018 });
    expect(readSelection("?min_year=2018&max_year=2015").years).toEqual({ min: 2015, max: 2018 });
    expect(formatSelection([], { min: 2018, max: 2018 })).toBe("?transaction_year=2018");
  });

  it("may have unknown parameters, which are ignored", () => {
    expect(readSelection("?ein=200253310&msclkid=1&utm_source=x&transaction_yea=2018")).toMatchObject({
      eins: ["200253310"],
      problems: [],
    });
  });

  it("explains the parts of an address that it cannot show", () => {
    const { eins, problems } = readSelection(
      "?ein=20-0253310&ein=200253310&ein=12&ein=111111111&ein=222222222&ein=333333333&ein=444444444&transaction_year=18",
    );
    expect(eins).toStrictEqual(["200253310", "111111111", "222222222", "333333333"]);
    expect(problems).toStrictEqual([
      "“12” is not an EIN: an EIN has nine digits, for example 13-1635294.",
      "At most 4 funders can be compared; 444444444 is left out.",
      "“18” is not a year of four digits.",
    ]);
  });
});

describe("the sentences", () => {
  it("count the years with grants", () => {
    expect(formatCovered([2018, 2016, 2010])).toBe("3 of 9, 2010–2018");
    expect(formatCovered([2018])).toBe("2018 only");
    expect(formatCovered([])).toBe("none");
  });

  it("name the years in common", () => {
    expect(formatYearList([2010, 2012, 2013, 2015, 2016, 2017])).toBe("2010, 2012, 2013, 2015 to 2017");
    expect(formatCommon([2018], 4)).toMatch(/^2018 is the only year all four have grants in\./);
    expect(formatCommon([2016, 2018], 2)).toMatch(/^Both have grants in 2016, 2018\./);
    expect(formatCommon([], 3)).toMatch(/^There is no year in which all three have grants/);
  });
});

describe("the CSV file of shared recipients", () => {
  it("is read back as written, and runs no formula", () => {
    const eins = ["200253310", "431634280"] as const;
    const shared = [
      {
        ...{ recipient_ein: "123456789", recipient_name: '=SUM("a",1)' },
        funders: [{ funder_ein: eins[0], amount: -5.5, records: 2 }],
      },
      {
        ...{ recipient_ein: "223456789", recipient_name: null },
        funders: [{ funder_ein: eins[1], amount: 7, records: 1 }],
      },
    ];
    expect(parse(formatSharedCsv(shared, eins))).toStrictEqual([
      [
        "recipient_ein",
        "recipient_name",
        "amount_200253310",
        "grants_200253310",
        "amount_431634280",
        "grants_431634280",
      ],
      ["123456789", '\'=SUM("a",1)', "-5.50", "2", "", ""],
      ["223456789", "", "", "", "7.00", "1"],
    ]);
  });
});
