// Checks the warehouse before a sync reads its rows: its files exist, are complete, and have the required columns.

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type DuckDBBlobValue,
  type DuckDBConnection,
  type DuckDBListValue,
  listValue,
} from "@duckdb/node-api";
import { checkCeiling } from "../base/ceilings.ts";
import { literalPath, openDatabase } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { isSystemFailure } from "../base/systemFailures.ts";
import {
  type FileColumn,
  type FileSchema,
  grantContract,
  type ResolvedColumns,
  resolveColumns,
} from "./columns.ts";
import { findFiles, formatPaths } from "./files.ts";
import { type Fingerprint, fingerprintFiles } from "./fingerprint.ts";
import type { GrantColumn } from "./normalize.ts";
import { explainUnreadable, firstLine } from "./unreadable.ts";

/**
 * `path` is absolute, or in a manifest the address of an object in a bucket, which has an ETag too; `rows` is the number in the
 * file's footer.
 */
export type WarehouseFile = Fingerprint & {
  readonly path: string;
  readonly rows: number;
  readonly etag?: string;
};

export type Warehouse = Omit<ResolvedColumns<GrantColumn>, "problems"> & {
  /** Sorted by path (code units), at least one. */
  readonly files: readonly WarehouseFile[];
  /** The sum over all footers, at least one. */
  readonly rows: number;
  /** True if a file marks itself as made up. */
  readonly isSynthetic: boolean;
  /** The files that are read from a copy, at their own path below `folder`. */
  readonly copies?: { readonly folder: string; readonly paths: ReadonlySet<string> };
};

/** The paths to read the rows from. */
export function pathsOf({ files, copies }: Pick<Warehouse, "files" | "copies">): string[] {
  return files.map(({ path }) => (copies?.paths.has(path) ? join(copies.folder, path) : path));
}

/** The added column with the file of each row. DuckDB fails if the warehouse has a column of that name. */
export const sourceFileColumn = "warehouse_source_file";

/** Problems listed in one message; the others are counted. */
const maxProblemsShown = 10;

/**
 * Returns SQL that reads these files (at least one): `from` goes after FROM, and `values` are bound to the statement. Columns are
 * matched by name. `sourceFileColumn` has each row's path exactly as in `paths`. Works in SELECT, CREATE TABLE … AS, INSERT and
 * COPY, but not in a view, which takes no bound values.
 *
 *     const { from, values } = readParquetList(warehouse.files.map(({ path }) => path));
 *     await connection.run(`CREATE TABLE loaded AS SELECT * FROM ${from}`, values);
 */
export function readParquetList(paths: readonly string[]): {
  from: string;
  values: { files: DuckDBListValue };
} {
  const options = `union_by_name = true, hive_partitioning = false, filename = '${sourceFileColumn}'`;
  return { from: `read_parquet($files, ${options})`, values: { files: listPaths(paths) } };
}

function listPaths(paths: readonly string[]): DuckDBListValue {
  return listValue(paths.map(literalPath));
}

/**
 * Returns the warehouse that `source` names (a file, folder or glob; see `findFiles`). Reads the footer of every file.
 * @param except files that are not part of the warehouse
 * @throws InputError with all problems of the first kind found: files that are missing or not complete Parquet files; required columns that are
 * missing, and types that are not accepted or differ between files; no rows, or more than a release can hold
 */
export async function checkWarehouse(
  connection: DuckDBConnection,
  source: string,
  except: readonly string[] = [],
): Promise<Warehouse> {
  const paths = await findFiles(source, except);
  const fingerprints = await fingerprintFiles(paths);
  const unread = fingerprints.filter((fingerprint) => fingerprint instanceof InputError);
  checkProblems(
    source,
    unread.map(({ message }) => message),
  );
  const footers = await readFooters(connection, `WAREHOUSE "${source}"`, paths);
  const { problems, ...resolved } = resolveColumns(footers, grantContract);
  checkProblems(source, problems);
  const files = footers.map(({ path, rows }, index): WarehouseFile => {
    const fingerprint = fingerprints[index];
    if (fingerprint === undefined || fingerprint instanceof InputError) {
      throw new Error(`no fingerprint of ${path}`);
    }
    return { path, ...fingerprint, rows };
  });
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  checkProblems(source, rows === 0 ? [`no rows in ${formatPaths(paths)}; expected at least one`] : []);
  checkCeiling("rows", rows, `WAREHOUSE "${source}"`);
  return { files, rows, ...resolved, isSynthetic: await isMarked(connection, paths) };
}

/** True if a file has the key `synthetic` with the value `true` in its footer's metadata. */
async function isMarked(connection: DuckDBConnection, paths: readonly string[]): Promise<boolean> {
  const found = await connection.runAndReadAll(
    "SELECT count(*) > 0 FROM parquet_kv_metadata($files) WHERE key = 'synthetic'::BLOB AND value = 'true'::BLOB",
    { files: listPaths(paths) },
  );
  return found.getRows()[0]?.[0] === true;
}

