// Tests the grants of a recipient, as filed and with likely ones, against plain loops over all records.
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { formatCsvRow } from "../../../../api-static/contract/answers/csv.ts";
import { type Match, matchSchema } from "../../../../api-static/contract/answers/matches.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { openDatabase } from "../../../../pipeline/base/database.ts";
import { recipients as known } from "../../../pipeline/matches.fixture.ts";
import { proofs } from "../../../proofs.ts";
import { type GivenFilters, Oracle } from "../../search/oracle.ts";
import { useRelease } from "../release.fixture.ts";

const served = useRelease({ withMatches: true });

/** The match of each matched grant, by its id in decimal, from the file of all matches. */
const matches = new Map<string, Omit<Match, "id">>();
let oracle = new Oracle([]);

beforeAll(async () => {
  const { folder, lines } = served();
  // All recipients of that warehouse are in Texas.
  const places = lines.map((line) => [Number(idOf(line)), { funder: null, recipient: "TX" }] as const);
  oracle = new Oracle(lines, new Map(places));
  const { connection, instance } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  const read = await connection.runAndReadAll(
    `SELECT id::VARCHAR, matched_ein, match_rule, match_score::DOUBLE, match_evidence FROM '${join(folder, parts.matchesFile)}'`,
  );
  for (const [id, matched_ein, match_rule, match_score, match_evidence] of read.getRows())
    matches.set(String(id), { matched_ein, match_rule, match_score, match_evidence } as Omit<Match, "id">);
  connection.closeSync();
  instance.closeSync();
});

const ask = (path: string) => served().ask(path);
const askText = (path: string) => served().askText(path);

type Query = GivenFilters & { readonly [Name in "matched" | "limit" | "offset" | "names"]?: string };

const urlOf = (path: string, query: object) =>
  `${path}?${new URLSearchParams(query as Record<string, string>)}`;
const pathOf = (ein: string) => `/v1/recipients/${ein}/history`;

