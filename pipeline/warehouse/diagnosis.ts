// Owns the search for what cannot be read when a sync failed on the way: which file, which column.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../../api-static/contract/record.ts";
import { InputError } from "../failure.ts";
import { readParquetList, type Warehouse } from "./warehouse.ts";

/**
 * Reads every known column of every file on its own, then of all files together.
 * @throws InputError that names the first file and column whose values cannot be read; returns when all can
 */
export async function checkReadable(connection: DuckDBConnection, warehouse: Warehouse): Promise<void> {
  const paths = warehouse.files.map(({ path }) => path);
  for (const path of paths) {
    await checkFiles(connection, [path], `"${path}": values`, describe);
  }
  await checkFiles(
    connection,
    paths,
    "values",
    (error) => `types that hold those of every file were expected (${firstLine(error)})`,
  );
}

async function checkFiles(
  connection: DuckDBConnection,
  paths: readonly string[],
  what: string,
  explain: (error: unknown) => string,
): Promise<void> {
  const { from, values } = readParquetList(paths);
  for (const column of await findColumns(connection, paths)) {
    try {
      await connection.run(`SELECT count(hash(${column})) FROM ${from}`, values);
    } catch (error) {
      throw new InputError(`${what} of column ${column} cannot be read: ${explain(error)}`, { cause: error });
    }
  }
}

/** The known columns that the files carry. */
async function findColumns(connection: DuckDBConnection, paths: readonly string[]): Promise<string[]> {
  const { from, values } = readParquetList(paths);
  const result = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`, values);
  const found = new Set(result.getRows().map(([name]) => String(name).toLowerCase()));
  return recordFields.filter((field) => found.has(field));
}

function describe(error: unknown): string {
  const message = firstLine(error);
  if (/utf-?8/i.test(message)) return "valid UTF-8 was expected";
  return `whole Parquet data was expected (${message})`;
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/\n.*/s, "");
}
