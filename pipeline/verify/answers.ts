// Verifies that an answer has the same bytes in every way: drawn searches by the index and by SQL on the table of all grants, samples of page
// files from the file and from what it is made of.
import { gunzipSync } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatList, lineEnd } from "../../api-static/contract/answers/envelope.ts";
import type { Ein } from "../../api-static/contract/ein.ts";
import { withoutCovered } from "../../api-static/contract/filters.ts";
import { parsePageKey, parseTotalsKey } from "../../api-static/contract/operations/searches.ts";
import { pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { findFunderRow, funderRowBytes, readFunderRow } from "../../api-static/release/layout.ts";
import { answerBySearch, answerBySlice } from "../../api-static/search/answer.ts";
import type { IndexDatabase } from "../../api-static/search/indexDatabase.ts";
import type { Release } from "../../api-static/search/release.ts";
import { Search } from "../../api-static/search/search.ts";
import { duckdbEngine } from "../../api-static/search/sql/open.ts";
import { filterSql } from "../../api-static/search/sql/table.ts";
import { countRows } from "../base/database.ts";
import type { Manifest } from "../releases/manifest.ts";
import { type DrawnSearch, drawSearches, narrowGrants } from "./draws.ts";

/** Searches that are drawn: fewer from a small release, because each takes as long as a hundredth of the sync of one. */
const drawsOf = (records: number) => Math.min(60, 20 + Math.floor(records / 25_000));

/** Matches whose totals and groups are compared, at most: broader searches are skipped. */
const maxMatches = 500_000;

/** Samples of what has files, evenly spread, including the first and the last. Totals of broad searches take a second each. */
const samples = { funders: 50, searches: 20, totals: 5, names: 20 };

/** Two ways to find an answer, whose bytes start with the number of records. */
type Ways = Readonly<Record<string, () => Promise<Buffer>>>;

/** Finds an answer in both ways, and compares them. An error counts: a server could not answer either. */
async function findDifference(name: string, ways: Ways): Promise<string[]> {
  const answers: Buffer[] = [];
  const errors: string[] = [];
  for (const find of Object.values(ways))
    await find().then(
      (answer) => answers.push(answer),
      (error: unknown) => errors.push(error instanceof Error ? error.message : String(error)),
    );
  const [one, other] = answers;
  if (one !== undefined && other?.equals(one)) return [];
  const reasons = errors.length > 0 ? ` (${errors.join("; ")})` : "";
  return [`${name}: ${Object.keys(ways).join(" and ")} differ${reasons}`];
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
  const drawn = await drawSearches(connection, engine, totals.records, seed, drawsOf(totals.records));
  const sql = await Search.open(release.folder, release, { openEngine: async () => engine, heldBytes: 0 });
  const problems: string[] = [];
  try {
    for (const search of drawn) {
      if (!(await narrow(connection, search, totals.records))) continue;
      let offset = 0;
      const index = async () => {
        const { request, place } = search;
        const { total } = place > 0 ? await release.search.find(request.filters, 1, 0) : { total: 0 };
        offset = Math.floor(place * (total + 1));
        return ask(release.search, search, offset);
      };
      problems.push(...(await findDifference(search.url, { index, SQL: () => ask(sql, search, offset) })));
    }
    return problems;
  } finally {
    await narrowGrants(connection);
    await sql.close();
  }
}

/**
 * Narrows the grants to those that an answer needs: totals also say how many grants have no known place or cause.
 * @returns false if an answer would take too long
 */
async function narrow(
  connection: DuckDBConnection,
  { request }: DrawnSearch,
  records: number,
): Promise<boolean> {
  await narrowGrants(connection);
  const { matched, ...others } =
    request.kind === "totals" ? withoutCovered(request.filters) : request.filters;
  const isPage = request.kind === "history";
  if (Object.keys(others).length === 0) return isPage || records <= maxMatches;
  const ein = Number(others.recipientEin);
  const ofLikely = `recipient_ein = ${ein} OR position IN (SELECT position FROM by_match WHERE matched_ein = ${ein})`;
  const { where, values } = matched ? { where: ofLikely, values: {} } : filterSql(others);
  await narrowGrants(connection, isPage ? where : `${where} LIMIT ${maxMatches + 1}`, values);
  return isPage || (await countRows(connection, "by_funder")) <= maxMatches;
}

/** The answer to a drawn search. @param offset of a page */
async function ask(search: Search, { request }: DrawnSearch, offset: number): Promise<Buffer> {
  const { filters } = request;
  if (request.kind === "totals") return (await search.findTotals(filters)).body;
  if (request.kind === "groups") {
    const { total, lines } = await search.findGroups(filters, request);
    return withTotal(total, lines);
  }
  const { limit, sort } = request;
  const { total, lines, matches = [] } = await search.find(filters, limit, offset, undefined, sort);
  const { length } = JSON.parse(`[${lines.toString().slice(0, -lineEnd.length)}]`) as unknown[];
  if (length !== Math.min(limit, Math.max(0, total - offset)))
    throw new Error(`its page has ${length} records`);
  return withTotal(`${total} ${matches.join()}`, lines);
}

const withTotal = (total: number | string, body: Uint8Array) =>
  Buffer.concat([Buffer.from(`${total}\n`), body]);

/** Compares the files of some funders' pages, searches, totals and names with answers that need no file. */
export async function findFileDifferences(release: Release): Promise<string[]> {
  const { funders, names, searches } = release;
  const listed = [...searches.keys()];
  const rows = Array.from({ length: funders.length / funderRowBytes }, (_, row) => row);
  const pages = spread(rows, samples.funders).flatMap((row) => {
    const { ein, records } = readFunderRow(funders, row);
    const all = pagesOfGroup({ ein, total: records, offset: 0, records });
    return all.filter(({ from, to }) => from === 0 || to === records).map(({ key }) => key);
  });
  const keys = [
    ...spread(listed.filter(parseTotalsKey), samples.totals),
    ...spread(listed.filter(parsePageKey), samples.searches),
    ...spread([...names], samples.names),
    ...pages,
  ];
  const problems: string[] = [];
  for (const key of keys) problems.push(...(await findDifference(key, waysOf(release, key))));
  return problems;
}

/** A few items of a list, evenly spread, including the first and the last. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, (items.length - 1) / (count - 1));
  const places = Array.from({ length: Math.min(items.length, count) }, (_, index) => index * step);
  return places.map((place) => items[Math.round(place)] as Item);
}

/** The ways to find the content of a page file: from the file, and from what it is made of. A listed one also has its number of records. */
function waysOf(release: Release, key: string): Ways {
  const listed = release.searches.get(key)?.total;
  const file = async () => {
    const found = await release.pageFiles.read(key);
    if (found === undefined) throw new Error("there is no file");
    return withTotal(listed ?? "", gunzipSync(found.stored));
  };
  const answer = async () => {
    const { total, body } = await findContent(release, key, file);
    return withTotal(listed === undefined ? "" : total, body);
  };
  return { file, answer };
}

/** The content of a page file and its number of records, from what it is made of. */
async function findContent(
  release: Release,
  key: string,
  file: () => Promise<Buffer>,
): Promise<{ total: number; body: Uint8Array }> {
  const ofTotals = parseTotalsKey(key);
  if (ofTotals !== undefined) {
    const { all, body } = await release.search.findTotals(ofTotals.filters);
    return { total: all.records, body };
  }
  const request = parsePageKey(key);
  if (request === undefined) return { total: 0, body: findNamed(release, await file()) };
  const funder = findFunderRow(release.funders, Number(request.filters.funderEin));
  const isSlice = request.scope === "funder";
  const { page, body } = await (isSlice
    ? answerBySlice(release, request, funder)
    : answerBySearch(release, request));
  return { total: page.total, body };
}

/** The content of a file of names, from the lines in `organizations` of the same EINs. */
function findNamed({ organizations }: Release, file: Buffer): Buffer {
  const eins = [...file.toString("latin1").matchAll(/"ein":"(\d{9})"/g)].map(([, ein]) => ein as Ein);
  return formatList(Buffer.from(eins.map((ein) => organizations.find(ein) + lineEnd).join("")));
}