const idOf = (line: string) => /^\{"id":(-?\d+)/.exec(line)?.[1] ?? "";

/** The lines of a recipient's grants that meet the filters, in the order that they ask for. */
function findLines(ein: string, { matched = "exclude", ...filters }: Query): string[] {
  return oracle.find(filters).filter((line) => {
    const isMatched = matches.get(idOf(line))?.matched_ein === ein;
    const isFiled = line.includes(`"recipient_ein":"${ein}"`);
    return matched === "exclude" ? isFiled : matched === "only" ? isMatched : isFiled || isMatched;
  });
}

/** The body of a page as the contract says. */
function formatPage(lines: readonly string[], { matched, limit = "100", offset = "0" }: Query): string {
  const page = lines.slice(Number(offset), Number(offset) + Number(limit));
  const list = (some: readonly string[]) => (some.length === 0 ? "[]" : `[\n${some.join(",\n")}\n]`);
  const ofPage = page.flatMap((line) => {
    const match = matches.get(idOf(line));
    return match === undefined ? [] : [`{"id":${idOf(line)},${JSON.stringify(match).slice(1)}`];
  });
  const more = matched === "include" || matched === "only" ? `,"matches":${list(ofPage)}` : "";
  return `{"success":true,"data":${list(page)}${more},"total":${lines.length},"limit":${limit},"offset":${offset}}\n`;
}

/** At most two filters: more would seldom find a grant. */
const filters = () => {
  const { facts } = served();
  const values: Readonly<Record<string, readonly string[]>> = {
    funder_ein: [facts.big.ein, facts.small.ein, `${facts.big.ein},${facts.middle.ein}`],
    min_year: ["2016", "2018"],
    max_year: ["2018", "2020"],
    purpose: ["e 1", facts.purposeWord],
    recipient_name: ["a", facts.nameWord.toLowerCase()],
    min_amount: ["100", "250.50"],
    recipient_state: ["tx", "NY"],
    sort: ["amount", "year"],
  };
  const pairs = Object.entries(values).flatMap(([name, some]) => some.map((value) => [name, value]));
  return fc
    .subarray(pairs, { maxLength: 2 })
    .map((some): GivenFilters => Object.fromEntries(some))
    .filter(({ min_year = "2016", max_year = "2020" }) => min_year <= max_year);
};

/** Recipients with grants and matches, with grants alone, and with matches alone. */
const recipients = fc.constantFrom(known.both, known.filed, known.unfiled, "200000007", "200000241");

const windows = fc.record(
  { limit: fc.constantFrom("1", "7", "1000"), offset: fc.constantFrom("0", "3", "25") },
  { requiredKeys: [] },
);
const kinds = fc.constantFrom("exclude", "include", "only");

describe("the grants of a recipient", () => {
  it("are those that an oracle finds, as filed or with the likely ones, in pages and as CSV", async () => {
    let found = 0;
    const plain = { isEscapingFormulas: false, isForExcel: false, hasNames: false };
    await fc.assert(
      fc.asyncProperty(recipients, kinds, filters(), windows, async (ein, matched, given, window) => {
        const lines = findLines(ein, { ...given, matched });
        found += lines.length;
        const query = { ...given, ...window, matched };
        expect(await askText(urlOf(pathOf(ein), query))).toBe(formatPage(lines, query));
        const { sort, ...selection } = given;
        const rows = findLines(ein, { ...selection, matched }).map((line) => {
          const { matched_ein = "", match_rule = "" } = matches.get(idOf(line)) ?? {};
          const more = matched === "exclude" ? [] : [matched_ein, match_rule];
          return `${[formatCsvRow(line, plain, () => "").trimEnd(), ...more].join()}\r\n`;
        });
        const csv = await askText(urlOf(`${pathOf(ein)}.csv`, { ...selection, matched }));
        const header = csv.slice(0, csv.indexOf("\r\n"));
        expect(header.endsWith(",matched_ein,match_rule")).toBe(matched !== "exclude");
        expect(csv.slice(header.length + 2)).toBe(rows.join(""));
      }),
      { numRuns: proofs.anySearches },
    );
    expect(found).toBeGreaterThan(50);
  });

  it("are without `matched` those of the search, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(known.both, known.filed),
        filters(),
        windows,
        async (ein, given, window) => {
          const [own, search] = [
            await ask(urlOf(pathOf(ein), { ...given, ...window, matched: "exclude" })),
            await ask(urlOf("/v1/history", { recipient_ein: ein, ...given, ...window })),
          ];
          expect(await own.text()).toBe(await search.text());
          expect(own.headers.get("ETag")).toBe(search.headers.get("ETag"));
          const { sort, ...selection } = given;
          expect(await askText(urlOf(`${pathOf(ein)}.csv`, selection))).toBe(
            await askText(urlOf("/v1/history.csv", { recipient_ein: ein, ...selection })),
          );
        },
      ),
      { numRuns: Math.ceil(proofs.anySearches / 4) },
    );
  });

  it("never overlap or skip between pages, whose links lead through all of them", async () => {
    const ein = known.both;
    for (const sort of ["year", "amount"]) {
      const lines = findLines(ein, { matched: "include", sort });
      const seen: string[] = [];
      let next: string | undefined = urlOf(pathOf(ein), { matched: "include", sort, limit: "4" });
      while (next !== undefined) {
        const response = await ask(next);
        expect(response.headers.get("X-Release")).toBe(served().release.facts.release);
        const body = await response.text();
        seen.push(
          ...body.split("\n").filter((line) => line.startsWith('{"id"') && line.includes("funder_ein")),
        );
        next = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
      }
      expect(seen.map((line) => line.replace(/,$/, ""))).toEqual(lines);
      expect(lines.some((line) => matches.has(idOf(line)))).toBe(true);
    }
  });

  it("have matches with the members of the schema, and exact ids", async () => {
    const body = await askText(urlOf(pathOf(known.unfiled), { matched: "only" }));
    const { data, matches: found } = JSON.parse(body) as Record<"data" | "matches", { id: number }[]>;
    expect(found.map(({ id }) => id)).toEqual(data.map(({ id }) => id));
    for (const match of found) expect(Object.keys(match)).toEqual(Object.keys(matchSchema.properties));
  });

  it("are found for a recipient that no grant names, but not for one without any", async () => {
    expect(await askText(pathOf(known.unfiled))).toBe(formatPage([], {}));
    for (const path of [pathOf("999999999"), `${pathOf("999999999")}.csv`])
      for (const query of ["", "?matched=include", "?matched=only"]) {
        const response = await ask(path + query);
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({ success: false, code: "recipient_not_found" });
      }
  });
});
