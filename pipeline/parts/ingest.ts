// Reads the warehouse's rows into tables: normalized, checked, unique.
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { recordFields, resultOrderSql } from "../../api-static/contract/record.ts";
import { type RejectReason, rejectReasons } from "../../api-static/contract/rejects.ts";
import { followRows } from "../base/database.ts";
import { DamagedError, InputError } from "../base/failure.ts";
import { allEnded } from "../base/parallel.ts";
import type { OnProgress, Progress } from "../base/progress.ts";
import { addTotals, funderTotalsSql, type Totals } from "../releases/totals.ts";
import { diagnoseReadFailure } from "../warehouse/diagnosis.ts";
import { normalizedSql } from "../warehouse/normalize.ts";
import { checkUnchanged, readParquetList, sourceFileColumn, type Warehouse } from "../warehouse/warehouse.ts";
import { attachBefore, checkIndexSeal, detachBefore } from "./index/keptKeys.ts";
import type { SealedRelease } from "./records/mergedRecords.ts";
import { writeRejects } from "./rejects.ts";
import { findFreshFunders, sourceHashSql } from "./sourceSums.ts";

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
  readonly read: number;
  readonly accepted: number;
  readonly rejected: Readonly<Record<RejectReason, number>>;
  /** Accepted rows with a recipient_ein that is not an EIN; it became null. */
  readonly recipientEinInvalid: number;
  readonly totals: Totals;
  /**
   * EINs of the funders that are not known to have the rows of the previous release: the table `grants` has theirs alone, and the
   * previous index is attached as `before`. Undefined if the table has all grants.
   */
  readonly fresh: readonly number[] | undefined;
};

/**
 * Reads the warehouse into the table `grants`: EINs as integers, amounts as DECIMAL(18,2), created_at as TIMESTAMP in UTC, ordered by
 * funder and then in result order. Makes the table `funder_totals` of all funders, and writes the rejected rows, as they were read, to
 * `rejects.parquet` in `folder`.
 * @param before the release whose records of unchanged funders are kept; undefined to read all grants
 * @throws InputError if every row is rejected, or the warehouse cannot be read or changes meanwhile; DamagedError if the index of the
 * previous release is damaged
 */
