// Finds the file and the column that DuckDB cannot read, after a sync failed to read the warehouse.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../../api-static/contract/record.ts";
import { InputError } from "../base/failure.ts";
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
  if (!isReadFailure(error, warehouse)) return error;
  try {
    const problem = await findUnreadable(connection, warehouse, fields);
    return problem === undefined ? error : new InputError(problem, { cause: error });
  } catch {
    return error; // the diagnosis failed too; the first failure says more
  }
}

/** True for DuckDB's errors about the contents of Parquet files, and for its input and output errors that name one of the warehouse's. */
function isReadFailure(error: unknown, { files }: Files): boolean {
  const message = error instanceof Error ? error.message : "";
  if (/^(Conversion|Invalid|Invalid Input) Error/.test(message)) return true;
  return message.startsWith("IO Error") && files.some(({ path }) => message.includes(`"${path}"`));
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
    const failed = await findFailingColumn(connection, warehouse, [path], fields);
    if (failed !== undefined)
      return `"${path}": column ${failed.column} cannot be read: ${describe(failed.message)}`;
  }
  const failed = await findFailingColumn(connection, warehouse, paths, fields);
  if (failed === undefined) return undefined;
  return `column ${failed.column} cannot be read: its types differ between files, and no single type holds all values (${failed.message})`;
}

/** The first known column that cannot be read from these files, with the first line of DuckDB's message. */
async function findFailingColumn(
  connection: DuckDBConnection,
  warehouse: Files,
  paths: readonly string[],
  fields: readonly string[],
): Promise<{ readonly column: string; readonly message: string } | undefined> {
  const { from, values } = readParquetList(paths);
  const result = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`, values);
  const known = new Set(result.getRows().map(([name]) => String(name).toLowerCase()));
  for (const column of fields.filter((field) => known.has(field))) {
    try {
      await connection.run(`SELECT count(hash(${column})) FROM ${from}`, values);
    } catch (error) {
      if (!isReadFailure(error, warehouse)) throw error;
      return { column, message: String(error instanceof Error ? error.message : error).replace(/\n.*/s, "") };
    }
  }
  return undefined;
}

function describe(message: string): string {
  if (/utf-?8/i.test(message)) return "it has text that is not valid UTF-8";
  return `the file is damaged (${message}); copy it again`;
}
