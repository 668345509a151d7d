// Verifies that the downloads have the records of the release, in their order.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/downloads.ts";
import { parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import { literalPath, streamChunks } from "../base/database.ts";
import { formatFunderDigest, funderSumsSql } from "../releases/funderDigests.ts";
import type { Manifest } from "../releases/manifest.ts";
import { hashSumSql } from "./index.ts";

/** The Parquet file's rows, with the types of the table `grants`. */
const rowsSql = `(SELECT * REPLACE (funder_ein::UINTEGER AS funder_ein, transaction_year::USMALLINT AS transaction_year,
  recipient_ein::UINTEGER AS recipient_ein, created_at AT TIME ZONE 'UTC' AS created_at) FROM read_parquet($path))`;

const orderSql = `SELECT (SELECT ${hashSumSql("file_row_number::INTEGER, id")} FROM read_parquet($path, file_row_number = true))
  = (SELECT ${hashSumSql("position::INTEGER, id")} FROM by_funder)`;

/**
 * Compares the Parquet file with the digests of the funders' records, and its order with the index, which is the connection's
 * current database. The CSV file comes from the same statement, so its digest alone is checked.
 */
export async function findDownloadProblems(
  connection: DuckDBConnection,
  { folder }: Pick<Release, "folder">,
  manifest: Manifest,
): Promise<string[]> {
  if (!manifest.downloads) return [];
  const part = join(parts.public, downloadKey("grants.parquet"));
  const values = { path: literalPath(join(folder, part)) };
  const expected = await readFile(join(folder, parts.funderDigests));
  let [end, isSame] = [0, true];
  for await (const chunk of streamChunks(connection, funderSumsSql(rowsSql), values))
    for (const [, , sum] of chunk.getRows()) {
      const digest = formatFunderDigest(sum as bigint);
      isSame &&= digest.equals(expected.subarray(end, end + digest.length));
      end += digest.length;
    }
  if (!isSame || end !== expected.length)
    return [`${part}: its records differ from those of ${parts.records}`];
  const ordered = await connection.runAndReadAll(orderSql, values);
  return ordered.getRows()[0]?.[0] === true ? [] : [`${part}: its records are out of order`];
}