export function ingest(source: Source, folder: string, before?: SealedRelease): Promise<Ingested> {
  const { warehouse, progress } = source;
  return readWhole(source, async () => {
    const fresh = await progress.run("check rows", warehouse.rows, "rows", async (onProgress) => {
      await allEnded(findRepeats(source, onProgress), before ? checkIndexSeal(before) : Promise.resolve());
      return before && findFresh(source, before, onProgress);
    });
    await progress.run("order grants", warehouse.rows, "rows", (onProgress) =>
      createTable(source, "grants", orderedRowsSql(source, fresh !== undefined), {
        rows: unrepeated,
        chosen: fresh && freshRowsSql,
        onProgress,
      }),
    );
    return countIngested(source, folder, fresh);
  });
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

/** Makes the tables `repeated`, `repeats` and `ranked` of ids that occur more than once. */
async function findRepeats(source: Source, onProgress: OnProgress): Promise<void> {
  const { connection, warehouse } = source;
  const { from, values } = readParquetList(pathsOf(warehouse));
  await followRows(connection, warehouse.rows, onProgress, () =>
    connection.run(`CREATE TABLE repeated AS SELECT id FROM ${from} ${repeatedSql}`, values),
  );
  await createTable(source, "repeats", "FROM judged", { rows: "SEMI JOIN repeated USING (id)" });
  await connection.run(`CREATE TABLE ranked AS ${rankedSql}`);
}

/** Attaches the previous index and finds the funders that changed since; detaches it if they have most of the rows. */
async function findFresh(
  { connection, warehouse, nextYear }: Source,
  before: SealedRelease,
  onProgress: OnProgress,
): Promise<number[] | undefined> {
  await attachBefore(connection, before);
  const { from, values } = readParquetList(pathsOf(warehouse));
  const rows = `${sourceSql(warehouse, from)} ${unrepeated}`;
  const fresh = await followRows(connection, warehouse.rows, onProgress, () =>
    findFreshFunders(connection, warehouse, nextYear, { sql: rows, values }),
  );
  if (fresh === undefined) await detachBefore(connection);
  return fresh;
}

type ReadOptions = {
  /** SQL of a join that leaves some of the warehouse's rows. */
  readonly rows: string;
  /** SQL of a condition on those that are normalized, as in `normalizedSql`. */
  readonly chosen?: string | undefined;
  readonly onProgress?: OnProgress;
};

/** Creates a table from rows of the warehouse, as the statement `sql` selects them from `judged`. */
async function createTable(
  { connection, warehouse, nextYear }: Source,
  table: string,
  sql: string,
  { rows, chosen, onProgress = () => {} }: ReadOptions,
): Promise<void> {
  const { from, values } = readParquetList(pathsOf(warehouse));
  const normalized = normalizedSql(warehouse.columns, nextYear, chosen);
  const judged = `source AS (${sourceSql(warehouse, from)} ${rows}), judged AS (${normalized})`;
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

const ofFresh = "funder_ein IN (SELECT funder_ein FROM fresh)";

/** The rows that a night reads: those of funders that changed, and the rejected ones of all. */
const freshRowsSql = `reason IS NOT NULL OR ${ofFresh}`;

/**
 * The accepted rows in order, then the rejected ones with the row as read, so that the warehouse is read once. A list of one row is
 * narrow where it is null, which it is for nearly all rows; the row itself would be wide.
 */
function orderedRowsSql({ warehouse, nextYear }: Source, isKeeping: boolean): string {
  const columns = `${recordFields.join(", ")}, recipient_ein_invalid, ${sourceHashSql(warehouse, nextYear, "raw")} AS source_hash`;
  return `FROM (
  SELECT ${columns}, CASE WHEN reason IS NOT NULL THEN [{reason: reason, raw: raw}] END AS rejected FROM judged
  UNION ALL SELECT ${columns}, NULL FROM ranked WHERE place = 1 ${isKeeping ? `AND ${ofFresh}` : ""}
) ORDER BY rejected IS NOT NULL, funder_ein, ${resultOrderSql}`;
}

/** Moves what is known of rows as they were read out of `grants`, into a row for each funder. */
const sourceTotalsSql = `
CREATE TABLE source_totals AS
  SELECT funder_ein, sum(source_hash) AS source_hashes,
    count(*) FILTER (rejected IS NULL AND recipient_ein_invalid)::UINTEGER AS recipient_eins_invalid
  FROM grants GROUP BY funder_ein;
ALTER TABLE grants DROP COLUMN source_hash;
ALTER TABLE grants DROP COLUMN recipient_ein_invalid`;

const funderTotalsTableSql = (isKeeping: boolean) => `
CREATE TABLE funder_totals AS
  FROM (
    FROM (${funderTotalsSql("grants")}) JOIN source_totals USING (funder_ein)
    ${isKeeping ? "UNION ALL BY NAME FROM before.funder_totals SEMI JOIN unchanged USING (funder_ein)" : ""}
  ) ORDER BY funder_ein`;

/** SQL of the recipient, the year and the cents of every accepted grant. */
export function acceptedSql(isKeeping: boolean): string {
  const fresh = `SELECT recipient_ein, transaction_year, ${centsSql("amount")} AS amount_cents FROM grants`;
  const kept =
    "SELECT recipient_ein, transaction_year, amount_cents FROM before.by_funder SEMI JOIN unchanged USING (funder_ein)";
  return isKeeping ? `(${fresh} UNION ALL ${kept})` : `(${fresh})`;
}

/** Writes the rejected rows and counts all of them. */
async function countIngested(
  { connection, warehouse }: Source,
  folder: string,
  fresh: readonly number[] | undefined,
): Promise<Ingested> {
  const isKeeping = fresh !== undefined;
  await connection.run(sourceTotalsSql);
  const rejected = await writeRejects(connection, folder);
  await connection.run(funderTotalsTableSql(isKeeping));
  await connection.run("DROP TABLE source_totals; DROP TABLE repeated; DROP TABLE ranked");
  const counts = await connection.runAndReadAll(
    "SELECT coalesce(sum(records), 0)::DOUBLE, coalesce(sum(recipient_eins_invalid), 0)::DOUBLE FROM funder_totals",
  );
  const [accepted = 0, recipientEinInvalid = 0] = (counts.getRows()[0] ?? []).map(Number);
  const read = warehouse.rows;
  const found = accepted + Object.values(rejected).reduce((sum, rows) => sum + rows, 0);
  if (found !== read) {
    await checkUnchanged(warehouse);
    throw changedError(read, found, isKeeping);
  }
  if (accepted === 0) throw new InputError(everyRowRejected(read, rejected));
  const totals = await addTotals(connection, acceptedSql(isKeeping));
  return { read, accepted, rejected, recipientEinInvalid, totals, fresh };
}

/** The error if other rows were found than the files have: the previous release may be to blame if its records were kept. */
function changedError(read: number, found: number, isKeeping: boolean): InputError {
  const message = `the warehouse changed while it was read: its files had ${read} rows, then ${found}`;
  return isKeeping
    ? new DamagedError(`${message}; or the totals of the current release are damaged`)
    : new InputError(message);
}

function everyRowRejected(read: number, rejected: Readonly<Record<RejectReason, number>>): string {
  const counts = rejectReasons
    .filter((reason) => rejected[reason] > 0)
    .map((reason) => `${reason} ${rejected[reason]}`);
  return `every row of the warehouse was rejected (${read} rows: ${counts.join(", ")}); expected at least one acceptable row`;
}
