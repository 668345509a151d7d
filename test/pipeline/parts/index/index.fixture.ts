// Builds an index in a folder from tables, without matches in `index.duckdb` and peers.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Places } from "../../../../api-static/release/facts.ts";
import {
  attachIndex,
  detachIndex,
  type IndexOptions,
  writeIndex,
} from "../../../../pipeline/parts/index/projections.ts";

/** Writes `index.duckdb` and `index.columns` into a folder. */
export async function buildIndex(
  connection: DuckDBConnection,
  folder: string,
  options: IndexOptions = {},
): Promise<Places> {
  await attachIndex(connection, folder);
  const places = await writeIndex(connection, folder, () => {}, options);
  await detachIndex(connection);
  return places;
}
