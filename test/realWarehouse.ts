// Owns where real filings lie, for the tests that want them: absent on most machines.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const beside = fileURLToPath(new URL("../../shared/data/real/grants.parquet", import.meta.url));

/** A Parquet file or a folder of them, read in place. */
export const realWarehouse = resolve(process.env.GRANTS_REAL ?? beside);

/** True where there are real filings; says which tests are skipped where there are none. */
export function hasRealWarehouse(tests: string): boolean {
  const isHere = existsSync(realWarehouse);
  if (!isHere)
    console.log(
      `skipped: ${tests} of real filings; none are at "${realWarehouse}" (GRANTS_REAL names another place)`,
    );
  return isHere;
}
