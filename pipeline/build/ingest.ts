// Reads the warehouse's rows into tables: normalized, checked, unique.
import { type DuckDBConnection, LIST, listValue, UINTEGER } from "@duckdb/node-api";
import {
  nullableFields,
  type RecordField,
  recordFields,
  resultOrderSql,
} from "../../api-static/contract/record.ts";
import { type RejectReason, rejectReasons } from "../../api-static/contract/rejects.ts";
import { followRows } from "../database.ts";
import { InputError } from "../failure.ts";
import type { OnProgress, Progress } from "../progress.ts";
import { recordHashSql } from "../releases/funderDigests.ts";
import { type AcceptedTable, type Totals, totalsSql } from "../releases/totals.ts";
import { diagnoseReadFailure } from "../warehouse/diagnosis.ts";
import { funderEinSql, normalizedSql } from "../warehouse/normalize.ts";
import { checkUnchanged, readParquetList, sourceFileColumn, type Warehouse } from "../warehouse/warehouse.ts";
import { writeRejects } from "./rejects.ts";

/** The warehouse whose rows are read into tables of the connection's database. */
export type Source = {
  readonly connection: DuckDBConnection;
  readonly warehouse: Warehouse;
  /** The greatest transaction year that is accepted. */
  readonly nextYear: number;
  readonly progress: Progress;
};

/** Counts of the warehouse's rows (read = accepted + the sum of rejected), and the totals of the accepted ones. */
export type Ingested = {
  /** The table that was made. */
  readonly table: AcceptedTable;
  readonly read: number;
  readonly accepted: number;
  readonly rejected: Readonly<Record<RejectReason, number>>;
  /** Accepted rows with a recipient_ein that is not an EIN; it became null. */
  readonly recipientEinInvalid: number;
  readonly totals: Totals;
};

/**
 * Reads all rows of the warehouse and writes the rejected ones, as they were read, to `rejects.parquet` in `folder`.
 * @param table `grants` to order all grants at once; `accepted` to learn which funders changed before their grants are ordered
 * @throws InputError if every row is rejected, or the warehouse cannot be read or changes meanwhile
 */
export function ingest(source: Source, folder: string, table: AcceptedTable): Promise<Ingested> {
  const { connection, warehouse, progress } = source;
  return readWhole(source, async () => {
    await progress.run("check rows", warehouse.rows, "rows", async (onProgress) => {
      const { from, values } = readParquetList(pathsOf(warehouse));
      await followRows(connection, warehouse.rows, onProgress, () =>
        connection.run(`CREATE TABLE repeated AS SELECT id FROM ${from} ${repeatedSql}`, values),
      );
      await createTable(source, "repeats", "SEMI JOIN repeated USING (id)", "FROM judged");
      await connection.run(`CREATE TABLE ranked AS ${rankedSql}`);
      if (table === "accepted")
        await createTable(source, table, unrepeated, judgedRowsSql(narrowColumns), onProgress);
    });
    if (table === "grants")
      await progress.run("order grants", warehouse.rows, "rows", (onProgress) =>
        createTable(source, table, unrepeated, orderedRowsSql, onProgress),
      );
    const ingested = await countIngested(source, folder, table);
    if (table === "grants") await connection.run(dropRepeatsSql);
    return ingested;
  });
}

/**
 * Reads the grants of some funders, or all, into the table `grants`: EINs as integers, amounts as DECIMAL(18,2), created_at as
 * TIMESTAMP in UTC, ordered by funder and then in result order. The table `accepted` is dropped.
 * @param records the number of these grants
 * @param funders their EINs; undefined for all
 * @throws InputError if the warehouse cannot be read or changes meanwhile
 */
export async function orderGrants(
  source: Source,
  records: number,
  funders?: readonly number[],
): Promise<void> {
  const { connection, warehouse, progress } = source;
  await connection.run("DROP TABLE accepted"); // the sort needs its memory
  const eins = { eins: listValue([...(funders ?? [])]) };
  await connection.run("CREATE TABLE wanted AS SELECT unnest($eins) AS funder_ein", eins, {
    eins: LIST(UINTEGER),
  });
  // Rows are chosen before they are normalized, which takes longer than reading them.
  const [chosen, isChosen] =
    funders === undefined
      ? ["", "true"]
      : [
          `SEMI JOIN wanted ON wanted.funder_ein = ${funderEinSql(warehouse.columns)}`,
          "funder_ein IN (FROM wanted)",
        ];
  const sql = `SELECT ${columns} FROM (${judgedRowsSql(columns)}) WHERE rejected IS NULL AND ${isChosen} ORDER BY ${orderSql}`;
  await readWhole(source, () =>
    progress.run("order grants", records, "grants", async (onProgress) => {
      await createTable(source, "grants", `${unrepeated} ${chosen}`, sql, onProgress);
      const found = await readCount(connection, "SELECT count(*) FROM grants");
      if (found !== records) throw changedError(`had ${records} grants to order`, found);
    }),
  );
  await connection.run(`DROP TABLE wanted; ${dropRepeatsSql}`);
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
    throw await diagnoseReadFailure(connection, warehouse, error);
  }
}

