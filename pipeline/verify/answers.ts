// Verifies that an answer has the same bytes in every way: by the index and by SQL on the table of all grants for drawn searches; from its
// file, from a slice of `records` and by a search for samples of pages.
import { gunzipSync } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatEin } from "../../api-static/contract/ein.ts";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import { href, pageSizesOf, parsePageKey, parseTotalsKey } from "../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import { type Bytes, toBuffer } from "../../api-static/release/bytes.ts";
import { type FunderRow, funderRowBytes, readFunderRow } from "../../api-static/release/layout.ts";
import {
  answerByFile,
  answerBySearch,
  answerBySlice,
  type HistoryAnswer,
} from "../../api-static/search/answer.ts";
import { filterSql } from "../../api-static/search/filterSql.ts";
import type { IndexDatabase } from "../../api-static/search/indexDatabase.ts";
import type { Release } from "../../api-static/search/release.ts";
import { Search } from "../../api-static/search/search.ts";
import { duckdbEngine } from "../../api-static/search/sql/duckdb.ts";
import { countRows } from "../base/database.ts";
import type { Manifest } from "../releases/manifest.ts";
import { type DrawnSearch, drawSearches, narrowGrants } from "./draws.ts";

/** Searches that are drawn. */
const draws = 60;

/** Matches whose totals and groups are compared, at most: broader searches are skipped. */
const maxMatches = 500_000;

/** Groups of a search that are compared. */
const maxGroups = 100;

/** Samples of what has files, evenly spread, including the first and the last. Totals of broad searches take a second each. */
const samples = { funders: 50, searches: 20, totals: 5 };

/** Ways to find an answer, whose bytes start with the number of records. */
type Ways = Readonly<Record<string, () => Promise<Buffer>>>;

/** Finds an answer in each way, and compares it with the way before. An error counts: a server could not answer either. */
async function findDifference(name: string, ways: Ways): Promise<string[]> {
  let before: readonly [way: string, answer: Buffer | string] | undefined;
  for (const [way, find] of Object.entries(ways)) {
    const answer = await find().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (before !== undefined) {
      const [other, expected] = before;
      const errors = [expected, answer].filter((each) => typeof each === "string");
      if (errors.length > 0) return [`${name}: ${other} and ${way} differ (${errors.join("; ")})`];
      if (!(expected as Buffer).equals(answer as Buffer)) return [`${name}: ${other} and ${way} differ`];
    }
    before = [way, answer];
  }
  return [];
}

/**
 * Draws searches, and compares the answers of the index with those of SQL on its tables, which verification compares with `records`.
 * @param connection whose current database is the index
 */
export async function findAnswerProblems(
  connection: DuckDBConnection,
  release: Pick<Release, "folder" | "search" | "records" | "funders">,
  { release: seed, totals }: Pick<Manifest, "release" | "totals">,
): Promise<string[]> {
  const database: Pick<IndexDatabase, "query"> = {
    query: (_, work) =>
      work(async (...statement) => (await connection.runAndReadAll(...statement)).getRows()),
  };
  const engine = duckdbEngine(database, release.records);
  const drawn = await drawSearches(connection, engine, totals.records, seed, draws);
  const sql = await Search.open(release.folder, release, { openEngine: async () => engine, heldBytes: 0 });
  const problems: string[] = [];
  try {
    for (const search of drawn) {
      if (!(await narrow(connection, search))) continue;
      let offset = 0;
      const index = async () => {
        offset = await drawOffset(release.search, search);
        return ask(release.search, search, offset);
      };
      problems.push(
        ...(await findDifference(nameOf(search), { index, SQL: () => ask(sql, search, offset) })),
      );
    }
    return problems;
  } finally {
    await narrowGrants(connection);
    await sql.close();
  }
}

/**
 * Narrows the grants to those that an answer needs: the totals of places need grants elsewhere.
 * @returns false if an answer would take too long
 */
async function narrow(
  connection: DuckDBConnection,
  { filters, question: { kind } }: DrawnSearch,
): Promise<boolean> {
  await narrowGrants(connection);
  const { funderState: _, recipientState: __, matched, ...others } = filters;
  if (Object.keys(others).length === 0) return kind === "page";
  const ein = Number(filters.recipientEin);
  const ofLikely = `recipient_ein = ${ein} OR position IN (SELECT position FROM by_match WHERE matched_ein = ${ein})`;
  const { where, values } = matched ? { where: ofLikely, values: {} } : filterSql(others);
  await narrowGrants(connection, where, values, kind === "page" ? undefined : maxMatches + 1);
  return kind === "page" || (await countRows(connection, "by_funder")) <= maxMatches;
}

