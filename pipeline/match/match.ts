// Finds likely recipients of the grants that name no EIN, and measures how right they are.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  type MatchFacts,
  noMatches,
  type RuleFigures,
  rulesVersion,
} from "../../api-static/contract/answers/matches.ts";
import { countRows, withOwnTables } from "../base/database.ts";
import type { Objection } from "../warehouse/objections.ts";
import { makeNameKeys } from "./canonical.ts";
import { compare, measureRules } from "./figures.ts";
import { filedNamesSql, keyFiled, listFiled } from "./filed.ts";
import { findByHistory } from "./history.ts";
import { findInList, listedNamesSql } from "./listed.ts";
import { applyObjections } from "./objections.ts";
import { writeMatches } from "./texts.ts";

/** What matches are found from, beside the tables of grants and organizations. */
export type MatchSources = {
  /** True if grants have states, and cities or ZIP codes. */
  readonly hasPlaces: boolean;
  /** True if there is a list of organizations. */
  readonly hasList: boolean;
  /** The rules of the release before. */
  readonly before: readonly RuleFigures[];
  /** What an operator says of matches. */
  readonly objections: readonly Objection[];
};

/** Years by which an organization may be younger than a grant to it: a new one is recognized some time after it starts. */
const foundedLater = 2;

const isFounded = `coalesce(founded.year <= found.year + ${foundedLater}, true)`;

/**
 * The recipient of each placed grant by the first rule that names one, whether or not the grant has an EIN. `reference` is what the rule relied on: the
 * row of the list, or the key of the name and city.
 */
const predictedSql = [
  // An organization whose exemption was revoked and granted again has a new ruling, but older names.
  `CREATE TABLE founded AS
    SELECT ein, least(min(ruling_year), min(try_cast(first_period[:4] AS SMALLINT))) AS year FROM organization_names
    GROUP BY ein HAVING min(ruling_year) IS NOT NULL`,
  `CREATE TABLE predicted AS
    WITH found AS (
      SELECT position, filed, funder_ein, recipient_ein, year, funders, coalesce(by_history.ein, by_list.ein) AS ein,
        CASE WHEN by_history.ein IS NULL THEN by_list.rule ELSE 'history' END AS rule,
        CASE WHEN by_history.ein IS NULL THEN by_list.row::UHUGEINT ELSE filed.key END AS reference
      FROM placed JOIN filed USING (filed) LEFT JOIN by_history USING (position) LEFT JOIN by_list USING (filed)
    )
    SELECT found.* REPLACE (CASE WHEN ${isFounded} THEN found.ein END AS ein, CASE WHEN ${isFounded} THEN rule END AS rule)
    FROM found LEFT JOIN founded ON founded.ein = found.ein`,
  "DROP TABLE founded; DROP TABLE placed; DROP TABLE by_history; DROP TABLE by_list",
];

const emptySql = `
CREATE TABLE matches (position UINTEGER, ein UINTEGER, text INTEGER);
CREATE TABLE match_texts (id INTEGER, ein UINTEGER, rule VARCHAR, score DECIMAL(4, 3), evidence VARCHAR)`;

/**
 * Makes two tables from `grants` and `organization_names`: `matches` has the position (the row in `grants`) of each grant with a likely
 * recipient, the recipient's EIN, and the id of its text; `match_texts` has what is said of matches, by id from 0, in order of EIN. The same
 * grants and list give the same matches.
 */
export async function findMatches(connection: DuckDBConnection, sources: MatchSources): Promise<MatchFacts> {
  await connection.run(emptySql);
  if (!sources.hasPlaces)
    return noMatches("The warehouse lacks the recipients' states, or both their cities and their ZIP codes.");
  return withOwnTables(connection, () => fillMatches(connection, sources));
}

async function fillMatches(connection: DuckDBConnection, sources: MatchSources): Promise<MatchFacts> {
  await predictRecipients(connection);
  const without = await countWithout(connection);
  const { rules, pairs } = await measureRules(connection, sources.before);
  await applyObjections(connection, sources.objections);
  await writeMatches(connection, rules);
  const agreed = rules.reduce((sum, { served, agreement }) => sum + (served ? agreement.agreed : 0), 0);
  return {
    rules_version: rulesVersion,
    why: sources.hasList
      ? null
      : "There is no list of organizations, so only EINs that funders filed can be found.",
    ...without,
    matched: await countRows(connection, "matches"),
    recall: compare(pairs, agreed),
    rules: [...rules],
  };
}

/**
 * Makes the table `predicted` (position, filed, funder_ein, recipient_ein, year, funders, ein, rule, reference) of all placed grants, whether or not
 * they have an EIN: a grant's own funder is no evidence for it. `rule` is null where no rule names one organization.
 */
export async function predictRecipients(connection: DuckDBConnection): Promise<void> {
  await listFiled(connection);
  await makeNameKeys(connection, `${filedNamesSql} UNION ALL ${listedNamesSql}`);
  await keyFiled(connection);
  await findInList(connection);
  await findByHistory(connection);
  for (const statement of predictedSql) await connection.run(statement);
}

async function countWithout(connection: DuckDBConnection) {
  return {
    without_ein: await countRows(
      connection,
      "grants WHERE recipient_name IS NOT NULL AND recipient_ein IS NULL",
    ),
    placed: await countRows(connection, "predicted WHERE recipient_ein IS NULL"),
  };
}