/** @throws InputError that names each file that changed or vanished since `warehouse` was checked */
export async function checkUnchanged(warehouse: Pick<Warehouse, "files">): Promise<void> {
  const fingerprints = await fingerprintFiles(warehouse.files.map(({ path }) => path));
  const changes = warehouse.files.flatMap((before, index) => {
    const after = fingerprints[index];
    if (after instanceof InputError) return [after.message];
    const isSame = isDeepStrictEqual({ ...before, ...after }, before);
    const now = `${after?.bytes} bytes, modified at ${after?.modifiedAt}`;
    return isSame
      ? []
      : [`"${before.path}" had ${before.bytes} bytes, modified at ${before.modifiedAt}; now it has ${now}`];
  });
  if (changes.length > 0) {
    throw new InputError(`the warehouse changed while it was read: ${formatProblems(changes)}`);
  }
}

function checkProblems(source: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new InputError(`WAREHOUSE "${source}": ${formatProblems(problems)}`);
}

/** One sentence for one problem, a list for several. */
export function formatProblems(problems: readonly string[]): string {
  if (problems.length === 1) return problems.join();
  const others = problems.length - maxProblemsShown;
  const shown = problems.slice(0, maxProblemsShown).map((problem) => `\n  ${problem}`);
  return `${problems.length} problems${shown.join("")}${others > 0 ? `\n  and ${others} more` : ""}`;
}

type Footer = FileSchema & { readonly rows: number };

/**
 * The footers in the order of `paths`. If DuckDB fails, each file is read separately to name the damaged ones.
 * @param setting with its value, as the error shows it
 */
export async function readFooters(
  connection: DuckDBConnection,
  setting: string,
  paths: readonly string[],
): Promise<Footer[]> {
  try {
    return await queryFooters(connection, paths);
  } catch (cause) {
    const problems = await findDamage(paths);
    if (problems.length === 0) throw cause;
    throw new InputError(`${setting}: ${formatProblems(problems)}`, { cause });
  }
}

/** Why DuckDB cannot read the footers of some files. A separate database is used, because a damaged footer can make it unusable. */
async function findDamage(paths: readonly string[]): Promise<string[]> {
  const open = () => openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  const problems: string[] = [];
  let database = await open();
  for (const path of paths) {
    try {
      await queryFooters(database.connection, [path]);
    } catch (error) {
      const isDamage = !isSystemFailure(error) || /^Out of Memory/.test(firstLine(error)); // it may claim any size
      if (!isDamage) throw error;
      problems.push(`"${path}": its footer cannot be read: ${explainUnreadable(error)}`);
      closeDatabase(database);
      database = await open();
    }
  }
  closeDatabase(database);
  return problems;
}

function closeDatabase({ connection, instance }: Awaited<ReturnType<typeof openDatabase>>): void {
  connection.closeSync();
  instance.closeSync();
}

/** A file's schema is a tree in depth-first order, with its root first. */
const schemasSql = `
  SELECT
    file_name,
    encode(name), -- the client drops U+FEFF at the start of a text
    coalesce(num_children, 0) AS children,
    CASE
      WHEN repetition_type = 'REPEATED' THEN 'LIST'
      WHEN precision > 38 THEN format('DECIMAL({},{})', precision, scale) -- DuckDB reads it as DOUBLE, which is wrong
      WHEN duckdb_type IS NOT NULL THEN duckdb_type
      WHEN num_children > 0 THEN coalesce(converted_type, 'STRUCT')
      ELSE 'unknown'
    END AS type
  FROM parquet_schema($files)
  ORDER BY file_name, column_id`;

/** Not parquet_metadata: it also reads statistics, and those that DuckDB does not understand make the database unusable. */
const rowsSql = "SELECT file_name, num_rows FROM parquet_file_metadata($files)";

type SchemaNode = FileColumn & { readonly children: number };

async function queryFooters(connection: DuckDBConnection, paths: readonly string[]): Promise<Footer[]> {
  const files = listPaths(paths);
  const schemas = await connection.runAndReadAll(schemasSql, { files });
  const nodes = new Map<string, SchemaNode[]>(paths.map((path) => [path, []]));
  for (const [path, name, children, type] of schemas.getRows()) {
    nodes.get(String(path))?.push({
      name: Buffer.from((name as DuckDBBlobValue).bytes).toString(),
      children: Number(children),
      type: String(type),
    });
  }
  const counts = await connection.runAndReadAll(rowsSql, { files });
  const rows = new Map(counts.getRows().map(([path, count]) => [String(path), Number(count)]));
  // The files must also be readable in one query.
  const { from, values } = readParquetList(paths);
  await connection.run(`SELECT 1 FROM ${from} LIMIT 0`, values);
  return paths.map((path) => {
    const count = rows.get(path);
    if (count === undefined || !Number.isSafeInteger(count) || count < 0) {
      throw new Error(`its footer claims ${count} rows`);
    }
    return { path, rows: count, columns: findTopColumns(nodes.get(path) ?? []) };
  });
}

/** The columns of the root, without what is nested in them. */
function findTopColumns(nodes: readonly SchemaNode[]): FileColumn[] {
  const columns: FileColumn[] = [];
  let index = 1;
  while (index < nodes.length) {
    const node = nodes[index];
    if (node !== undefined) columns.push({ name: node.name, type: node.type });
    // The nodes still to come of this column: each takes its own place and adds its children.
    for (let pending = 1; pending > 0 && index < nodes.length; index += 1) {
      pending += (nodes[index]?.children ?? 0) - 1;
    }
  }
  return columns;
}
