// Tests the sentences on a funder's page: totals, usual size, largest grant.
import { describe, expect, it } from "vitest";
import type { FunderSummary } from "../../../site/src/api/client.ts";
import { betweenHref } from "../../../site/src/funder/between.ts";
import { funderSentence, funderTitle } from "../../../site/src/funder/sentence.ts";
import { formatPieces } from "../organization/pieces.fixture.ts";

const band = (from: number | null, below: number | null, records: number) => ({
  from,
  below,
  records,
  amount: records,
});

const summary = {
  funder_ein: "200253310",
  records: 1_723,
  amount: 31_135_042,
  first_year: 2010,
  last_year: 2018,
  sizes: [band(null, 0, 0), band(0, 1_000, 202), band(1_000, 10_000, 777), band(10_000, null, 744)],
  largest_grant: { amount: 2_576_721 },
} as unknown as FunderSummary;

const few = (changes: object) => ({ ...summary, ...changes }) as FunderSummary;

describe("a funder's sentence", () => {
  it("has the total, the years, the usual size and the largest grant", () => {
    expect(formatPieces(funderSentence(summary))).toBe(
      "Gave $31.1 million in 1,723 grants from 2010 to 2018. The usual grant is $1,000 to $9,999 (45% of grants); the largest was $2,576,721.",
    );
    expect(funderSentence(summary)).toContainEqual({
      text: "$2,576,721",
      href: "/funder?ein=200253310&min_amount=2576721",
    });
    expect(funderTitle("Pasadena", summary)).toBe("Pasadena: 1,723 grants, $31.1 million – Grant History");
  });

  it("is shorter for few grants", () => {
    const two = few({ records: 2, last_year: 2010, sizes: [band(0, 1_000, 1), band(1_000, null, 1)] });
    expect(formatPieces(funderSentence(two))).toBe(
      "Gave $31.1 million in 2 grants in 2010. The largest was $2,576,721.",
    );
    const one = few({ records: 1, last_year: 2010, sizes: [band(0, 1_000, 1)] });
    expect(formatPieces(funderSentence(one))).toBe("Gave $31.1 million in 1 grant in 2010.");
  });

  it("notes that a negative sum is net of corrections", () => {
    expect(formatPieces(funderSentence(few({ amount: -5_000 })))).toMatch(
      /^Gave −\$5,000 net of corrections in 1,723 grants/,
    );
  });
});

describe("the grants between a funder and a recipient", () => {
  it("are found by EIN, else by name", () => {
    expect(betweenHref("200253310", { recipient_ein: "951642394", recipient_name: "USC" })).toBe(
      "/?funder_ein=200253310&recipient_ein=951642394",
    );
    expect(betweenHref("200253310", { recipient_ein: null, recipient_name: "A & B" })).toBe(
      "/?funder_ein=200253310&recipient_name=A+%26+B",
    );
  });
});
