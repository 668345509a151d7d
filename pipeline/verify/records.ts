// Verifies `records` against the manifest and the index: the totals, and the keys and texts of all records.
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { hasNonCashSql } from "../../api-static/contract/record.ts";
import { canonicalTextSql } from "../../api-static/contract/text.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Manifest } from "../releases/manifest.ts";
import { readRecords } from "../releases/recordRows.ts";
import { compareTotals, type Totals, totalsSql } from "../releases/totals.ts";
import { hashSumSql } from "./index.ts";

/** Positions listed if records and index differ. */
const maxPositionsShown = 20;

/** About as many records have their texts compared. Small releases have fewer, so all are. */
const textSamples = 200_000;

const isSampledSql = "id % $step = 0";

/** The columns that the index has of a record, as read from the record. */
const keysOfRecord = `id, funder_ein, recipient_ein, transaction_year, ${centsSql("amount")}, ${hasNonCashSql}, hash(type),
  CASE WHEN ${isSampledSql} THEN hash(${canonicalTextSql("purpose")}, ${canonicalTextSql("recipient_name")}) END`;

/** The same columns in the index. */
const keysOfIndex = `id, funder_ein, recipient_ein, transaction_year, amount_cents, has_non_cash, hash(type_text),
  CASE WHEN ${isSampledSql} THEN hash(purpose_text, name_text) END`;

/** The index, with the texts of the sample. */
const indexSql = `(
  FROM (SELECT *, CASE WHEN ${isSampledSql} THEN purpose END AS purpose_id,
    CASE WHEN ${isSampledSql} THEN recipient_name END AS name_id FROM by_funder)
  LEFT JOIN (SELECT id AS purpose_id, text AS purpose_text FROM purposes) USING (purpose_id)
  LEFT JOIN (SELECT id AS name_id, text AS name_text FROM recipient_names) USING (name_id)
  LEFT JOIN (SELECT id AS type, text AS type_text FROM types) USING (type))`;

/**
 * Finds differences between the records of a release and its manifest or index.
 * @param connection whose current database is the index
 */
export async function findRecordProblems(
  connection: DuckDBConnection,
  folder: string,
  manifest: Manifest,
): Promise<string[]> {
  const { from, values: path } = await readRecords(folder);
  const values = { ...path, step: Math.max(1, Math.floor(manifest.totals.records / textSamples)) };
  try {
    const read = await connection.runAndReadAll(
      `SELECT ${totalsSql}, (SELECT ${hashSumSql(keysOfIndex)} FROM ${indexSql}) = ${hashSumSql(keysOfRecord)} AS is_same FROM ${from}`,
      values,
    );
    const [found] = read.getRowObjectsJson();
    const { is_same, ...totals } = found as unknown as Totals & { is_same: boolean };
    const problems = compareTotals(parts.records, totals, manifest.totals);
    if (is_same) return problems;
    const mismatched = await connection.runAndReadAll(
      `SELECT position FROM ${indexSql} ANTI JOIN (SELECT hash(${keysOfRecord}) AS key FROM ${from}) AS expected
        ON expected.key = hash(${keysOfIndex}) ORDER BY position LIMIT ${maxPositionsShown}`,
      values,
    );
    const positions = mismatched
      .getRows()
      .map(([position]) => `position ${position} differs from its record`);
    return [
      ...problems,
      ...["its records differ from those of records", ...positions].map(
        (problem) => `${parts.index}: ${problem}`,
      ),
    ];
  } catch (error) {
    const [message = ""] = error instanceof Error ? error.message.split("\n") : [];
    if (!message.startsWith("Invalid Input Error")) throw error; // a line that is not JSON
    return [`${parts.records}: a line is not a record (${message})`];
  }
}
