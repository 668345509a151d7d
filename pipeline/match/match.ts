// Finds likely recipients of the grants that name no EIN, and measures how right they are.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import {
  type MatchFacts,
  type MatchRule,
  noMatches,
  type RuleFigures,
  rulesVersion,
} from "../../api-static/contract/matches.ts";
import { countRows } from "../base/database.ts";
import type { Objection } from "../warehouse/objections.ts";
import { makeNameKeys } from "./canonical.ts";
import { compare, measureRules } from "./figures.ts";
import { filedNamesSql, keyFiled, listFiled } from "./filed.ts";
import { findByHistory } from "./history.ts";
import { findInList, listedNamesSql } from "./listed.ts";
import { applyObjections } from "./objections.ts";

/** What matches are found from, beside the tables of grants and organizations. */
export type MatchSources = {
  /** True if grants have states. */
  readonly hasStates: boolean;
  /** True if grants have cities or ZIP codes. */
  readonly hasAddresses: boolean;
  /** True if there is a list of organizations. */
  readonly hasList: boolean;
  /** The rules of the release before. */
  readonly before: readonly RuleFigures[];
  /** What an operator says of matches. */
  readonly objections: readonly Objection[];
};

/** Years by which an organization may be younger than a grant to it: a new one is recognized some time after it starts. */
const foundedLater = 2;

/**
 * The recipient of each placed grant by the first rule that names one, whether or not the grant has an EIN. `reference` is what the rule relied on: the
 * row of the list, or the key of the name and city.
 */
const predictedSql = [
  `CREATE TABLE founded AS SELECT ein, min(ruling_year) AS ruling_year FROM organization_names
    WHERE ruling_year IS NOT NULL GROUP BY ein`,
  `CREATE TABLE predicted AS
    WITH found AS (
      SELECT position, filed, funder_ein, recipient_ein, year, funders, coalesce(by_history.ein, by_list.ein) AS ein,
        CASE WHEN by_history.ein IS NULL THEN by_list.rule ELSE 'history' END AS rule,
        CASE WHEN by_history.ein IS NULL THEN by_list.row::UHUGEINT ELSE filed.key END AS reference
      FROM placed JOIN filed USING (filed) LEFT JOIN by_history USING (position) LEFT JOIN by_list USING (filed)
    )
    SELECT found.* REPLACE (CASE WHEN ${isFounded()} THEN ein END AS ein, CASE WHEN ${isFounded()} THEN rule END AS rule)
    FROM found LEFT JOIN founded USING (ein)`,
  "DROP TABLE founded; DROP TABLE placed; DROP TABLE by_history; DROP TABLE by_list",
];

function isFounded(): string {
  return `coalesce(ruling_year <= year + ${foundedLater}, true)`;
}

/** The matches that are served, by what they rely on. */
const referencesSql = `
CREATE TABLE match_references AS
  SELECT ein, rule, reference, max(funders) AS funders FROM predicted
  WHERE recipient_ein IS NULL AND list_contains($rules, rule) GROUP BY ein, rule, reference`;

const yearsSql = `CASE WHEN first_period[:4] < period[:4] THEN ', ' || first_period[:4] || ' to ' || period[:4]
  WHEN period <> '' THEN ', ' || period[:4] ELSE '' END`;

const evidenceSql = `
CREATE TABLE match_evidence AS
  WITH cities AS (
    SELECT key AS reference, min(filed_city) AS city, any_value(state) AS state FROM filed
    WHERE key IN (SELECT reference FROM match_references WHERE rule = 'history') GROUP BY key
  )
  SELECT ein, rule, reference, format('Filed by {} funders for this name in {}, {}.', funders, city, state) AS evidence
  FROM match_references JOIN cities USING (reference) WHERE rule = 'history'
  UNION ALL
  SELECT found.ein, rule, reference, format('Listed as {}, {}{}.', concat(name, ' (' || also || ')'),
    concat_ws(', ', city, concat_ws(' ', state, lpad(zip::VARCHAR, 5, '0'))), ${yearsSql})
  FROM match_references AS found JOIN listed_rows ON row::UHUGEINT = reference WHERE rule <> 'history'
  UNION ALL
  SELECT ein, rule, reference, 'Named by the operator.' FROM match_references WHERE rule = 'operator'`;

