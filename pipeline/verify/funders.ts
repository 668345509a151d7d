// Verifies what a release says of each funder: its table against the index, and its totals against the manifest.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatEin } from "../../api-static/contract/ein.ts";
import {
  digestBytes,
  findFunderRow,
  funderRowBytes,
  parts,
  readFunderRow,
} from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import { formatFunderDigest } from "../releases/funderDigests.ts";
import type { Manifest } from "../releases/manifest.ts";
import { addTotals, compareTotals } from "../releases/totals.ts";

const recordsSql =
  "SELECT funder_ein, min(position), count(*)::DOUBLE FROM by_funder GROUP BY funder_ein ORDER BY funder_ein";

const totalsSql = "SELECT funder_ein, records::DOUBLE, record_hashes FROM funder_totals";

/**
 * Compares the funder table and the funders' digests with the index, which is the connection's current database, and the sums of the
 * funders' totals with the manifest.
 */
export async function findFunderProblems(
  connection: DuckDBConnection,
  { folder, funders }: Release,
  manifest: Manifest,
): Promise<string[]> {
  const digests = await readFile(join(folder, parts.funderDigests));
  const counted = (await connection.runAndReadAll(recordsSql)).getRows().flatMap(([ein, first, records]) => {
    const row = findFunderRow(funders, Number(ein));
    if (row !== undefined && row.first === first && row.records === records) return [];
    return [`${parts.funders}: the index has different records of funder ${formatEin(Number(ein))}`];
  });
  const totals = (await connection.runAndReadAll(totalsSql)).getRows();
  const problems = totals.flatMap(([ein, records, hashes], index) => {
    const row = index < funders.length / funderRowBytes ? readFunderRow(funders, index) : undefined;
    const digest = digests.subarray(index * digestBytes, (index + 1) * digestBytes);
    if (row?.ein === ein && row?.records === records && formatFunderDigest(hashes as bigint).equals(digest))
      return [];
    return [`${parts.index}: the totals of funder ${formatEin(Number(ein))} differ from ${parts.funders}`];
  });
  const found = await addTotals(connection, "by_recipient");
  return [...counted, ...problems, ...compareTotals(`${parts.index}: funder_totals`, found, manifest.totals)];
}
