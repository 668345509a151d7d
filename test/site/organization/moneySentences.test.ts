// Tests the sentences on an organization's money and on what the IRS's list says of it.
import { describe, expect, it } from "vitest";
import type { Organization } from "../../../site/src/api/client.ts";
import { describeListed, moneySentence } from "../../../site/src/organization/moneySentences.ts";
import { formatPieces } from "./pieces.fixture.ts";

describe("the sentence on money", () => {
  const year = {
    tax_year: 2023,
    form: "990",
    revenue: 912_500,
    expenses: 0,
    assets: 2_450_100.25,
    grants_paid: -12.5,
    source: null,
  };

  it("has what the return states, and zeros and negative sums too", () => {
    expect(formatPieces(moneySentence(year))).toBe(
      "In its tax year 2023, it took in $912,500, spent $0, paid −$13 in grants, and held $2.5 million at its end.",
    );
  });

  it.each([
    [{ grants_paid: null, assets: null }, "it took in $912,500 and spent $0."],
    [{ revenue: null, expenses: null, grants_paid: null }, "it held $2.5 million at its end."],
  ])("leaves out what the return does not state: %j", (unknown, expected) => {
    expect(formatPieces(moneySentence({ ...year, ...unknown }))).toBe(`In its tax year 2023, ${expected}`);
  });

  it("is empty if the return states nothing", () => {
    const nothing = { revenue: null, expenses: null, assets: null, grants_paid: null };
    expect(moneySentence({ ...year, ...nothing })).toEqual([]);
  });
});

describe("what the list says", () => {
  const unknown = { ntee: null, subsection: null, ruling_year: null, former_names: [] };
  const describeKnown = (known: Partial<Organization>) =>
    formatPieces(describeListed({ ...unknown, ...known } as unknown as Organization)).trim();

  it("is the cause, the section, the year and the former names", () => {
    const former_names = [
      { name: "NEW FUND", from: "2015-12", to: "2018-06" },
      { name: "OLD FUND", from: null, to: "2014-12" },
    ];
    expect(describeKnown({ ntee: "T31", subsection: "03", ruling_year: 1955, former_names })).toBe(
      "Community Foundations (T31): funders of this cause. 501(c)(3) since 1955. Formerly NEW FUND (2015 to 2018), OLD FUND (2014).",
    );
  });

  it("leaves out what is unknown, and sections other than 501(c)", () => {
    expect(describeKnown({ subsection: "19" })).toBe("501(c)(19).");
    expect(describeKnown({ subsection: "92", ruling_year: 1955 })).toBe("Exempt since 1955.");
    expect(describeKnown({ subsection: "92" })).toBe("");
    expect(describeKnown({})).toBe("");
  });
});
