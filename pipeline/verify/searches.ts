// Verifies the index by searches that were drawn from the records: the index answers them, and all records are counted that match.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import pLimit from "p-limit";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import { meetsFilters, readCents } from "../../api-static/contract/matching.ts";
import { href } from "../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import type { Manifest } from "../releases/manifest.ts";
import { type DrawnSearch, drawSearches, openPlaces } from "./drawnSearches.ts";
import { countMatches, type Key, type MatchCount } from "./matchCounts.ts";

/** Searches that are answered at once. */
const atOnce = 2;

/** Searches per record, at most. */
const maxPerRecord = 0.25;

/** Searches that are listed, at most, if answers are wrong. */
const maxShown = 10;

/** The answer of the index. */
type Answer = {
  readonly request: HistoryRequest;
  readonly total: number;
  /** The places of the page's records in the result order. */
  readonly page: readonly Key[];
  /** Why the page alone shows that it is wrong. */
  readonly problem: string | undefined;
};

/** Why a search failed. Whatever it is, a server could not answer the search either. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function answer({ search }: Release, { filters, limit, place }: DrawnSearch): Promise<Answer> {
  const request = { kind: "history", scope: "search", filters, limit, offset: 0 } as const;
  try {
    const matches = place === 0 ? 0 : (await search.find(filters, 1, 0)).total;
    const offset = Math.floor(place * (matches + 1));
    const { total, lines } = await search.find(filters, limit, offset);
    const records = lines.toString().split(lineEnd).slice(0, -1);
    const page = records.map(readKey);
    const expected = Math.min(limit, Math.max(0, total - offset));
    const problem =
      (page.length !== expected && `its page has ${page.length} records, expected ${expected}`) ||
      (!records.every((line) => meetsFilters(line, filters)) && "a record of its page does not match") ||
      (!isInOrder(page) && "its page is out of order") ||
      undefined;
    return { request: { ...request, offset }, total, page, problem };
  } catch (error) {
    return { request, total: 0, page: [], problem: describeError(error) };
  }
}

/** @throws SyntaxError if the line is not JSON */
function readKey(line: string): Key {
  const { transaction_year: year } = JSON.parse(line) as { transaction_year: number };
  const [, id = ""] = /^\{"id":(-?\d+),/.exec(line) ?? []; // a number is not exact beyond 2^53
  return { year, cents: readCents(line), id: BigInt(id) };
}

function isInOrder(page: readonly Key[]): boolean {
  return page.every((key, index) => {
    const before = page[index - 1];
    if (before === undefined || before.year !== key.year)
      return before === undefined || before.year > key.year;
    return before.cents === key.cents ? before.id < key.id : before.cents > key.cents;
  });
}

/**
 * Draws searches, and compares the answers of the index with all records. A page whose records match and are in order is right if as
 * many matches as its offset come before it, and as many as its length are in it.
 * @param connection whose current database is the index
 * @param wanted number of searches; a small release gets fewer
 */
export async function findSearchProblems(
  connection: DuckDBConnection,
  release: Release,
  { release: id, totals, parts: sealed }: Manifest,
  wanted: number,
): Promise<string[]> {
  const count = Math.min(wanted, Math.ceil(totals.records * maxPerRecord));
  const seed = `${id} ${sealed[parts.records]?.sha256}`;
  const columns = Columns.open(join(release.folder, parts.columns));
  const drawn = drawSearches(release.records, totals.records, seed, count, openPlaces(columns));
  columns.close();
  if (drawn === undefined) return [`${parts.records}: a line is not a record`];
  const answers = await pLimit(atOnce).map(drawn, (search) => answer(release, search));
  const matches = await countMatches(connection, answers);
  const problems = answers.flatMap((answer, index) => {
    const problem = answer.problem ?? findDifference(answer, matches[index] as MatchCount);
    return problem === undefined ? [] : [`search ${href(answer.request)}: ${problem}`];
  });
  if (problems.length <= maxShown) return problems;
  return [...problems.slice(0, maxShown), `${problems.length} of ${answers.length} searches are wrong`];
}

function findDifference({ request, total, page }: Answer, matches: MatchCount): string | undefined {
  if (matches.total !== total) return `its total is ${total}, but ${matches.total} records match`;
  const isRight =
    matches.before === request.offset &&
    matches.upTo === request.offset + page.length &&
    matches.onPage === page.length;
  if (isRight || page.length === 0) return undefined;
  return `its page has other records than the matches after the first ${request.offset}`;
}
