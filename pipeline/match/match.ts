// Finds likely recipients of the grants that name no EIN.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type MatchFacts, noMatches } from "../../api-static/contract/matches.ts";

/** What matches are found from, beside the tables of grants and organizations. */
export type MatchSources = {
  /** True if grants have states. */
  readonly hasStates: boolean;
};

const tablesSql = `
CREATE TABLE matches (position UINTEGER, ein UINTEGER, text INTEGER);
CREATE TABLE match_texts (id INTEGER, ein UINTEGER, rule VARCHAR, score DECIMAL(4, 3), evidence VARCHAR)`;

/**
 * Makes two tables from `grants` and the organizations: `matches` has the position (the row in `grants`) of each grant with a likely
 * recipient, the recipient's EIN, and the id of its text; `match_texts` has what is said of matches, by id from 0, in order of EIN.
 */
export async function findMatches(
  connection: DuckDBConnection,
  { hasStates }: MatchSources,
): Promise<MatchFacts> {
  await connection.run(tablesSql);
  return noMatches(hasStates ? "no rule yet" : "The warehouse has no states of recipients.");
}
