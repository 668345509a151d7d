// Finds the funders whose rows in the warehouse are the same as a night before, without normalizing a row.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../../api-static/contract/record.ts";
import { sqlText } from "../base/database.ts";
import { recordRules, rowHashSql } from "../releases/funderDigests.ts";
import { cents, funderEinSql, normalizedSql } from "../warehouse/normalize.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/**
 * SQL of the hash of a row as it is in the warehouse. It also depends on the types of its columns, on the rules that make a record and
 * keys from it, and on DuckDB's version. Equal hashes thus mean equal records, or the same reason to reject them. Of a decimal, the
 * cents are hashed: DuckDB gives many values of a wide one the same hash, e.g., 0.00 and -0.01.
 * @param lastYear the latest transaction year that is accepted
 */
export function sourceHashSql({ columns }: Warehouse, lastYear: number, row: string): string {
  const present = recordFields.filter((field) => columns[field] !== undefined);
  const rules = `${normalizedSql(columns, lastYear)}; ${recordRules}`;
  const types = present.map((field) => `typeof(${row}.${field})`).join(", ");
  const values = present.map((field) => {
    const value = `${row}.${field}`;
    return columns[field] === "decimal" ? `${value} IS NULL, ${cents(value)}` : value;
  });
  return rowHashSql(`'${sqlText(rules)}', version(), concat_ws(' ', ${types}), ${values.join(", ")}`);
}

/** If more of the rows are of funders that changed, all grants are read: that takes less time than to sort and merge theirs. */
const maxFreshShare = 0.5;

/**
 * SQL of the sum of hashes and the number of rows of each funder. Few rows have an id that others have too. Of these, only the one that
 * is accepted counts, as what became of the others depends on other funders.
 */
const sourceSumsSql = (warehouse: Warehouse, lastYear: number, rows: string) => `
WITH spelled AS (
  SELECT funder_ein, sum(${sourceHashSql(warehouse, lastYear, "source")}) AS hashes, count(*) AS rows
  FROM (${rows}) AS source GROUP BY funder_ein
)
SELECT funder_ein, sum(hashes) AS source_hashes, sum(rows) AS rows FROM (
  SELECT ${funderEinSql(warehouse.columns, "spelled")} AS funder_ein, hashes, rows FROM spelled
  UNION ALL SELECT funder_ein, ${sourceHashSql(warehouse, lastYear, "raw")}, 1 FROM ranked WHERE place = 1
) WHERE funder_ein IS NOT NULL GROUP BY funder_ein`;

/**
 * Makes the tables `unchanged` and `fresh` (funder_ein): the funders whose rows are those of the previous release, whose index is
 * attached as `before`, and the others. A funder without an accepted row is always among the others, as it is in no index.
 * @param rows SQL of the warehouse's rows, without those of repeated ids, and the values bound to it
 * @returns the EINs of the others; undefined if they have most of the rows, and there are no such tables
 */
export async function findFreshFunders(
  connection: DuckDBConnection,
  warehouse: Warehouse,
  lastYear: number,
  rows: { readonly sql: string; readonly values: Parameters<DuckDBConnection["run"]>[1] },
): Promise<number[] | undefined> {
  await connection.run(`CREATE TABLE sums AS ${sourceSumsSql(warehouse, lastYear, rows.sql)}`, rows.values);
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
