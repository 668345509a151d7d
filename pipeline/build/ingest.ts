// Reads the warehouse's rows into the table `grants`: normalized, checked, unique, in the order of `records`.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields, resultOrderSql } from "../../api-static/contract/record.ts";
import { type RejectReason, rejectReasons } from "../../api-static/contract/rejects.ts";
import { parts } from "../../api-static/release/layout.ts";
import { followRows, sqlText } from "../database.ts";
import { InputError } from "../failure.ts";
import type { OnProgress, Progress } from "../progress.ts";
import { type Totals, totalsSql } from "../releases/totals.ts";
import { normalizedSql } from "../warehouse/normalize.ts";
import { readParquetList, sourceFileColumn, type Warehouse } from "../warehouse/warehouse.ts";

/** Counts of the warehouse's rows (read = accepted + the sum of rejected), and the totals of the accepted ones. */
export type Ingested = {
  readonly read: number;
  readonly accepted: number;
  readonly rejected: Readonly<Record<RejectReason, number>>;
  /** Accepted rows with a recipient_ein that is not an EIN; it became null. */
  readonly recipientEinInvalid: number;
  readonly totals: Totals;
};

/**
 * Reads the warehouse into the table `grants` of the connection's database (EINs as integers, amounts as
 * DECIMAL(18,2), created_at as TIMESTAMP in UTC), ordered by funder and then in result order, so that a row's
 * `rowid` is its position. Writes the rejected rows, as they were read, to `rejects.parquet` in `folder`.
 * @param nextYear the greatest transaction year that is accepted
 * @throws InputError if every row is rejected
 */
export async function ingest(
  connection: DuckDBConnection,
  warehouse: Warehouse,
  folder: string,
  nextYear: number,
  progress: Progress,
): Promise<Ingested> {
  const { from, values } = readParquetList(warehouse.files.map(({ path }) => path));
  const judged = (rows: string) =>
    `WITH source AS (${sourceSql(warehouse, from)} ${rows}), judged AS (${normalizedSql(warehouse.columns, nextYear)})`;
  const follow = (onProgress: OnProgress, sql: string) =>
    followRows(connection, warehouse.rows, onProgress, () => connection.run(sql, values));

  await progress.run("check rows", warehouse.rows, "rows", async (onProgress) => {
    await follow(onProgress, `CREATE TABLE repeated AS SELECT id FROM ${from} ${repeatedSql}`);
    await connection.run(
      `CREATE TABLE repeats AS ${judged("SEMI JOIN repeated USING (id)")} FROM judged`,
      values,
    );
    await connection.run(`CREATE TABLE ranked AS ${rankedSql}`);
  });
  await progress.run("order grants", warehouse.rows, "rows", (onProgress) =>
    follow(onProgress, `CREATE TABLE grants AS ${judged("ANTI JOIN repeated USING (id)")} ${grantsSql}`),
  );
  await connection.run(rejectsSql);
  const rejected = await countRejects(connection);
  const read = warehouse.rows;
  const accepted = await readCount(connection, "SELECT count(*) FROM grants");
  const found = accepted + Object.values(rejected).reduce((sum, rows) => sum + rows, 0);
  if (found !== read)
    throw new InputError(
      `the warehouse changed while it was read: its files had ${read} rows, then ${found}`,
    );
  if (accepted === 0) throw new InputError(everyRowRejected(read, rejected));
  await connection.run(
    `COPY (${orderedRejectsSql}) TO '${sqlText(join(folder, parts.rejects))}' (FORMAT parquet)`,
  );
  const recipientEinInvalid = await readCount(
    connection,
    "SELECT count(*) FROM grants WHERE recipient_ein_invalid",
  );
  await connection.run("ALTER TABLE grants DROP COLUMN recipient_ein_invalid");
  return { read, accepted, rejected, recipientEinInvalid, totals: await readTotals(connection) };
}

