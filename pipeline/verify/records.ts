// Verifies `records` against the manifest and the index: the totals, the keys of all records, and the texts of some.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import type { GrantRecord } from "../../api-static/contract/record.ts";
import { hasNonCashSql } from "../../api-static/contract/record.ts";
import { canonicalText } from "../../api-static/contract/text.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import type { Manifest } from "../releases/manifest.ts";
import { compareTotals, type Totals, totalsSql } from "../releases/totals.ts";
import { hashSumSql } from "./index.ts";
import { readRecords } from "./recordRows.ts";

/** Positions listed if the keys of records and index differ. */
const maxPositionsShown = 20;

/** Number of records whose texts are compared with the index, evenly spread. */
const samples = 5_000;

/** How a problem starts if a line cannot be parsed. */
const unparsable = `${parts.records}: a line is not a record`;

/** True if a problem says that a line cannot be parsed. */
export function isUnparsable(problem: string): boolean {
  return problem.startsWith(unparsable);
}

/** The columns that the index has of a record except its texts: as read from the record, and from the index. */
export const keysOfRecord = `id, funder_ein, recipient_ein, transaction_year, ${centsSql("amount")}, ${hasNonCashSql}`;
export const keysOfIndex = "id, funder_ein, recipient_ein, transaction_year, amount_cents, has_non_cash";

/**
 * Finds differences between the records of a release and its manifest or index.
 * @param connection whose current database is the index
 */
export async function findRecordProblems(
  connection: DuckDBConnection,
  release: Release,
  manifest: Manifest,
): Promise<string[]> {
  const problems = [
    ...(await findKeyProblems(connection, release.folder, manifest)),
    ...(await findTextProblems(connection, release, manifest.totals.records)),
  ];
  return [...new Set(problems)];
}

/** Compares the totals of all records with the manifest, and their keys with the index. */
async function findKeyProblems(
  connection: DuckDBConnection,
  folder: string,
  manifest: Manifest,
): Promise<string[]> {
  const { from, values } = await readRecords(folder);
  try {
    const read = await connection.runAndReadAll(
      `SELECT ${totalsSql}, (SELECT ${hashSumSql(keysOfIndex)} FROM by_funder) = ${hashSumSql(keysOfRecord)} AS is_same FROM ${from}`,
      values,
    );
    const [found] = read.getRowObjectsJson();
    const { is_same, ...totals } = found as unknown as Totals & { is_same: boolean };
    const problems = compareTotals(parts.records, totals, manifest.totals);
    if (is_same) return problems;
    const mismatched = await connection.runAndReadAll(
      `SELECT position FROM by_funder ANTI JOIN (SELECT hash(${keysOfRecord}) AS key FROM ${from}) AS expected
        ON expected.key = hash(${keysOfIndex}) ORDER BY position LIMIT ${maxPositionsShown}`,
      values,
    );
    problems.push(`${parts.index}: the keys of its records differ from ${parts.records}`);
    return [...problems, ...mismatched.getRows().map(([position]) => differs(position))];
  } catch (error) {
    const [message = ""] = error instanceof Error ? error.message.split("\n") : [];
    if (!message.startsWith("Invalid Input Error")) throw error; // a line that is not JSON
    return [`${unparsable} (${message})`];
  }
}

function differs(position: unknown): string {
  return `${parts.index}: position ${position} differs from its record`;
}

/** Ids and texts in the index at some positions. The rows are materialized first, or DuckDB would read whole dictionaries. */
const sampledSql = `
WITH sampled AS MATERIALIZED (FROM by_funder WHERE position IN (SELECT unnest($positions)))
SELECT sampled.position, sampled.id::VARCHAR, purposes.text, recipient_names.text
FROM sampled
LEFT JOIN purposes ON purposes.id = sampled.purpose
LEFT JOIN recipient_names ON recipient_names.id = sampled.recipient_name
ORDER BY sampled.position`;

/** Compares the id and the texts of some records with the index. */
async function findTextProblems(
  connection: DuckDBConnection,
  { records }: Release,
  total: number,
): Promise<string[]> {
  const step = Math.max(1, total / samples);
  const count = Math.min(total, samples);
  const positions = Array.from({ length: count }, (_, index) => Math.floor(index * step));
  const rows = (await connection.runAndReadAll(sampledSql, { positions: listValue(positions) })).getRows();
  const problems = rows
    .filter(([position, ...found]) => {
      const line = records.readLines([Number(position)]).toString();
      return JSON.stringify(found) !== JSON.stringify(readSampled(line.slice(0, -lineEnd.length)));
    })
    .map(([position]) => differs(position));
  return rows.length === count ? problems : [...problems, `${parts.index}: positions are missing`];
}

/** The values that `sampledSql` should return for a record's line; undefined if the line is not JSON. */
function readSampled(line: string): (string | null | undefined)[] | undefined {
  try {
    const { purpose, recipient_name } = JSON.parse(line) as GrantRecord;
    const id = /^\{"id":(-?\d+),/.exec(line)?.[1]; // a number is not exact beyond 2^53
    return [id, ...[purpose, recipient_name].map((text) => (text === null ? null : canonicalText(text)))];
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
