// Computes the digests of funders' records, in SQL that runs on the table `grants` as well as on records read back.
import { recordFields, recordJsonSql } from "../../api-static/contract/record.ts";
import { digestBytes } from "../../api-static/release/layout.ts";

/**
 * One row per funder, by EIN: its EIN, its number of records, and the sum of their hashes. The sum does not depend on the order of
 * rows. The hashes also depend on what makes a line from a record: the SQL, and DuckDB's version. Equal sums thus mean equal lines.
 */
export const funderSumsSql = (from: string) => `
SELECT funder_ein, count(*)::DOUBLE, sum(hash($lines, version(), ${recordFields.join(", ")}))
FROM ${from} GROUP BY funder_ein ORDER BY funder_ein`;

/** The values of the parameters of `funderSumsSql`. */
export const funderSumsValues = { lines: recordJsonSql };

/** The digest of a funder in `funders.digests`. */
export function formatFunderDigest(sum: bigint): Buffer {
  const digest = Buffer.allocUnsafe(digestBytes);
  digest.writeBigUInt64LE(BigInt.asUintN(64, sum), 0);
  digest.writeBigUInt64LE(sum >> 64n, 8);
  return digest;
}
