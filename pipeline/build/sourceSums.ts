// Finds the funders whose rows in the warehouse are the same as a night before, without normalizing a row.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../../api-static/contract/record.ts";
import { sqlText } from "../database.ts";
import { recordRules } from "../releases/funderDigests.ts";
import { funderEinSql, normalizedSql } from "../warehouse/normalize.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/**
 * SQL of the hash of a row as it is in the warehouse. It also depends on the types of its columns, on the rules that make a record and
 * keys from it, and on DuckDB's version. Equal hashes thus mean equal records, or the same reason to reject them.
 * @param lastYear the latest transaction year that is accepted
 */
export function sourceHashSql({ columns }: Warehouse, lastYear: number, row: string): string {
  const present = recordFields.filter((field) => columns[field] !== undefined);
  const rules = `${normalizedSql(columns, lastYear)}; ${recordRules}`;
  const types = present.map((field) => `typeof(${row}.${field})`).join(", ");
  const values = present.map((field) => `${row}.${field}`).join(", ");
  return `hash('${sqlText(rules)}', version(), concat_ws(' ', ${types}), ${values})`;
}

/** If more of the rows are of funders that changed, all grants are read: that takes less time than to sort and merge theirs. */
const maxFreshShare = 0.5;

/**
 * SQL of the sum of hashes and the number of rows of each funder. Few rows have an id that others have too. Of these, only the one that
 * is accepted counts, as what became of the others depends on other funders.
 */
const sourceSumsSql = (warehouse: Warehouse, lastYear: number, rows: string) => `
WITH filed AS (
  SELECT funder_ein, sum(${sourceHashSql(warehouse, lastYear, "source")}) AS hashes, count(*) AS rows
  FROM (${rows}) AS source GROUP BY funder_ein
)
SELECT funder_ein, sum(hashes) AS source_hashes, sum(rows) AS rows FROM (
  SELECT ${funderEinSql(warehouse.columns, "filed")} AS funder_ein, hashes, rows FROM filed
  UNION ALL SELECT funder_ein, ${sourceHashSql(warehouse, lastYear, "raw")}, 1 FROM ranked WHERE place = 1
) WHERE funder_ein IS NOT NULL GROUP BY funder_ein`;

/**
 * Makes the tables `unchanged` and `fresh` (funder_ein): the funders whose rows are those of the previous release, which is attached
 * as `before`, and the others.
 * @param rows SQL of the warehouse's rows, without those of repeated ids
 * @returns the EINs of the other funders; undefined if too many changed, and there are no such tables
 */
export async function findFreshFunders(
  connection: DuckDBConnection,
  warehouse: Warehouse,
  lastYear: number,
  { from, values }: { readonly from: string; readonly values: Parameters<DuckDBConnection["run"]>[1] },
): Promise<number[] | undefined> {
  await connection.run(`CREATE TABLE sums AS ${sourceSumsSql(warehouse, lastYear, from)}`, values);
  await connection.run(`
    CREATE TABLE unchanged AS SELECT funder_ein FROM before.funder_totals SEMI JOIN sums USING (funder_ein, source_hashes);
    CREATE TABLE fresh AS SELECT funder_ein, rows FROM sums ANTI JOIN unchanged USING (funder_ein);`);
  const shares = await connection.runAndReadAll(
    "SELECT coalesce((SELECT sum(rows) FROM fresh) / (SELECT sum(rows) FROM sums), 0)::DOUBLE",
  );
  await connection.run("DROP TABLE sums");
  if (Number(shares.getRows()[0]?.[0]) > maxFreshShare) {
    await connection.run("DROP TABLE unchanged; DROP TABLE fresh");
    return undefined;
  }
  const found = await connection.runAndReadAll("SELECT funder_ein FROM fresh");
  return found.getRows().map(([ein]) => Number(ein));
}
