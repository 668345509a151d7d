// Writes the rows of a query as Parquet.
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { flushPath } from "../base/files.ts";

/**
 * Snappy takes a third less time than zstd, and any program reads it. DuckDB holds a row group in memory, so it has half of the
 * usual rows. The metadata names the writer of the file. Files have drafts of our own: over a draft of a run that was killed, DuckDB
 * would write another one first, under a name that the next run does not know.
 */
const options =
  "FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 61440, KV_METADATA {made_by: 'make warehouse'}, USE_TMP_FILE false";

/**
 * Writes the file and waits until it is on the disk. The same rows give the same bytes if the query orders them.
 * @param values of the query
 * @returns the number of rows
 */
export async function writeParquet(
  connection: DuckDBConnection,
  target: string,
  query: string,
  values: Record<string, DuckDBValue>,
): Promise<number> {
  await connection.run("SET VARIABLE target = $target", { target });
  const { rowsChanged } = await connection.run(
    `COPY (${query}) TO (getvariable('target')) (${options})`,
    values,
  );
  await flushPath(target);
  return rowsChanged;
}