/** Creates a table from the warehouse's rows that a filter leaves, as the statement `sql` selects them from `judged`. */
async function createTable(
  { connection, warehouse, nextYear }: Source,
  table: string,
  filter: string,
  sql: string,
  onProgress: OnProgress = () => {},
): Promise<void> {
  const { from, values } = readParquetList(pathsOf(warehouse));
  const judged = `source AS (${sourceSql(warehouse, from)} ${filter}), judged AS (${normalizedSql(warehouse.columns, nextYear)})`;
  await followRows(connection, warehouse.rows, onProgress, () =>
    connection.run(`CREATE TABLE ${table} AS WITH ${judged} ${sql}`, values),
  );
}

function pathsOf({ files }: Warehouse): string[] {
  return files.map(({ path }) => path);
}

function sourceSql(warehouse: Warehouse, from: string): string {
  const present = recordFields.filter((field) => warehouse.columns[field] !== undefined);
  // A warehouse column of this name hides DuckDB's virtual column, and the row numbers are unknown.
  const isHidden = warehouse.unknownColumns.some((name) => name.toLowerCase() === "file_row_number");
  const row = isHidden ? "NULL::BIGINT" : "file_row_number";
  return `SELECT ${sourceFileColumn} AS source_file, ${row} AS source_row, ${present.join(", ")} FROM ${from} AS source`;
}

/**
 * Ids that more than one row has, rejected rows included. They are few, so the table `repeats` has few rows: those of these ids,
 * which are read alone.
 */
const repeatedSql = "WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1";

const unrepeated = "ANTI JOIN repeated USING (id)";

/** Rows of equal id, best first: the latest, then the greatest, column by column (null is smallest), then the first read. */
const rankedSql = `
SELECT *, row_number() OVER (PARTITION BY id ORDER BY created_at DESC,
  ${recordFields.map((field) => `${field} DESC NULLS LAST`).join(", ")}, raw.source_file, raw.source_row) AS place
FROM repeats
WHERE reason IS NULL`;

const dropRepeatsSql = "DROP TABLE repeated; DROP TABLE ranked";

const columns = recordFields.join(", ");

/** Of these fields, totals count the nulls, and nothing else of texts. */
const texts = new Set<RecordField>(nullableFields).difference(new Set(["recipient_ein", "non_cash_amount"]));

const narrowColumns = [
  ...recordFields.map((field) => (texts.has(field) ? `${field} IS NOT NULL OR NULL AS ${field}` : field)),
  `${recordHashSql} AS record_hash`,
].join(", ");

/**
 * The accepted rows, and the rejected ones with the row as read, so that the warehouse is read once. A list of one row is narrow where
 * it is null, which it is for nearly all rows; the row itself would be wide.
 */
const judgedRowsSql = (selected: string) => `
SELECT ${selected}, recipient_ein_invalid, CASE WHEN reason IS NOT NULL THEN [{reason: reason, raw: raw}] END AS rejected
FROM judged
UNION ALL
SELECT ${selected}, recipient_ein_invalid, NULL FROM ranked WHERE place = 1`;

const orderSql = `funder_ein, ${resultOrderSql}`;

const orderedRowsSql = `FROM (${judgedRowsSql(columns)}) ORDER BY rejected IS NOT NULL, ${orderSql}`;

/** Writes the rejected rows and counts all of them. */
async function countIngested(
  { connection, warehouse }: Source,
  folder: string,
  table: AcceptedTable,
): Promise<Ingested> {
  const rejected = await writeRejects(connection, folder, table);
  const read = warehouse.rows;
  const accepted = await readCount(connection, `SELECT count(*) FROM ${table}`);
  const found = accepted + Object.values(rejected).reduce((sum, rows) => sum + rows, 0);
  if (found !== read) throw changedError(`its files had ${read} rows`, found);
  if (accepted === 0) throw new InputError(everyRowRejected(read, rejected));
  const recipientEinInvalid = await readCount(
    connection,
    `SELECT count(*) FROM ${table} WHERE recipient_ein_invalid`,
  );
  await connection.run(`ALTER TABLE ${table} DROP COLUMN recipient_ein_invalid`);
  const totals = (await connection.runAndReadAll(`SELECT ${totalsSql} FROM ${table}`)).getRowObjectsJson()[0];
  return { table, read, accepted, rejected, recipientEinInvalid, totals: totals as unknown as Totals };
}

function changedError(before: string, found: number): InputError {
  return new InputError(`the warehouse changed while it was read: ${before}, then ${found}`);
}

async function readCount(connection: DuckDBConnection, sql: string): Promise<number> {
  const result = await connection.runAndReadAll(sql);
  return Number(result.getRows()[0]?.[0]);
}

function everyRowRejected(read: number, rejected: Readonly<Record<RejectReason, number>>): string {
  const counts = rejectReasons
    .filter((reason) => rejected[reason] > 0)
    .map((reason) => `${reason} ${rejected[reason]}`);
  return `every row of the warehouse was rejected (${read} rows: ${counts.join(", ")}); expected at least one acceptable row`;
}
