// Verifies `records` against the manifest and the index: the totals, and the keys and texts of all records.
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { hasNonCashSql } from "../../api-static/contract/record.ts";
import { canonicalTextSql } from "../../api-static/contract/text.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Manifest } from "../releases/manifest.ts";
import { compareTotals, type Totals, totalsSql } from "../releases/totals.ts";
import { hashSumSql } from "./index.ts";
import { readRecords } from "./recordRows.ts";

/** Positions listed if records and index differ. */
const maxPositionsShown = 20;

/** The columns that the index has of a record, as read from the record. */
const keysOfRecord = `id, funder_ein, recipient_ein, transaction_year, ${centsSql("amount")}, ${hasNonCashSql},
  hash(${canonicalTextSql("purpose")}), hash(${canonicalTextSql("recipient_name")})`;

/** The same columns in the index. A record without a text has the hash of null. */
const keysOfIndex = `id, funder_ein, recipient_ein, transaction_year, amount_cents, has_non_cash,
  coalesce(purpose_hash, hash(NULL)), coalesce(name_hash, hash(NULL))`;

const indexSql = `(FROM by_funder
  LEFT JOIN (SELECT id AS purpose, hash(text) AS purpose_hash FROM purposes) USING (purpose)
  LEFT JOIN (SELECT id AS recipient_name, hash(text) AS name_hash FROM recipient_names) USING (recipient_name))`;

/**
 * Finds differences between the records of a release and its manifest or index.
 * @param connection whose current database is the index
 */
export async function findRecordProblems(
  connection: DuckDBConnection,
  folder: string,
  manifest: Manifest,
): Promise<string[]> {
  const { from, values } = await readRecords(folder);
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
