// Verifies `records` against the manifest and the index: the totals, the order, and the keys and texts of records; and that the downloads
// have the records, in their order.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/answers/downloads.ts";
import { nonCashCentsSql } from "../../api-static/contract/answers/record.ts";
import { centsSql } from "../../api-static/contract/text/amount.ts";
import { individualsSql, peopleSql } from "../../api-static/contract/text/placeholders.ts";
import { canonicalTextSql } from "../../api-static/contract/text/text.ts";
import { parts } from "../../api-static/release/layout.ts";
import { countRows, literalPath, streamChunks } from "../base/database.ts";
import { formatFunderDigest, funderSumsSql } from "../releases/funderDigests.ts";
import type { Manifest } from "../releases/manifest.ts";
import { readRecords } from "../releases/recordRows.ts";
import { compareTotals, type Totals, totalsSql } from "../releases/totals.ts";
import { turnOf } from "../releases/turns.ts";
import { hashSumSql } from "./contradictions.ts";

/** Positions listed if records and index differ. */
const maxPositionsShown = 20;

/** About as many records have their texts compared. Small releases have fewer, so all are. */
const textSamples = 200_000;

/** Parts of the funders, by EIN, of which one is read each night. Small releases have fewer. */
const maxParts = 8;
const recordsOfPart = 100_000;

/** The columns that the index has of a record. @param texts of the sample */
const keysSql = (amount: string, nonCash: string, type: string, texts: string) =>
  `id, funder_ein, recipient_ein, transaction_year, ${amount}, ${nonCash}, hash(${type}), CASE WHEN id % $step = 0 THEN hash(${texts}) END`;

const amountSql = centsSql("amount");
const keysOfRecord = keysSql(
  amountSql,
  nonCashCentsSql,
  "type",
  `${canonicalTextSql("purpose")}, ${canonicalTextSql("recipient_name")}, ${individualsSql(peopleSql(canonicalTextSql("recipient_name")))}`,
);
const keysOfIndex = keysSql(
  "amount_cents",
  "non_cash_cents",
  "type_text",
  "purpose_text, name_text, is_individuals",
);

/** The index, with the texts of the sample. */
const indexSql = `(
  FROM (SELECT *, CASE WHEN id % $step = 0 THEN purpose END AS purpose_id,
    CASE WHEN id % $step = 0 THEN recipient_name END AS name_id FROM by_funder WHERE funder_ein % $count = $part)
  LEFT JOIN (SELECT id AS purpose_id, text AS purpose_text FROM purposes) USING (purpose_id)
  LEFT JOIN (SELECT id AS name_id, text AS name_text FROM recipient_names) USING (name_id)
  LEFT JOIN (SELECT id AS type, text AS type_text FROM types) USING (type))`;

/** What the order of records goes by. */
const orderSql = `(funder_ein, -transaction_year::INTEGER, -${amountSql}, id)`;

const foundSql = (from: string, totals: string) => `
SELECT ${totals} (SELECT ${hashSumSql(keysOfIndex)} FROM ${indexSql}) = ${hashSumSql(keysOfRecord)} AS is_same,
  count(*) FILTER (key <= before)::DOUBLE AS disordered
FROM (SELECT *, ${orderSql} AS key, lag(${orderSql}) OVER () AS before FROM ${from})`;

const mismatchedSql = (from: string) => `
SELECT position FROM ${indexSql} ANTI JOIN (SELECT hash(${keysOfRecord}) AS key FROM ${from}) AS expected
  ON expected.key = hash(${keysOfIndex}) ORDER BY position LIMIT ${maxPositionsShown}`;

/**
 * Finds differences between the records of a release and its manifest or index: of the funders whose turn it is, or of all.
 * @param connection whose current database is the index
 * @param isWhole true for all
 * @param perPart records of a part, at least
 */
export async function findRecordProblems(
  connection: DuckDBConnection,
  folder: string,
  { release, totals: sealed }: Pick<Manifest, "release" | "totals">,
  isWhole: boolean,
  perPart = recordsOfPart,
): Promise<string[]> {
  const count = isWhole ? 1 : Math.min(maxParts, Math.ceil(sealed.records / perPart));
  const turn = { count, part: turnOf(release, count) };
  const { from, values: path } = await readRecords(folder, count === 1 ? undefined : turn);
  const values = { ...path, ...turn, step: Math.max(1, Math.floor(sealed.records / textSamples)) };
  try {
    const sql = foundSql(from, count === 1 ? `${totalsSql},` : "");
    const [found] = (await connection.runAndReadAll(sql, values)).getRowObjectsJson();
    const { is_same, disordered, ...totals } = found as Record<string, unknown>;
    const problems = count === 1 ? compareTotals(parts.records, totals as unknown as Totals, sealed) : [];
    if (disordered !== 0) problems.push(`${parts.records}: ${disordered} records out of order`);
    if (is_same) return problems;
    problems.push(`${parts.index}: its records differ from those of records`);
    const mismatched = (await connection.runAndReadAll(mismatchedSql(from), values)).getRows();
    for (const [position] of mismatched)
      problems.push(`${parts.index}: position ${position} differs from its record`);
    return problems;
  } catch (error) {
    const [message = ""] = error instanceof Error ? error.message.split("\n") : [];
    if (!message.startsWith("Invalid Input Error")) throw error; // a line that is not JSON
    return [`${parts.records}: a line is not a record (${message})`];
  }
}

/** The Parquet file's rows, with the types of the table `grants`. */
const rowsSql = `(SELECT * REPLACE (funder_ein::UINTEGER AS funder_ein, transaction_year::USMALLINT AS transaction_year,
  recipient_ein::UINTEGER AS recipient_ein, created_at AT TIME ZONE 'UTC' AS created_at) FROM read_parquet($path))`;

const rowOrderSql = `(SELECT ${hashSumSql("file_row_number::INTEGER, id")} AS sum FROM read_parquet($path, file_row_number = true)) AS file
  JOIN (SELECT ${hashSumSql("position::INTEGER, id")} AS sum FROM by_funder) AS indexed USING (sum)`;

/**
 * Compares the Parquet file with the digests of the funders' records, and its order with the index, which is the connection's
 * current database. The CSV file comes from the same statement, so its digest alone is checked.
 */
export async function findDownloadProblems(connection: DuckDBConnection, folder: string): Promise<string[]> {
  const part = join(parts.public, downloadKey("grants.parquet"));
  const values = { path: literalPath(join(folder, part)) };
  const digests: Buffer[] = [];
  for await (const chunk of streamChunks(connection, funderSumsSql(rowsSql), values))
    for (const [, , sum] of chunk.getRows()) digests.push(formatFunderDigest(sum as bigint));
  if (!Buffer.concat(digests).equals(await readFile(join(folder, parts.funderDigests))))
    return [`${part}: its records differ from those of ${parts.records}`];
  const isOrdered = (await countRows(connection, rowOrderSql, values)) === 1;
  return isOrdered ? [] : [`${part}: its records are out of order`];
}
