// Reads the warehouse's rows into tables: normalized, checked, unique.
import { join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields, resultOrderSql } from "../../api-static/contract/answers/record.ts";
import { type RejectReason, rejectReasons } from "../../api-static/contract/answers/report.ts";
import { idsPerReturn, parts } from "../../api-static/release/layout.ts";
import { countRows, followRows, sqlText } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import type { OnProgress, Progress } from "../base/progress.ts";
import { readTotals } from "../releases/totals.ts";
import { diagnoseReadFailure } from "../warehouse/diagnosis.ts";
import { normalizedSql, placeColumns, readColumns } from "../warehouse/grantRows.ts";
import { copyUnreadableTimes } from "../warehouse/milliseconds.ts";
import { stateTypeSql } from "../warehouse/normalize.ts";
import {
  checkUnchanged,
  pathsOf,
  readParquetList,
  sourceFileColumn,
  type Warehouse,
} from "../warehouse/warehouse.ts";
import { findRepeated } from "./repeated.ts";

/** The warehouse whose rows are read into tables of the connection's database. */
export type Source = {
  readonly connection: DuckDBConnection;
  readonly warehouse: Warehouse;
  /** The greatest transaction year that is accepted. */
  readonly nextYear: number;
  readonly progress: Progress;
};

/** Counts of the warehouse's rows, and the totals of the accepted ones. */
export type Ingested = Awaited<ReturnType<typeof countIngested>>;

/**
 * Reads the warehouse into the table `grants`: EINs as integers, amounts as DECIMAL(18,2), created_at as TIMESTAMP in UTC, ordered by
 * funder and then in result order; with the recipients' places if the warehouse has states. Counts repeated grants in the table `repeated`, and lists the returns
 * that grants are from in `returns`. Writes the rejected rows, as they were read, to `rejects.parquet` in `folder`.
 * @throws InputError if every row is rejected, or the warehouse cannot be read or changes meanwhile
 */
export async function ingest(given: Source, folder: string): Promise<Ingested> {
  const { connection, progress } = given;
  const warehouse = await copyUnreadableTimes(connection, given.warehouse, resolve(`${folder}.times`));
  const source = { ...given, warehouse };
  await connection.run(stateTypeSql);
  const ingested = await readWhole(source, async () => {
    await progress.run("check rows", warehouse.rows, "rows", (onProgress) =>
      findDuplicates(source, onProgress),
    );
    await progress.run("order grants", warehouse.rows, "rows", (onProgress) =>
      followRows(connection, warehouse.rows, onProgress, () =>
        createTable(source, "grants", "ANTI JOIN duplicate_ids USING (id)", orderedRowsSql),
      ),
    );
    await findReturns(source);
    return countIngested(source, folder);
  });
  await progress.run("find repeats", ingested.accepted, "grants", () => findRepeated(connection));
  return ingested;
}

/** Reads the warehouse. If DuckDB cannot read it, the error names the file and the column. */
async function readWhole<Result>(
  { connection, warehouse }: Source,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await read();
    await checkUnchanged(warehouse);
    return result;
  } catch (error) {
    throw await diagnoseReadFailure(connection, warehouse, error, readColumns(warehouse));
  }
}

/** Makes the tables `duplicate_ids` and `duplicates` of ids that occur more than once. */
async function findDuplicates(source: Source, onProgress: OnProgress): Promise<void> {
  const { connection, warehouse } = source;
  const { from, values } = readParquetList(pathsOf(warehouse));
  await followRows(connection, warehouse.rows, onProgress, () =>
    connection.run(`CREATE TABLE duplicate_ids AS SELECT id FROM ${from} ${duplicateIdsSql}`, values),
  );
  await createTable(source, "duplicates", "SEMI JOIN duplicate_ids USING (id)", rankedSql);
}

/**
 * Creates a table from rows of the warehouse.
 * @param join SQL that leaves some of the rows @param sql selects from these, as `judged`
 */
async function createTable(
  { connection, warehouse, nextYear }: Source,
  table: string,
  join: string,
  sql: string,
): Promise<void> {
  const { from, values } = readParquetList(pathsOf(warehouse));
  const read = `${sourceSql(warehouse, from)} ${join}`;
  const judged = `source AS (${read}), judged AS (${normalizedSql(warehouse, nextYear)})`;
  await connection.run(`CREATE TABLE ${table} AS WITH ${judged} ${sql}`, values);
}

function sourceSql(warehouse: Warehouse, from: string): string {
  // A warehouse column of this name hides DuckDB's virtual column, and the row numbers are unknown.
  const isHidden = warehouse.unknownColumns.some((name) => name.toLowerCase() === "file_row_number");
  const row = isHidden ? "NULL::BIGINT" : "file_row_number";
  const file = `replace(${sourceFileColumn}, '${sqlText(warehouse.copies?.folder ?? "")}', '')`;
  return `SELECT ${warehouse.copies?.paths.size ? file : sourceFileColumn} AS source_file, ${row} AS source_row, ${readColumns(warehouse).join(", ")} FROM ${from} AS source`;
}

/**
 * Ids that more than one row has, rejected rows included. They are few, so the table `duplicates` has few rows: those of these ids,
 * which are read alone.
 */
