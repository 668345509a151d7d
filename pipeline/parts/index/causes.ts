// Finds the causes of funders and recipients in the list of organizations. A grant without an EIN has the cause of its likely recipient.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { CauseFacts } from "../../../api-static/contract/answers/report.ts";
import { countRows } from "../../base/database.ts";
import type { JoinedSql } from "./places.ts";

/** The distinct causes of the organizations that grants name, in order of their bytes; and the id of each organization's. */
const causesSql = (matched: string) => `
CREATE TABLE index.causes AS
  SELECT (row_number() OVER (ORDER BY cause) - 1)::UINTEGER AS id, cause AS text
  FROM (SELECT DISTINCT cause FROM listed WHERE cause IS NOT NULL AND ein IN (
    SELECT funder_ein FROM grants UNION SELECT recipient_ein FROM grants ${matched})) ORDER BY id;
CREATE TABLE cause_ids AS SELECT ein, id::USMALLINT AS id FROM listed JOIN index.causes ON cause = text`;

const matchesSql =
  "LEFT JOIN (SELECT position AS matched_position, ein AS matched_ein FROM matches) ON matched_position = grants.rowid";

/**
 * Makes the table `causes` of the attached index from the tables `grants`, `listed` and `matches`, and the table that the SQL needs.
 * @param hasMatches true if there is a table `matches`
 * @returns SQL of the ids of both causes
 */
export async function makeCauses(connection: DuckDBConnection, hasMatches: boolean): Promise<JoinedSql> {
  await connection.run(causesSql(hasMatches ? "UNION SELECT ein FROM matches" : ""));
  const recipient = hasMatches ? "coalesce(grants.recipient_ein, matched_ein)" : "grants.recipient_ein";
  return {
    selected: "funder_causes.id AS funder_cause, recipient_causes.id AS recipient_cause",
    joins: `${hasMatches ? matchesSql : ""}
      LEFT JOIN cause_ids AS funder_causes ON funder_causes.ein = grants.funder_ein
      LEFT JOIN cause_ids AS recipient_causes ON recipient_causes.ein = ${recipient}`,
    made: ["cause_ids"],
  };
}

/** The sums of the grants by the way to the cause of their recipient. */
const waysSql = `
SELECT CASE WHEN recipient_cause IS NULL THEN 'unknown' WHEN recipient_ein IS NULL THEN 'likely' ELSE 'filed' END AS way,
  count(*)::DOUBLE, (sum(amount_cents)::DECIMAL(38,2) * 0.01)::DECIMAL(38,2)::VARCHAR
FROM index.by_funder GROUP BY way`;

/** Adds up the grants of the attached index by what is known of causes. */
export async function readCauseFacts(connection: DuckDBConnection): Promise<CauseFacts> {
  const read = await connection.runAndReadAll(waysSql);
  const ways = new Map(
    read
      .getRows()
      .map(([way, records, amount]) => [way, { records: Number(records), amount: String(amount) }]),
  );
  const sumOf = (way: string) => ways.get(way) ?? { records: 0, amount: "0.00" };
  return {
    funder_cause: { unknown: await countRows(connection, "index.by_funder WHERE funder_cause IS NULL") },
    recipient_cause: { filed: sumOf("filed"), likely: sumOf("likely"), unknown: sumOf("unknown") },
  };
}
