// Tests that a search by words equals a check of every record, whatever plan answers it, and that its links and CSV agree.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meetsFilters } from "../../../api-static/contract/filters/table.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { useRelease } from "../server/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

type Row = { id: number; funder_ein: string; purpose: string | null; recipient_name: string | null };
type Page = { total: number; data: { id: number }[] };

/** The ids that a search finds, and those that a check of every record finds. */
async function compare(query: Record<string, string>): Promise<{ found: number[]; expected: number[] }> {
  const search = new URLSearchParams({ ...query, match: "words", limit: "1000" });
  const request = parseRequest("/v1/history", search.toString());
  if (request.kind !== "history") throw new Error(`${search} is refused`);
  const { data, total } = JSON.parse(await served().askText(`/v1/history?${search}`)) as Page;
  const expected = served()
    .lines.filter((line) => meetsFilters(line, request.filters))
    .map((line) => (JSON.parse(line) as Row).id);
  expect(total).toBe(expected.length);
  const ids = data.map(({ id }) => id);
  return { found: ids.toSorted((a, b) => a - b), expected: expected.toSorted((a, b) => a - b) };
}

describe("a search by words", () => {
  it("finds exactly the records that contain all words, in any order and in parts of words", async () => {
    const rows = served().lines.map((line) => JSON.parse(line) as Row);
    const parts = (text: string) => text.split(/\s+/).filter((word) => word !== "");
    const searches = fc.constantFrom(...rows).chain((row) => {
      const words = parts(row.purpose ?? "x");
      return fc.record({
        words: fc.shuffledSubarray(words.slice(0, 5), { minLength: 1 }),
        other: fc.constantFrom("", "", "", "zzz", "e", "a"),
        cut: fc.nat(2),
        funder: fc.constantFrom({}, { funder_ein: row.funder_ein }),
      });
    });
    let several = 0;
    await fc.assert(
      fc.asyncProperty(searches, async ({ words, other, cut, funder }) => {
        const cuts = words.map((word) => (word.length > cut + 2 ? word.slice(cut) : word));
        const purpose = [...cuts, other].join(" ").trim().slice(0, 150);
        if (purpose === "") return;
        const { found, expected } = await compare({ purpose, ...funder });
        if (expected.length <= 1000) expect(found).toStrictEqual(expected); // all are on one page
        if (found.length > 1) several += 1;
      }),
      { numRuns: 60 },
    );
    expect(several).toBeGreaterThan(5); // otherwise the test shows little
  });

  it("has a CSV of the same records", async () => {
    const purpose = served().facts.purposeWord;
    const search = new URLSearchParams({ purpose: `${purpose} e`, match: "words" });
    const { total } = JSON.parse(await served().askText(`/v1/history?${search}`)) as Page;
    const csv = await served().askText(`/v1/history.csv?${search}`);
    expect(total).toBeGreaterThan(0);
    expect(csv.split("\r\n").length - 2).toBe(total);
  });
});
