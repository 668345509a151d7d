// Finds real filings for the tests that use them. Most machines do not have them.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWhole } from "./proofs.ts";

const beside = fileURLToPath(new URL("../../shared/data/real/grants.parquet", import.meta.url));

/** A Parquet file or a folder of Parquet files, only read. */
export const realWarehouse = resolve(process.env.GRANTS_REAL ?? beside);

/** Returns whether there are real filings; prints what is skipped if not. */
export function hasRealWarehouse(skipped: string): boolean {
  const isHere = existsSync(realWarehouse);
  if (!isHere)
    console.log(
      `skipped: ${skipped} of real filings; there are none at "${realWarehouse}" (set GRANTS_REAL to another path)`,
    );
  return isHere;
}

/** Returns whether tests of real filings run: only the whole form has them. Prints which are left out if not. */
export function isRealTested(tests: string): boolean {
  if (isWhole) return hasRealWarehouse(tests);
  console.log(`short form: without ${tests} of real filings; make proofs runs them`);
  return false;
}
