// Takes the keys and texts of unchanged funders' records from the index of the previous release.
import { join } from "node:path";
import { type DuckDBConnection, INTEGER, LIST, listValue, UINTEGER } from "@duckdb/node-api";
import { type Dictionary, parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";
import { DamagedError } from "../failure.ts";
import { digestFile } from "../releases/manifest.ts";
import type { MergePlan, Moves, SealedRelease } from "./mergedRecords.ts";

/** Records of the previous release, and how they are merged with the fresh ones. */
export type KeptRecords = SealedRelease & { readonly plan: MergePlan };

/**
 * Attaches the index of the previous release as `before`, and makes the tables `kept_funders` and `fresh_funders` (funder_ein, shift).
 * @throws DamagedError if the index does not have its sealed digest
 */
export async function attachBefore(
  connection: DuckDBConnection,
  { folder, sealed, plan }: KeptRecords,
): Promise<void> {
  const path = join(folder, parts.index);
  const found = await digestFile(path);
  if (found.sha256 !== sealed[parts.index]?.sha256)
    throw new DamagedError(`${parts.index} of ${folder} does not match its sealed digest`);
  await connection.run(`ATTACH '${sqlText(path)}' AS before (READ_ONLY)`);
  await createMoves(connection, "kept_funders", plan.kept);
  await createMoves(connection, "fresh_funders", plan.fresh);
}

/** Detaches the index of the previous release, and drops the tables of funders. */
export async function detachBefore(connection: DuckDBConnection): Promise<void> {
  await connection.run("DROP TABLE kept_funders; DROP TABLE fresh_funders; DETACH before");
}

async function createMoves(connection: DuckDBConnection, table: string, moves: Moves): Promise<void> {
  await connection.run(
    `CREATE TABLE ${table} AS SELECT unnest($eins) AS funder_ein, unnest($shifts) AS shift`,
    { eins: listValue(moves.eins), shifts: listValue(moves.shifts) },
    { eins: LIST(UINTEGER), shifts: LIST(INTEGER) },
  );
}

/**
 * SQL of the distinct texts of the kept records: id in the previous index, text, and number of records. The texts of the other records
 * are counted, because those are few.
 */
export const keptTextsSql = ({ column, texts }: Dictionary) => `
SELECT id, text, all_records - coalesce(other_records, 0) AS records
FROM (SELECT id, text, records AS all_records FROM before.${texts}) LEFT JOIN (
  SELECT ${column} AS id, count(*) AS other_records FROM before.by_funder ANTI JOIN kept_funders USING (funder_ein)
  WHERE ${column} IS NOT NULL GROUP BY ${column}
) USING (id)
WHERE all_records > coalesce(other_records, 0)`;
