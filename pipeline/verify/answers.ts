// Verifies the answers to drawn searches: the index and SQL on the table of all grants must give the same bytes.
import type { DuckDBConnection } from "@duckdb/node-api";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { href } from "../../api-static/contract/pageKeys.ts";
import { filterSql } from "../../api-static/search/filterSql.ts";
import type { IndexDatabase } from "../../api-static/search/indexDatabase.ts";
import type { Release } from "../../api-static/search/release.ts";
import { Search } from "../../api-static/search/search.ts";
import { duckdbEngine } from "../../api-static/search/sql/duckdb.ts";
import { countRows } from "../base/database.ts";
import type { Manifest } from "../releases/manifest.ts";
import { type DrawnSearch, drawSearches, narrowGrants, type Question } from "./draws.ts";

/** Searches that are drawn. */
const draws = 60;

/** Matches whose totals and groups are compared, at most: broader searches are skipped. */
const maxMatches = 500_000;

/** Groups of a search that are compared. */
const maxGroups = 100;

/** Why a search failed. Whatever it is, a server could not answer the search either. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
  try {
    const problems: string[] = [];
    for (const { filters, question } of drawn) {
      if (!(await narrow(connection, filters, question))) continue;
      const problem = await compare(release.search, sql, filters, question).catch(describeError);
      if (problem !== undefined) problems.push(`${nameOf({ filters, question })}: ${problem}`);
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
async function narrow(connection: DuckDBConnection, filters: Filters, { kind }: Question): Promise<boolean> {
  await narrowGrants(connection);
  const { funderState: _, recipientState: __, matched, ...others } = filters;
  if (Object.keys(others).length === 0) return kind === "page";
  const ein = Number(filters.recipientEin);
  const ofLikely = `recipient_ein = ${ein} OR position IN (SELECT position FROM by_match WHERE matched_ein = ${ein})`;
  const { where, values } = matched ? { where: ofLikely, values: {} } : filterSql(others);
  if (kind === "page") {
    await narrowGrants(connection, where, values);
    return true;
  }
  await narrowGrants(connection, where, values, maxMatches + 1);
  return (await countRows(connection, "by_funder")) <= maxMatches;
}

async function compare(index: Search, sql: Search, filters: Filters, question: Question) {
  const isLater = question.kind === "page" && question.place > 0;
  const matches = isLater ? (await index.find(filters, 1, 0)).total : 0;
  const found = await ask(index, filters, question, matches);
  return found.equals(await ask(sql, filters, question, matches)) ? undefined : "SQL gives another answer";
}

/** The answer as bytes. @param matches of which a page is taken */
async function ask(search: Search, filters: Filters, question: Question, matches: number): Promise<Buffer> {
  if (question.kind === "totals") return (await search.findTotals(filters)).body;
  if (question.kind === "groups") {
    const page = { by: question.by, sort: question.sort, limit: maxGroups, offset: 0 };
    const { total, lines } = await search.findGroups(filters, page);
    return Buffer.concat([Buffer.from(`${total}\n`), lines]);
  }
  const { limit, place, sort } = question;
  const offset = Math.floor(place * (matches + 1));
  const { total, lines, matches: texts = [] } = await search.find(filters, limit, offset, undefined, sort);
  const { length } = JSON.parse(`[${lines.toString().slice(0, -lineEnd.length)}]`) as unknown[];
  if (length !== Math.min(limit, Math.max(0, total - offset)))
    throw new Error(`its page has ${length} records`);
  return Buffer.concat([Buffer.from(`${total} ${texts.join()}\n`), lines]);
}

/** A drawn search as a person reads it. */
function nameOf({ filters, question }: DrawnSearch): string {
  const { limit = 1, sort } = question.kind === "page" ? question : {};
  const request = { kind: "history", scope: "search", filters, limit, offset: 0 } as const;
  const by = question.kind === "groups" ? ` by ${question.by}` : "";
  return `${question.kind}${by} of ${href({ ...request, ...(sort === "amount" && { sort }) })}`;
}
