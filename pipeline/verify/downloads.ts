// Verifies that the downloads have the records of the release, in their order.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/downloads.ts";
import { parts } from "../../api-static/release/layout.ts";
import { countRows, literalPath, streamChunks } from "../base/database.ts";
import { formatFunderDigest, funderSumsSql } from "../releases/funderDigests.ts";
import { hashSumSql } from "./contradictions.ts";

/** The Parquet file's rows, with the types of the table `grants`. */
const rowsSql = `(SELECT * REPLACE (funder_ein::UINTEGER AS funder_ein, transaction_year::USMALLINT AS transaction_year,
  recipient_ein::UINTEGER AS recipient_ein, created_at AT TIME ZONE 'UTC' AS created_at) FROM read_parquet($path))`;

const orderSql = `(SELECT ${hashSumSql("file_row_number::INTEGER, id")} AS sum FROM read_parquet($path, file_row_number = true)) AS file
  JOIN (SELECT ${hashSumSql("position::INTEGER, id")} AS sum FROM by_funder) AS indexed USING (sum)`;

/**
 * Compares the Parquet file with the digests of the funders' records, and its order with the index, which is the connection's
 * current database. The CSV file comes from the same statement, so its digest alone is checked.
 */
export async function findDownloadProblems(connection: DuckDBConnection, folder: string): Promise<string[]> {
  const part = join(parts.public, downloadKey("grants.parquet"));
  const values = { path: literalPath(join(folder, part)) };
  const digests: Buffer[] = [];
  for await (const chunk of streamChunks(connection, funderSumsSql(rowsSql), values))
    for (const [, , sum] of chunk.getRows()) digests.push(formatFunderDigest(sum as bigint));
  if (!Buffer.concat(digests).equals(await readFile(join(folder, parts.funderDigests))))
    return [`${part}: its records differ from those of ${parts.records}`];
  const isOrdered = (await countRows(connection, orderSql, values)) === 1;
  return isOrdered ? [] : [`${part}: its records are out of order`];
}
