// Tests the names of CSV files.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRequest } from "../../../../api-static/contract/request.ts";
import { nameExport } from "../../../../api-static/server/answers/history.ts";

/** The name of a URL's file in a release of 2026-11-28. */
function nameOf(path: string, query: Readonly<Record<string, string>> = {}): string {
  const request = parseRequest(path, `?${new URLSearchParams(query)}`);
  if (request.kind !== "export" && request.kind !== "groupsExport") throw new Error(request.kind);
  return nameExport(request, "2026-11-28T04:00:00Z");
}

describe("the name of a CSV file", () => {
  it.each([
    ["/v1/history.csv", {}, "grants"],
    ["/v1/history.csv", { purpose: "Music", recipient_state: "ca" }, "grants-music-CA"],
    ["/v1/funders/131635294/history.csv", { min_amount: "10000" }, "grants-131635294-min-10000"],
    ["/v1/recipients/530196605/history.csv", {}, "grants-to-530196605"],
    ["/v1/history.csv", { min_year: "2018", max_amount: "0.50" }, "grants-since-2018-max-0-50"],
    ["/v1/history.csv", { purpose: 'Café & "bar"', match: "words" }, "grants-cafe-bar"],
    ["/v1/history.csv", { purpose: "学校" }, "grants"],
    ["/v1/history/groups.csv", { by: "funder", transaction_year: "2020" }, "grants-by-funder-2020"],
  ])("of %s with %o is %s, then the day of the release", (path, query, name) => {
    expect(nameOf(path, query)).toBe(`${name}-2026-11-28.csv`);
  });

  it("has letters, digits and hyphens, up to 95 characters, whatever is searched", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 200 }).filter((of) => of.trim() !== "");
    const check = (purpose: string) => {
      const name = nameOf("/v1/history.csv", { purpose });
      expect(name).toMatch(/^grants(-[A-Za-z0-9]+)*-2026-11-28\.csv$/);
      expect(name.length).toBeLessThanOrEqual(95);
    };
    fc.assert(fc.property(text, check), { examples: [["x ".repeat(100)]] });
  });
});
