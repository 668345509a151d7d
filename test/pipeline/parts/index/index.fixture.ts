// Builds an index in a folder from tables, without matches in `index.duckdb` and peers.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ReleaseFacts } from "../../../../api-static/release/status.ts";
import {
  attachIndex,
  detachIndex,
  type IndexOptions,
  writeIndex,
} from "../../../../pipeline/parts/index/projections.ts";

/** Writes `index.duckdb` and `index.columns` into a folder. Without tables of listed organizations and of what returns state, none is listed; without places, they are unknown. */
export async function buildIndex(
  connection: DuckDBConnection,
  folder: string,
  options: IndexOptions = {},
): Promise<ReleaseFacts["places"]> {
  await connection.run("CREATE TABLE IF NOT EXISTS listed (ein UINTEGER, state VARCHAR, cause VARCHAR)");
  await connection.run(
    "CREATE TABLE IF NOT EXISTS stated (ein UINTEGER, accepts VARCHAR, is_sponsor BOOLEAN)",
  );
  for (const column of ["recipient_state VARCHAR", "recipient_city VARCHAR", "recipient_zip UINTEGER"])
    await connection.run(`ALTER TABLE grants ADD COLUMN IF NOT EXISTS ${column}`);
  await attachIndex(connection, folder);
  const { places } = await writeIndex(connection, folder, () => {}, options);
  await detachIndex(connection);
  return places;
}
