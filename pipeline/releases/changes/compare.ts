// Compares the records of two releases, and writes what differs as lines and as Parquet.
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type RecordField, recordFields } from "../../../api-static/contract/answers/record.ts";
import { Records, readFully } from "../../../api-static/release/records.ts";
import { type DatabaseSettings, literalPath, sqlText, withDatabase } from "../../base/database.ts";
import { compareFunders, type FunderStep, findChange } from "../comparison.ts";
import { findLineBuffer, linesSql, parquetFieldSql, recordRowsSql } from "../recordRows.ts";
import type { ReleaseTables } from "../tables.ts";

/** Numbers of records. */
export type RecordChanges = { readonly added: number; readonly changed: number; readonly removed: number };

/** Where the changes are written. */
export type ComparedFiles = { readonly ndjson: string; readonly parquet: string };

/** Bytes copied at a time. */
const chunkBytes = 2 ** 20;

/**
 * Compares two releases, and writes the changes: first the records that were added or changed, in the order of the newer release, then
 * those that were removed, by id. Only lines of funders that differ are read. Keeps about 50 bytes per line of them, and spills beyond
 * `bounds`.
 * @param work an empty folder for files of lines
 * @param changesMax number of changes beyond which no file is written
 */
export async function compareRecords(
  before: ReleaseTables,
  after: ReleaseTables,
  { bounds, work, changesMax }: { bounds: DatabaseSettings; work: string; changesMax: number },
): Promise<{ counts: RecordChanges; files: ComparedFiles | undefined }> {
  const sides = { before, after };
  return withDatabase(bounds, async ({ connection }) => {
    const lines = { before: "", after: "" };
    const paths = { before: "", after: "" };
    for (const side of ["before", "after"] as const) {
      const { folder } = sides[side];
      const copy = join(work, side);
      copyLines(folder, findSpans(compareFunders(after, before), side), copy);
      lines[side] = linesSql(side, await findLineBuffer(folder));
      paths[side] = literalPath(copy);
      const sql = `CREATE TABLE ${side} AS SELECT ${idSql} AS id, hash(line) AS digest FROM ${lines[side]}`;
      await connection.run(sql, { [side]: paths[side] });
    }
    await connection.run(differencesSql);
    const counts = await countChanges(connection);
    const isWritten = counts.added + counts.changed + counts.removed <= changesMax;
    if (!isWritten) return { counts, files: undefined };
    const files = { ndjson: join(work, "ndjson"), parquet: join(work, "parquet") };
    await connection.run(`CREATE TABLE changes AS ${changesSql(lines)}`, paths);
    await connection.run(copyNdjsonSql(files.ndjson));
    await connection.run(copyParquetSql(files.parquet));
    return { counts, files };
  });
}

/** The records from one position to another, exclusive. */
type Span = { readonly from: number; to: number };

/** The records of funders that differ. Neighbors make one span. */
function* findSpans(steps: Iterable<FunderStep>, side: "before" | "after"): Generator<Span> {
  let span: Span | undefined;
  for (const step of steps) {
    const funder = findChange(step) === "same" ? undefined : step[side];
    if (funder === undefined) continue;
    const to = funder.first + funder.records;
    if (span?.to === funder.first) span.to = to;
    else {
      if (span !== undefined) yield span;
      span = { from: funder.first, to };
    }
  }
  if (span !== undefined) yield span;
}

/** Copies lines of `records` to a file. */
function copyLines(folder: string, spans: Iterable<Span>, path: string): void {
  const records = Records.open(folder);
  const copy = openSync(path, "w");
  const chunk = Buffer.allocUnsafe(chunkBytes);
  try {
    for (const { from, to } of spans) {
      const end = records.readEnd(to);
      for (let at = records.readEnd(from); at < end; at += chunkBytes)
        writeFileSync(copy, readFully(records.files.records, at, Math.min(chunkBytes, end - at), chunk));
    }
  } finally {
    closeSync(copy);
    records.close();
  }
}

/** SQL of the id of a line: every record starts with it. */
const idSql = `regexp_extract(line, '^\\{"id":(-?\\d+),', 1)::BIGINT`;

/** A record is known by its id: one that another funder has now was changed. The rowid of `after` is the place in the new release. */
const differencesSql = `
CREATE TABLE differences AS SELECT coalesce(new.id, old.id) AS id, new.place,
  CASE WHEN old.id IS NULL THEN 'added' WHEN new.id IS NULL THEN 'removed' ELSE 'changed' END AS change
FROM (SELECT *, rowid AS place FROM after) AS new FULL JOIN before AS old ON new.id = old.id
WHERE new.digest IS DISTINCT FROM old.digest;
DROP TABLE before;
DROP TABLE after`;

async function countChanges(connection: DuckDBConnection): Promise<RecordChanges> {
  const kinds = ["added", "changed", "removed"].map((kind) => `count(*) FILTER (change = '${kind}')::DOUBLE`);
  const [row] = (await connection.runAndReadAll(`SELECT ${kinds.join(", ")} FROM differences`)).getRows();
  const [added = 0, changed = 0, removed = 0] = (row ?? []).map(Number);
  return { added, changed, removed };
}

const differingSql = (lines: string, condition: string) =>
  `SELECT change, place, line FROM (SELECT line, ${idSql} AS id FROM ${lines}) JOIN differences USING (id) WHERE ${condition}`;

/** The lines that differ: the new line of a record, or the last one of a removed record. */
const changesSql = (lines: { before: string; after: string }) => `
${differingSql(lines.after, "place IS NOT NULL")} UNION ALL ${differingSql(lines.before, "place IS NULL")}`;

/** Fields of a removed record that a follower needs, and those by which it may be found. */
const keys: readonly RecordField[] = ["id", "funder_ein", "recipient_ein", "transaction_year"];

const orderSql = (id: string) => `ORDER BY place NULLS LAST, ${id}`;

/** SQL of a line without its comma. */
const objectSql = "line[:-2]";

const copyNdjsonSql = (path: string) => `
COPY (SELECT CASE WHEN place IS NULL
  THEN concat('{"op":"delete"', ${keys.map((key) => `',"${key}":', json_extract(${objectSql}, '$.${key}')`).join(", ")}, '}')
  ELSE concat('{"op":"upsert","change":"', change, '","record":', ${objectSql}, '}') END
  FROM changes ${orderSql(idSql)}) TO '${sqlText(path)}' (FORMAT csv, HEADER false, DELIMITER '\u0001', QUOTE '', ESCAPE '')`;

const columnSql = (field: RecordField) => {
  const sql = parquetFieldSql[field] ?? field;
  return `${keys.includes(field) ? sql : `CASE WHEN place IS NOT NULL THEN ${sql} END`} AS ${field}`;
};

const copyParquetSql = (path: string) => `
COPY (SELECT CASE WHEN place IS NULL THEN 'delete' ELSE 'upsert' END AS op,
  CASE WHEN place IS NOT NULL THEN change END AS change, ${recordFields.map(columnSql).join(", ")}
  FROM (${recordRowsSql("changes")}) ${orderSql("id")}) TO '${sqlText(path)}' (FORMAT parquet, COMPRESSION zstd)`;
