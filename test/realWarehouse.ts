// Finds real filings for the tests that use them. Most machines do not have them.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const beside = fileURLToPath(new URL("../../shared/data/real/grants.parquet", import.meta.url));

/** A Parquet file or a folder of Parquet files, only read. */
export const realWarehouse = resolve(process.env.GRANTS_REAL ?? beside);

/** Returns whether there are real filings; prints which tests are skipped if not. */
export function hasRealWarehouse(tests: string): boolean {
  const isHere = existsSync(realWarehouse);
  if (!isHere)
    console.log(
      `skipped: ${tests} of real filings; there are none at "${realWarehouse}" (set GRANTS_REAL to another path)`,
    );
  return isHere;
}
