// Verifies the table of funders against the index.
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatEin } from "../../api-static/contract/ein.ts";
import { findFunderRow, parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import { streamChunks } from "../base/database.ts";

const recordsSql =
  "SELECT funder_ein, min(position), count(*)::DOUBLE FROM by_funder GROUP BY funder_ein ORDER BY funder_ein";

/** Compares the funder table with the index, which is the connection's current database. */
export async function findFunderProblems(
  connection: DuckDBConnection,
  { funders }: Release,
): Promise<string[]> {
  const problems: string[] = [];
  for await (const chunk of streamChunks(connection, recordsSql))
    for (const [ein, first, records] of chunk.getRows()) {
      const row = findFunderRow(funders, Number(ein));
      if (row !== undefined && row.first === first && row.records === records) continue;
      problems.push(`${parts.funders}: the index has different records of funder ${formatEin(Number(ein))}`);
    }
  return problems;
}