function sourceSql(warehouse: Warehouse, from: string): string {
  const present = recordFields.filter((field) => warehouse.columns[field] !== undefined);
  // A warehouse column of this name hides DuckDB's virtual column, and the row numbers are unknown.
  const isHidden = warehouse.unknownColumns.some((name) => name.toLowerCase() === "file_row_number");
  const row = isHidden ? "NULL::BIGINT" : "file_row_number";
  return `SELECT ${sourceFileColumn} AS source_file, ${row} AS source_row, ${present.join(", ")} FROM ${from}`;
}

const columns = recordFields.join(", ");

/**
 * Ids that more than one row has, rejected rows included. They are few, so the table `repeats` has few rows: those of these ids,
 * which are read alone.
 */
const repeatedSql = "WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1";

/** Rows of equal id, best first: the latest, then the greatest, column by column (null is smallest), then the first read. */
const rankedSql = `
SELECT *, row_number() OVER (PARTITION BY id ORDER BY created_at DESC,
  ${recordFields.map((field) => `${field} DESC NULLS LAST`).join(", ")}, raw.source_file, raw.source_row) AS place
FROM repeats
WHERE reason IS NULL`;

/**
 * The accepted rows in order, and after them the rejected ones, with the row as read, so that the warehouse is read once. A list of
 * one row is narrow where it is null, which it is for nearly all rows; the row itself would be wide.
 */
const grantsSql = `
SELECT ${columns}, recipient_ein_invalid, rejected FROM (
  SELECT ${columns}, recipient_ein_invalid, CASE WHEN reason IS NOT NULL THEN [{reason: reason, raw: raw}] END AS rejected
  FROM judged
  UNION ALL
  SELECT ${columns}, recipient_ein_invalid, NULL FROM ranked WHERE place = 1
)
ORDER BY rejected IS NOT NULL, funder_ein, ${resultOrderSql}`;

/** Moves the rejected rows, which are the last ones of `grants`, to the table `rejects`, and adds those of repeated ids. */
const rejectsSql = `
CREATE TABLE rejects AS SELECT reason, raw.* FROM (
  SELECT rejected[1].reason AS reason, rejected[1].raw AS raw FROM grants WHERE rejected IS NOT NULL
);
INSERT INTO rejects SELECT reason, raw.* FROM repeats WHERE reason IS NOT NULL;
INSERT INTO rejects SELECT 'duplicate_id' AS reason, raw.* FROM ranked WHERE place > 1;
DELETE FROM grants WHERE rejected IS NOT NULL;
ALTER TABLE grants DROP COLUMN rejected;
DROP TABLE repeated; DROP TABLE repeats; DROP TABLE ranked`;

const orderedRejectsSql = "SELECT * FROM rejects ORDER BY source_file, source_row";

async function countRejects(connection: DuckDBConnection): Promise<Record<RejectReason, number>> {
  const result = await connection.runAndReadAll(
    "SELECT reason, count(*)::DOUBLE FROM rejects GROUP BY reason",
  );
  const counts = new Map(result.getRows().map(([reason, rows]) => [String(reason), Number(rows)]));
  return Object.fromEntries(rejectReasons.map((reason) => [reason, counts.get(reason) ?? 0])) as Record<
    RejectReason,
    number
  >;
}

async function readCount(connection: DuckDBConnection, sql: string): Promise<number> {
  const result = await connection.runAndReadAll(sql);
  return Number(result.getRows()[0]?.[0]);
}

async function readTotals(connection: DuckDBConnection): Promise<Totals> {
  const result = await connection.runAndReadAll(`SELECT ${totalsSql} FROM grants`);
  return result.getRowObjectsJson()[0] as unknown as Totals;
}

function everyRowRejected(read: number, rejected: Readonly<Record<RejectReason, number>>): string {
  const counts = rejectReasons
    .filter((reason) => rejected[reason] > 0)
    .map((reason) => `${reason} ${rejected[reason]}`);
  return `every row of the warehouse was rejected (${read} rows: ${counts.join(", ")}); expected at least one acceptable row`;
}
