// Tests the citation of a sum and its evidence.
import { describe, expect, it } from "vitest";
import { type Cited, formatCitation, formatEvidence } from "../../../site/src/publish/evidence.ts";

const release = "20261120T040000Z";
const cited: Cited = {
  sum: { records: 48, amount: 31_135_042.5 },
  query: { purpose: "food", min_amount: "10000", funder_ein: "200253310" },
  known: { funder: "Pasadena Foundation" },
  release,
  syncedAt: "2026-11-20T04:00:00Z",
  isSynthetic: false,
  address: `https://grants.example.org/r/${release}/funder?ein=200253310&purpose=food&min_amount=10000`,
  now: new Date("2026-11-29T23:30:00Z"),
};
const nothing = { checks: undefined, ids: undefined, returns: [], sha256: undefined };

describe("a citation", () => {
  it("has the exact figure, the filters, the release, the date and the address", () => {
    expect(formatCitation(cited)).toBe(
      `$31,135,042.50 in 48 grants of $10,000 or more for “food” from Pasadena Foundation (Grant History, grants in US tax filings, release ${release} of Nov 20, 2026; retrieved Nov 29, 2026, ${cited.address}).`,
    );
  });

  it("says that sample data are made up", () => {
    expect(formatCitation({ ...cited, isSynthetic: true })).toContain("synthetic sample data");
  });
});

describe("the evidence", () => {
  it("names the grants by id, and how to add them up from the download with its digest", () => {
    const checks = {
      repeats: { records: 1, amount: 0.5 },
      equal: { records: 0, amount: 0 },
      withoutEin: { records: 0, amount: 0 },
      filings: [],
    };
    const text = formatEvidence(cited, { ...nothing, checks, ids: [11, -12], sha256: "abc" });
    expect(text).toMatch(/"grants": \[11,-12\s*\]/);
    const evidence = JSON.parse(text);
    expect(evidence).toMatchObject({
      figure: { records: 48, amount: "31135042.50" },
      repeats_of_other_filings: { records: 1, amount: "0.50" },
      release: { id: release, "grants.parquet": { sha256: "abc" } },
      addresses: {
        totals: `https://grants.example.org/r/${release}/v1/history/summary?purpose=food&min_amount=10000&funder_ein=200253310`,
        "grants.parquet": `https://grants.example.org/r/${release}/v1/downloads/grants.parquet`,
      },
      grants: [11, -12],
    });
    expect(evidence.compute_again).toContain("grants.parquet");
  });

  it("of too many grants leads to their CSV", () => {
    const { grants, compute_again } = JSON.parse(formatEvidence(cited, nothing));
    expect([grants, compute_again]).toEqual([null, expect.stringContaining("history.csv")]);
  });
});
