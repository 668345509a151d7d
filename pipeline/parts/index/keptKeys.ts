// Takes the keys and texts of unchanged funders' records from the index of the previous release.
import { join } from "node:path";
import { type DuckDBConnection, INTEGER, LIST, listValue, UINTEGER } from "@duckdb/node-api";
import { type Dictionary, parts } from "../../../api-static/release/layout.ts";
import { sqlText } from "../../base/database.ts";
import { digestIfPresent } from "../../releases/manifest.ts";
import { checkSeal, type MergePlan, type Moves, type SealedRelease } from "../records/mergedRecords.ts";

/** Records of the previous release, and how they are merged with the fresh ones. */
export type KeptRecords = SealedRelease & { readonly plan: MergePlan };

/** @throws DamagedError if the index of the previous release does not have its sealed digest */
export async function checkIndexSeal(release: SealedRelease): Promise<void> {
  checkSeal(release, parts.index, await digestIfPresent(join(release.folder, parts.index)));
}

/** Attaches the index of the previous release as `before`. */
export async function attachBefore(connection: DuckDBConnection, { folder }: SealedRelease): Promise<void> {
  await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS before (READ_ONLY)`);
}

/** Detaches the index of the previous release. */
export async function detachBefore(connection: DuckDBConnection): Promise<void> {
  await connection.run("DETACH before");
}

/** Detaches it, and drops the tables that say what is kept of it. */
export async function endKeeping(connection: DuckDBConnection): Promise<void> {
  for (const table of ["unchanged", "fresh", "kept_funders", "fresh_funders"])
    await connection.run(`DROP TABLE ${table}`);
  await detachBefore(connection);
}

/** Makes the tables `kept_funders` and `fresh_funders` (funder_ein, shift). */
export async function createFunderMoves(connection: DuckDBConnection, plan: MergePlan): Promise<void> {
  await createMoves(connection, "kept_funders", plan.kept);
  await createMoves(connection, "fresh_funders", plan.fresh);
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