/** The offset of the page that a search asks for, among all of its records. */
async function drawOffset(index: Search, { filters, question }: DrawnSearch): Promise<number> {
  if (question.kind !== "page" || question.place === 0) return 0;
  return Math.floor(question.place * ((await index.find(filters, 1, 0)).total + 1));
}

async function ask(search: Search, { filters, question }: DrawnSearch, offset: number): Promise<Buffer> {
  if (question.kind === "totals") return (await search.findTotals(filters)).body;
  if (question.kind === "groups") {
    const page = { by: question.by, sort: question.sort, limit: maxGroups, offset };
    const { total, lines } = await search.findGroups(filters, page);
    return withTotal(total, lines);
  }
  const { limit, sort } = question;
  const { total, lines, matches: texts = [] } = await search.find(filters, limit, offset, undefined, sort);
  const { length } = JSON.parse(`[${lines.toString().slice(0, -lineEnd.length)}]`) as unknown[];
  if (length !== Math.min(limit, Math.max(0, total - offset)))
    throw new Error(`its page has ${length} records`);
  return withTotal(`${total} ${texts.join()}`, lines);
}

const withTotal = (total: number | string, body: Uint8Array) =>
  Buffer.concat([Buffer.from(`${total}\n`), body]);

/** A drawn search as a person reads it. */
function nameOf({ filters, question }: DrawnSearch): string {
  const { limit = 1, sort } = question.kind === "page" ? question : {};
  const request = { kind: "history", scope: "search", filters, limit, offset: 0 } as const;
  const by = question.kind === "groups" ? ` by ${question.by}` : "";
  return `${question.kind}${by} of ${href({ ...request, ...(sort === "amount" && { sort }) })}`;
}

/** Compares the first and the last pages of some funders, and some pages and totals of searches, with their files. */
export async function findFileDifferences(release: Release): Promise<string[]> {
  const problems: string[] = [];
  const searches = [...release.searches.values()];
  for (const { key, total } of spread(
    searches.filter(({ key }) => parseTotalsKey(key)),
    samples.totals,
  )) {
    const file = async () => withTotal(total, unzip((await release.pageFiles.read(key))?.stored));
    const totals = async () => {
      const { all, body } = await release.search.findTotals(parseTotalsKey(key)?.filters ?? {});
      return withTotal(all.records, body);
    };
    problems.push(...(await findDifference(key, { file, totals })));
  }
  for (const { key } of spread(
    searches.filter(({ key }) => parsePageKey(key)),
    samples.searches,
  )) {
    const { file, search } = waysOf(release, parsePageKey(key) as HistoryRequest);
    problems.push(...(await findDifference(key, { file, search })));
  }
  const rows = Array.from({ length: release.funders.length / funderRowBytes }, (_, row) => row);
  for (const row of spread(rows, samples.funders)) {
    const funder = readFunderRow(release.funders, row);
    for (const limit of pageSizesOf(funder.records))
      for (const offset of new Set([0, Math.floor((funder.records - 1) / limit) * limit])) {
        const filters = { funderEin: formatEin(funder.ein) };
        const request = { kind: "history", scope: "funder", filters, limit, offset } as const;
        const name = `funder ${filters.funderEin}, limit ${limit}, offset ${offset}`;
        problems.push(...(await findDifference(name, waysOf(release, request, funder))));
      }
  }
  return problems;
}

/** A few items of a list, evenly spread, including the first and the last. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, (items.length - 1) / (count - 1));
  const length = items.length === 0 ? 0 : Math.floor((items.length - 1) / step) + 1;
  return Array.from({ length }, (_, index) => items[Math.round(index * step)] as Item);
}

function waysOf(release: Release, request: HistoryRequest, funder?: FunderRow) {
  const bytesOf = ({ page, body, isGzipped }: HistoryAnswer) =>
    withTotal(page.total, isGzipped ? unzip(body) : toBuffer(body));
  return {
    async file() {
      const answer = await answerByFile(release, request, funder);
      if (answer === undefined) throw new Error("there is no file");
      return bytesOf(answer);
    },
    slice: async () => bytesOf(await answerBySlice(release, request, funder)),
    search: async () => bytesOf(await answerBySearch(release, request)),
  };
}

const unzip = (stored: Bytes = Buffer.alloc(0)) => gunzipSync(toBuffer(stored));
