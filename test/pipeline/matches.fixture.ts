// Fills the tables of matches without the rules, so that tests know every match.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  disagreementClasses,
  type MatchFacts,
  type MatchRule,
  matchRuleNames,
  rulesVersion,
} from "../../api-static/contract/matches.ts";

/** The rules that give matches. */
export const servedRules: readonly MatchRule[] = ["history", "name_and_place"];

/** A recipient of every fourth match, that no grant names. */
export const unfiledEin = 300000001;

/** Every second grant without an EIN has a match, with the first two rules in turn. */
const tablesSql = `
CREATE TEMP TABLE chosen AS
  SELECT position, CASE WHEN place % 4 = 0 THEN ${unfiledEin} ELSE 200000000 + place % 5 END::UINTEGER AS ein,
    CASE WHEN place % 2 = 0 THEN '${servedRules[0]}' ELSE '${servedRules[1]}' END AS rule
  FROM (SELECT rowid::UINTEGER AS position, (row_number() OVER () - 1) // 2 AS place, (row_number() OVER ()) % 2 AS is_odd
    FROM grants WHERE recipient_ein IS NULL ORDER BY rowid) WHERE is_odd = 1;
CREATE TABLE match_texts AS
  SELECT (row_number() OVER (ORDER BY ein, rule) - 1)::INTEGER AS id, ein, rule,
    CASE rule WHEN '${servedRules[0]}' THEN 0.995 ELSE 0.992 END::DECIMAL(4, 3) AS score, 'It is "' || ein || '", by ' || rule AS evidence
  FROM (SELECT DISTINCT ein, rule FROM chosen) ORDER BY ein, rule;
CREATE TABLE matches AS
  SELECT position, ein, id AS text FROM chosen JOIN match_texts USING (ein, rule) ORDER BY position;
DROP TABLE chosen`;

/** Makes the tables `matches` and `match_texts` from `grants`, and returns their facts, as `findMatches` does. */
export async function findTestMatches(connection: DuckDBConnection): Promise<MatchFacts> {
  await connection.run(tablesSql);
  const count = async (sql: string) =>
    Number((await connection.runAndReadAll(`SELECT count(*) FROM ${sql}`)).getRows()[0]?.[0]);
  const agreed = { compared: 1000, agreed: 998, share: 0.998, low: 0.995, high: 0.999 };
  const none = { compared: 0, agreed: 0, share: null, low: null, high: null };
  const disagreements = Object.fromEntries(
    Object.keys(disagreementClasses).map((name) => [name, name === "digits" ? 2 : 0]),
  ) as MatchFacts["rules"][number]["disagreements"];
  const rules = [];
  for (const rule of matchRuleNames) {
    const served = servedRules.includes(rule);
    const records = await count(`matches JOIN match_texts ON id = text WHERE rule = '${rule}'`);
    rules.push({
      ...{ rule, served, why: served ? null : "it was not tried", records },
      ...{ agreement: served ? agreed : none, precision: served ? agreed : none },
      ...{ recall: served ? 0.3 : null, disagreements },
    });
  }
  const without = await count("grants WHERE recipient_ein IS NULL AND recipient_name IS NOT NULL");
  return {
    ...{ rules_version: rulesVersion, why: null, without_ein: without, placed: without },
    ...{ matched: await count("matches"), recall: agreed, rules },
  };
}
