// Finds the file and the column that DuckDB cannot read, after a sync failed to read the warehouse.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../../api-static/contract/answers/record.ts";
import { InputError } from "../base/failure.ts";
import { explainUnreadable, firstLine, isReadFailure } from "./unreadable.ts";
import { readParquetList, type Warehouse } from "./warehouse.ts";

type Files = Pick<Warehouse, "files">;

/**
 * Returns the error to report when reading the warehouse failed with `error`: an InputError that names the file and the column
 * and has `error` as its cause, or `error` itself.
 *
 * Only a failure of DuckDB to read the files is diagnosed, because that reads the whole warehouse again. A full disk or a lack of
 * memory says nothing about the files.
 * @param fields the columns that were read
 */
export async function diagnoseReadFailure(
  connection: DuckDBConnection,
  warehouse: Files,
  error: unknown,
  fields: readonly string[] = recordFields,
): Promise<unknown> {
  const paths = warehouse.files.map(({ path }) => path);
  if (!isReadFailure(error, paths)) return error;
  try {
    const problem = await findUnreadable(connection, warehouse, fields);
    return problem === undefined ? error : new InputError(problem, { cause: error });
  } catch {
    return error; // the diagnosis failed too; the first failure says more
  }
}

/**
 * Reads every known column of each file, then of all files in one query.
 * @returns a sentence that names the first column that cannot be read, and its file; undefined if all can be read
 */
export async function findUnreadable(
  connection: DuckDBConnection,
  warehouse: Files,
  fields: readonly string[] = recordFields,
): Promise<string | undefined> {
  const paths = warehouse.files.map(({ path }) => path);
  for (const path of paths) {
    const failed = await findFailingColumn(connection, [path], fields);
    if (failed !== undefined)
      return `"${path}": column ${failed.column} cannot be read: ${explainUnreadable(failed.error)}`;
  }
  const failed = await findFailingColumn(connection, paths, fields);
  if (failed === undefined) return undefined;
  return `column ${failed.column} cannot be read: its types differ between files, and no single type holds all values (${firstLine(failed.error)})`;
}

/** The first known column that cannot be read from these files, with DuckDB's error. */
async function findFailingColumn(
  connection: DuckDBConnection,
  paths: readonly string[],
  fields: readonly string[],
): Promise<{ readonly column: string; readonly error: unknown } | undefined> {
  const { from, values } = readParquetList(paths);
  const described = await connection.runAndReadAll(`SELECT * FROM ${from} LIMIT 0`, values);
  const known = new Set(described.columnNames().map((name) => name.toLowerCase()));
  for (const column of fields.filter((field) => known.has(field))) {
    try {
      await connection.run(`SELECT count(hash(${column})) FROM ${from}`, values);
    } catch (error) {
      if (!isReadFailure(error, paths)) throw error;
      return { column, error };
    }
  }
  return undefined;
}
