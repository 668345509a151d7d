// Writes the finances of organizations by EIN and tax year: sums, mission, what they say about applications, donor-advised funds.
import type { DuckDBConnection } from "@duckdb/node-api";
import { listPaths } from "./counting.ts";
import { writeParquet } from "./parquet.ts";

const sql = String.raw;

/**
 * One return per EIN and tax year, of those that count: the organization's own before one for a group, then the one with the
 * latest end of its period, then the one filed last.
 */
const chosenSql = sql`
CREATE OR REPLACE TABLE finance_returns AS
SELECT last.part AS part, last.member AS member
FROM (
  SELECT max({
    is_own: NOT is_group, period: period, filed_at: coalesce(filed_at, TIMESTAMP '0001-01-01'), return_key: return_key,
    part: part, member: member}) AS last
  FROM filed JOIN statuses USING (part, member)
  WHERE status = 'counts' AND has_finances AND ein > 0
  GROUP BY ein, tax_year
)`;

const financesSql = sql`
  SELECT ein, tax_year, period_end, form, return_id, revenue, expenses, assets, grants_paid, mission,
    accepts, deadlines, application_form, restrictions, donor_advised
  FROM read_parquet($returns) AS found
  JOIN finance_returns AS chosen ON chosen.part = found.file_index AND chosen.member = found.member
  ORDER BY ein, tax_year`;

/**
 * Writes the finances in the returns of all parts. `countReturns` must have run.
 * @returns the number of rows
 */
export async function writeFinances(
  connection: DuckDBConnection,
  returns: readonly string[],
  target: string,
): Promise<number> {
  await connection.run(chosenSql);
  return writeParquet(connection, target, financesSql, { returns: listPaths(returns) });
}