const emptySql = `
CREATE TABLE matches (position UINTEGER, ein UINTEGER, text INTEGER);
CREATE TABLE match_texts (id INTEGER, ein UINTEGER, rule VARCHAR, score DECIMAL(4, 3), evidence VARCHAR)`;

/** Each text once. */
const textsSql = `
INSERT INTO match_texts
  SELECT row_number() OVER (ORDER BY ein, rule, evidence) - 1, ein, rule, score, evidence
  FROM (SELECT DISTINCT ein, rule, evidence FROM match_evidence)
  JOIN (SELECT unnest($rules) AS rule, unnest($scores::DECIMAL(4, 3)[]) AS score) USING (rule)`;

const matchesSql = `
INSERT INTO matches
  SELECT position, ein, id FROM predicted JOIN match_evidence USING (ein, rule, reference) JOIN match_texts USING (ein, rule, evidence)
  WHERE recipient_ein IS NULL`;

/**
 * Makes two tables from `grants` and `organization_names`: `matches` has the position (the row in `grants`) of each grant with a likely
 * recipient, the recipient's EIN, and the id of its text; `match_texts` has what is said of matches, by id from 0, in order of EIN. The same
 * grants and list give the same matches.
 */
export async function findMatches(connection: DuckDBConnection, sources: MatchSources): Promise<MatchFacts> {
  await connection.run(emptySql);
  if (!sources.hasStates) return noMatches("The warehouse has no states of recipients.");
  await listFiled(connection, sources.hasAddresses);
  await makeNameKeys(connection, `${filedNamesSql} UNION ALL ${listedNamesSql}`);
  await keyFiled(connection);
  const without = await countWithout(connection);
  await findByHistory(connection);
  await findInList(connection);
  for (const statement of predictedSql) await connection.run(statement);
  const { rules, pairs } = await measureRules(connection, sources.before);
  await applyObjections(connection, sources.objections);
  await writeMatches(connection, rules);
  const agreed = rules.reduce((sum, { served, agreement }) => sum + (served ? agreement.agreed : 0), 0);
  return {
    rules_version: rulesVersion,
    why: describeLack(sources),
    ...without,
    matched: await countRows(connection, "matches"),
    recall: compare(pairs, agreed),
    rules: rules.map((figures) => figures),
  };
}

function describeLack({ hasAddresses, hasList }: MatchSources): string | null {
  if (!hasAddresses)
    return "The warehouse has neither cities nor ZIP codes of recipients, so only names that are unique in the list can be found.";
  if (!hasList) return "There is no list of organizations, so only EINs that funders filed can be found.";
  return null;
}

async function countWithout(connection: DuckDBConnection) {
  return {
    without_ein: await countRows(
      connection,
      "grants WHERE recipient_name IS NOT NULL AND recipient_ein IS NULL",
    ),
    placed: await countRows(connection, "placed SEMI JOIN filed USING (filed) WHERE recipient_ein IS NULL"),
  };
}

/** Fills the tables of matches with those of the rules that are served, and of the operator. */
async function writeMatches(connection: DuckDBConnection, rules: readonly RuleFigures[]): Promise<void> {
  const scores: (readonly [MatchRule, number])[] = [["operator", 1]];
  for (const { rule, served, precision } of rules)
    if (served) scores.push([rule, Math.floor((precision.low ?? 0) * 1_000) / 1_000]);
  const names = listValue(scores.map(([rule]) => rule));
  await connection.run(referencesSql, { rules: names });
  await connection.run(evidenceSql);
  await connection.run(textsSql, {
    rules: names,
    scores: listValue(scores.map(([, score]) => score.toFixed(3))),
  });
  await connection.run(matchesSql);
  for (const table of [
    "predicted",
    "filed",
    "filed_eins",
    "listed_rows",
    "match_references",
    "match_evidence",
  ])
    await connection.run(`DROP TABLE ${table}`);
  await connection.run("DROP TABLE name_keys; DROP TABLE name_parts");
}
