// Makes the tables by which likely funders of recipients are found: similar funders, and the tastes and habits of each.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  type LikelyFundersFacts,
  recentYears,
  recipientsMax,
} from "../../../api-static/contract/answers/likelyFunders.ts";
import { centsSql } from "../../../api-static/contract/text/amount.ts";
import { likelyFunderTables } from "../../../api-static/release/layout.ts";
import { state } from "../../warehouse/normalize.ts";
import { evaluate } from "./evaluation.ts";
import { findPeers } from "./peers.ts";
import type { PlaceSources } from "./places.ts";

/**
 * A row for each funder and recipient, likely recipients too: the state and cause of the recipient; the cents of the first grant, which is the
 * largest of its year; the times of the first and the last filing, and of the last one up to a year before the newest.
 */
const givingSql = (isFiled: boolean) => `
CREATE TABLE times AS SELECT max(created_at) AS newest, newest - INTERVAL 1 YEAR AS hidden_after FROM grants;
CREATE TABLE paired AS
  SELECT funder_ein, coalesce(recipient_ein, ein) AS recipient_ein, count(recipient_ein) > 0 AS is_filed,
    max(recipient_state)::VARCHAR AS filed_state,
    arg_min(${centsSql("amount")}, transaction_year::BIGINT * 4294967296 + grants.rowid) AS first_cents,
    min(created_at) AS first_at, max(created_at) AS last_at,
    max(created_at) FILTER (created_at <= (SELECT hidden_after FROM times)) AS last_before
  FROM grants LEFT JOIN matches ON position = grants.rowid
  WHERE coalesce(recipient_ein, ein) <> funder_ein
  GROUP BY ALL;
CREATE TABLE giving AS
  SELECT paired.* EXCLUDE (filed_state), listed.cause, ${isFiled ? "filed_state" : state("listed.state")}::VARCHAR AS state
  FROM paired LEFT JOIN listed ON listed.ein = recipient_ein;
DROP TABLE paired`;

/** Links of funders that are similar to others only because they give to nearly everyone are left out. */
const linksSql = (condition: string) => `
CREATE TABLE links AS SELECT funder_ein, recipient_ein FROM giving WHERE ${condition}
  QUALIFY count(*) OVER (PARTITION BY funder_ein) <= ${recipientsMax}`;

const habitsSql = (table: string, { condition, last, newest }: Known) => `
CREATE TABLE ${table} AS
  SELECT funder_ein, count(*)::UINTEGER AS recipients,
    count(*) FILTER (${last} > (SELECT ${newest} FROM times) - INTERVAL ${recentYears} YEAR)::UINTEGER AS recent,
    quantile_disc(first_cents, 0.25) AS low, quantile_disc(first_cents, 0.5) AS middle, quantile_disc(first_cents, 0.75) AS high
  FROM giving WHERE ${condition} GROUP BY funder_ein HAVING recipients <= ${recipientsMax} AND recent > 0 ORDER BY funder_ein`;

const tastesSql = (table: string, habits: string, { condition }: Known) => `
CREATE TABLE ${table} AS
  SELECT taste, funder_ein, count(*)::UINTEGER AS recipients,
    row_number() OVER (PARTITION BY taste ORDER BY recipients DESC, funder_ein)::UINTEGER AS place
  FROM (
    SELECT funder_ein, unnest(list_distinct([state, cause[1], cause[:2]])) AS taste
    FROM giving SEMI JOIN ${habits} USING (funder_ein) WHERE ${condition}
  ) WHERE taste IS NOT NULL GROUP BY taste, funder_ein ORDER BY taste, place`;

/** What the tables are made from: all filings, or those that were there a year before the newest. */
type Known = { readonly condition: string; readonly last: string; readonly newest: string };

const all: Known = { condition: "true", last: "last_at", newest: "newest" };
const before: Known = {
  condition: "first_at <= (SELECT hidden_after FROM times)",
  last: "last_before",
  newest: "hidden_after",
};

/**
 * Adds the tables of likely funders to the attached index, from the tables `grants`, `matches` and `listed`.
 * @returns what such lists are worth: measured on the filings of the newest year, which tables made for that do not know
 */
export async function writeLikelyFunders(
  connection: DuckDBConnection,
  { recipientState }: Pick<PlaceSources, "recipientState">,
  onProgress: (fraction: number) => void,
): Promise<LikelyFundersFacts> {
  await connection.run(givingSql(recipientState === "warehouse"));
  onProgress(0.4);
  await makeTables(connection, "index", all);
  onProgress(0.8);
  return evaluate(connection, (schema, of) => makeTables(connection, schema, before, of));
}

/** @param of a table of the funders whose kin are wanted; without it, those of all */
async function makeTables(
  connection: DuckDBConnection,
  schema: string,
  known: Known,
  of?: string,
): Promise<void> {
  const { kin, tastes, habits } = likelyFunderTables;
  const habitsTable = `${schema}.${habits.table}`;
  await connection.run(habitsSql(habitsTable, known));
  await connection.run(tastesSql(`${schema}.${tastes.table}`, habitsTable, known));
  await connection.run(linksSql(known.condition));
  await findPeers(connection, { ...kin, schema, ...(of === undefined ? {} : { of }) });
  await connection.run("DROP TABLE links");
}
