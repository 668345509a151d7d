// Writes the matches that are served, and what is said of each.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { RuleFigures } from "../../api-static/contract/answers/matches.ts";
import type { MatchRule } from "../../api-static/contract/answers/matchRules.ts";

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
 * Fills the tables `matches` and `match_texts` from `predicted`, with the matches of the rules that are served, and of the operator. A match's score is
 * the lower bound of its rule's precision.
 */
export async function writeMatches(
  connection: DuckDBConnection,
  rules: readonly RuleFigures[],
): Promise<void> {
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
}
