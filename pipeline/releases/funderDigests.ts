// Computes the digests of funders' records, in SQL that runs on the table `grants` as well as on records read back.

import { nonCashCentsSql, recordFields, recordJsonSql } from "../../api-static/contract/answers/record.ts";
import { digestBytes } from "../../api-static/contract/answers/storedPage.ts";
import { centsSql } from "../../api-static/contract/text/amount.ts";
import { individualsSql, peopleSql } from "../../api-static/contract/text/placeholders.ts";
import { canonicalTextSql } from "../../api-static/contract/text/text.ts";
import { sqlText } from "../base/database.ts";

/** What makes a line, and the keys in the index, from a record. */
export const recordRules = [
  recordJsonSql,
  canonicalTextSql("text"),
  centsSql("amount"),
  nonCashCentsSql,
  individualsSql(peopleSql("text")),
].join("; ");

/**
 * SQL of the hash of values. The outer hash is for sums: DuckDB combines the hashes of several values by an XOR with that of the last
 * one, so that a sum over rows might not notice if two of them swapped their last values.
 */
export const rowHashSql = (values: string) => `hash(hash(${values}))`;

/**
 * SQL of the hash of a record. It also depends on the rules that make a line and keys from it, and on DuckDB's version. Equal hashes
 * thus mean equal lines and equal keys.
 */
export const recordHashSql = rowHashSql(`'${sqlText(recordRules)}', version(), ${recordFields.join(", ")}`);

/**
 * One row per funder, by EIN: its EIN, its number of records, and the sum of their hashes. The sum does not depend on the order of
 * rows.
 */
export const funderSumsSql = (from: string) => `
SELECT funder_ein, count(*)::DOUBLE, sum(${recordHashSql}) FROM ${from} GROUP BY funder_ein ORDER BY funder_ein`;

/** The digest of a funder in `funders.digests`. */
export function formatFunderDigest(sum: bigint): Buffer {
  const digest = Buffer.allocUnsafe(digestBytes);
  digest.writeBigUInt64LE(BigInt.asUintN(64, sum), 0);
  digest.writeBigUInt64LE(sum >> 64n, 8);
  return digest;
}
