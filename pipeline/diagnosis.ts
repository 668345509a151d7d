// Owns the search for what cannot be read when a sync failed on the way: which file, which column.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../api-static/record.ts";
import { InputError } from "./failure.ts";
import { readParquetList, type Warehouse } from "./warehouse.ts";

/**
 * Reads every known column of every file on its own.
 * @throws InputError that names the first file and column whose values cannot be read; returns when all can
 */
export async function checkReadable(connection: DuckDBConnection, warehouse: Warehouse): Promise<void> {
  for (const { path } of warehouse.files) {
    for (const column of await findColumns(connection, path)) {
      const { from, values } = readParquetList([path]);
      try {
        await connection.run(`SELECT count(hash(${column})) FROM ${from}`, values);
      } catch (error) {
        throw new InputError(`"${path}": values of column ${column} cannot be read: ${describe(error)}`, {
          cause: error,
        });
      }
    }
  }
}

/** The known columns that a file carries. */
async function findColumns(connection: DuckDBConnection, path: string): Promise<string[]> {
  const { from, values } = readParquetList([path]);
  const result = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`, values);
  const found = new Set(result.getRows().map(([name]) => String(name).toLowerCase()));
  return recordFields.filter((field) => found.has(field));
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/utf-?8/i.test(message)) return "valid UTF-8 was expected";
  return `whole Parquet data was expected (${message.split("\n")[0]})`;
}
