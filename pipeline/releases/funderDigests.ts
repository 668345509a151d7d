// Computes the digests of funders' records, in SQL that runs on the table `grants` as well as on records read back.
import { recordFields, recordJsonSql } from "../../api-static/contract/record.ts";
import { digestBytes } from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";

/**
 * SQL of the hash of a record. It also depends on what makes a line from a record: the SQL, and DuckDB's version. Equal hashes thus
 * mean equal lines.
 */
export const lineHashSql = `hash('${sqlText(recordJsonSql)}', version(), ${recordFields.join(", ")})`;

/**
 * One row per funder, by EIN: its EIN, its number of records, and the sum of their hashes. The sum does not depend on the order of
 * rows.
 * @param hash SQL of a row's hash
 */
export const funderSumsSql = (from: string, hash = lineHashSql) => `
SELECT funder_ein, count(*)::DOUBLE, sum(${hash}) FROM ${from} GROUP BY funder_ein ORDER BY funder_ein`;

/** The digest of a funder in `funders.digests`. */
export function formatFunderDigest(sum: bigint): Buffer {
  const digest = Buffer.allocUnsafe(digestBytes);
  digest.writeBigUInt64LE(BigInt.asUintN(64, sum), 0);
  digest.writeBigUInt64LE(sum >> 64n, 8);
  return digest;
}
