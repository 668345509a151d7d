// Builds an index in a folder from tables, without matches in `index.duckdb` and peers.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ReleaseFacts } from "../../../../api-static/release/facts.ts";
import {
  attachIndex,
  detachIndex,
  type IndexOptions,
  writeIndex,
} from "../../../../pipeline/parts/index/projections.ts";

/** Writes `index.duckdb` and `index.columns` into a folder. Without a table of listed organizations, none is listed. */
export async function buildIndex(
  connection: DuckDBConnection,
  folder: string,
  options: IndexOptions = {},
): Promise<ReleaseFacts["places"]> {
  await connection.run("CREATE TABLE IF NOT EXISTS listed (ein UINTEGER, state VARCHAR, cause VARCHAR)");
  await attachIndex(connection, folder);
  const { places } = await writeIndex(connection, folder, () => {}, options);
  await detachIndex(connection);
  return places;
}
