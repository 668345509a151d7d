// Finds grants that repeat those of another filing: an amended return lists again what the first return listed.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recordFields } from "../../api-static/contract/answers/record.ts";

/** Two filings of the same grant differ in these fields. */
const filingFields: readonly string[] = ["id", "created_at"];

const funderYear = "funder_ein, transaction_year";
/** Repeated grants have equal numbers, so the texts of few others are compared. */
const numbers = `hash(${funderYear}, amount, recipient_ein)`;
const contents = recordFields.filter((field) => !filingFields.includes(field)).join(", ");

/**
 * Counts the repeated grants of each funder and year. A filing is the grants with the same `created_at`. Of grants that are equal
 * otherwise, the filing that has the most of them counts; those of other filings repeat them. So equal grants within one
 * filing never count.
 */
const repeatedSql = `
CREATE TABLE repeated AS
WITH refiled AS (
  SELECT ${funderYear} FROM grants GROUP BY ${funderYear} HAVING min(created_at) < max(created_at)
), suspects AS (
  SELECT ${numbers} AS numbers FROM grants SEMI JOIN refiled USING (${funderYear})
  GROUP BY numbers HAVING min(created_at) < max(created_at)
), copies AS (
  SELECT ${contents}, count(*) AS copies
  FROM grants WHERE ${numbers} IN (FROM suspects) GROUP BY ${contents}, created_at
), repeats AS (
  SELECT ${funderYear}, amount, count(*) AS filings, (sum(copies) - max(copies))::INTEGER AS records
  FROM copies GROUP BY ${contents} HAVING filings > 1
)
SELECT ${funderYear}, max(filings)::UINTEGER AS filings, sum(records)::UINTEGER AS records,
  sum(records * amount)::DECIMAL(38,2) AS amount
FROM repeats GROUP BY ${funderYear} ORDER BY funder_ein, transaction_year DESC`;

/** Makes the table `repeated` from the table `grants`: a row for each funder and year with repeated grants, newest year first. */
export async function findRepeated(connection: DuckDBConnection): Promise<void> {
  await connection.run(repeatedSql);
}