const duplicateIdsSql = "WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1";

/** Rows of equal id, best first: the latest, then the greatest, column by column (null is smallest), then the first read. */
const rankedSql = `
SELECT *, CASE WHEN reason IS NULL THEN row_number() OVER (PARTITION BY id, reason IS NULL ORDER BY created_at DESC,
  ${recordFields.map((field) => `${field} DESC NULLS LAST`).join(", ")}, raw.source_file, raw.source_row) END AS place
FROM judged`;

const orderedColumns = [...recordFields, ...placeColumns, "recipient_listable", "recipient_ein_invalid"].join(
  ", ",
);

/**
 * The accepted rows in order, then the rejected ones with the row as read, so that the warehouse is read once. A list of one row is
 * narrow where it is null, which it is for nearly all rows; the row itself would be wide.
 */
const orderedRowsSql = `FROM (
  SELECT ${orderedColumns}, CASE WHEN reason IS NOT NULL THEN [{reason: reason, raw: raw}] END AS rejected FROM judged
  UNION ALL SELECT ${orderedColumns}, NULL FROM duplicates WHERE place = 1
) ORDER BY rejected IS NOT NULL, funder_ein, ${resultOrderSql}`;

/** A return has a block of ids, so one row for each return is enough. */
const returnsSql = (from: string) => `
SELECT id - id % ${idsPerReturn} AS first_id, min(irs_return) AS irs_return
FROM (SELECT try_cast(id AS BIGINT) AS id, irs_return FROM ${from})
WHERE irs_return IS NOT NULL AND id >= 0 GROUP BY first_id ORDER BY first_id`;

/** Makes the table `returns`: the first id of each return, and the text that names the return. It is empty for other warehouses. */
async function findReturns({ connection, warehouse }: Source): Promise<void> {
  await connection.run(`CREATE TABLE returns (first_id BIGINT, irs_return VARCHAR)`);
  if (warehouse.columns.irs_return === undefined) return;
  const { from, values } = readParquetList(pathsOf(warehouse));
  await connection.run(`INSERT INTO returns ${returnsSql(from)}`, values);
}

/**
 * Writes the rejected rows, and counts all (read = accepted + the sum of rejected). The `recipientEinInvalid` are accepted rows whose
 * recipient_ein was no EIN and became null.
 * @throws InputError if rows are missing, or all were rejected
 */
async function countIngested({ connection, warehouse }: Source, folder: string) {
  await connection.run(rejectsSql);
  const rejected = await writeRejects(connection, folder);
  await connection.run("DROP TABLE duplicate_ids");
  const recipientEinInvalid = await countRows(connection, "grants WHERE recipient_ein_invalid");
  await connection.run("ALTER TABLE grants DROP COLUMN recipient_ein_invalid");
  const accepted = await countRows(connection, "grants");
  const found = accepted + Object.values(rejected).reduce((sum, rows) => sum + rows, 0);
  const read = warehouse.rows;
  if (found !== read) {
    await checkUnchanged(warehouse);
    throw new InputError(
      `the warehouse changed while it was read: its files had ${read} rows, then ${found}`,
    );
  }
  if (accepted === 0) throw new InputError(everyRowRejected(read, rejected));
  return { read, accepted, rejected, recipientEinInvalid, totals: await readTotals(connection, "grants") };
}

/** Moves the rejected rows to the table `rejects`, and adds those of duplicate ids. */
const rejectsSql = `
CREATE TABLE rejects AS SELECT reason, raw.* FROM (
  SELECT rejected[1].reason AS reason, rejected[1].raw AS raw FROM grants WHERE rejected IS NOT NULL
);
INSERT INTO rejects SELECT coalesce(reason, 'duplicate_id'), raw.* FROM duplicates WHERE place IS DISTINCT FROM 1;
DELETE FROM grants WHERE rejected IS NOT NULL;
ALTER TABLE grants DROP COLUMN rejected;
DROP TABLE duplicates`;

/** Writes the table `rejects` to `rejects.parquet` in `folder`, and counts its rows by reason. */
async function writeRejects(
  connection: DuckDBConnection,
  folder: string,
): Promise<Record<RejectReason, number>> {
  const path = sqlText(join(folder, parts.rejects));
  const ordered = "SELECT * FROM rejects ORDER BY source_file, source_row";
  await connection.run(`COPY (${ordered}) TO '${path}' (FORMAT parquet)`);
  const counted = await connection.runAndReadAll(
    "SELECT reason, count(*)::DOUBLE FROM rejects GROUP BY reason",
  );
  const counts = new Map(counted.getRows().map(([reason, rows]) => [reason, Number(rows)]));
  const entries = rejectReasons.map((reason) => [reason, counts.get(reason) ?? 0]);
  return Object.fromEntries(entries) as Record<RejectReason, number>;
}

function everyRowRejected(read: number, rejected: Readonly<Record<RejectReason, number>>): string {
  const counts = rejectReasons
    .filter((reason) => rejected[reason] > 0)
    .map((reason) => `${reason} ${rejected[reason]}`);
  return `every row of the warehouse was rejected (${read} rows: ${counts.join(", ")}); expected at least one acceptable row`;
}
