// Measures how right each rule is on grants with a filed EIN, whose funder's own filings it did not see.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { MatchFacts, RuleFigures } from "../../api-static/contract/answers/matches.ts";
import {
  type DisagreementClass,
  disagreementClasses,
  type MatchRule,
  matchRuleNames,
} from "../../api-static/contract/answers/matchRules.ts";
import { formatShare } from "../base/table.ts";
import { sortedSql } from "./canonical.ts";

type Comparison = MatchFacts["recall"];

/** A rule is served if the lower bound of its precision is at least this. */
export const precisionMin = 0.99;

/** A rule is not served if its agreement fell by this since the release before. */
export const agreementFall = 0.005;

/** The quantile of the normal distribution for an interval of 95 %. */
const z = 1.959964;

/**
 * A share and its confidence interval of 95 %, by Wilson (https://doi.org/10.1080/01621459.1927.10502953), rounded to four digits; the lower bound is
 * rounded down, the upper one up.
 */
export function compare(compared: number, agreed: number): Comparison {
  if (compared === 0) return { compared, agreed, share: null, low: null, high: null };
  const share = agreed / compared;
  const center = share + z ** 2 / (2 * compared);
  const reach = z * Math.sqrt((share * (1 - share)) / compared + z ** 2 / (4 * compared ** 2));
  const scale = 1 + z ** 2 / compared;
  return {
    compared,
    agreed,
    share: Math.round(share * 1e4) / 1e4,
    low: Math.max(0, Math.floor(((center - reach) / scale) * 1e4) / 1e4),
    high: Math.min(1, Math.ceil(((center + reach) / scale) * 1e4) / 1e4),
  };
}

/**
 * The mean of numbers from 0 to 1 and its confidence interval of 95 % by their deviation, rounded as those of `compare`; null without numbers.
 * @param sum of the numbers @param squares the sum of their squares
 */
export function meanOf(
  count: number,
  sum: number,
  squares: number,
): Pick<Comparison, "share" | "low" | "high"> {
  if (count === 0) return { share: null, low: null, high: null };
  const mean = sum / count;
  const reach = z * Math.sqrt(Math.max(0, squares / count - mean ** 2) / count);
  return {
    share: Math.round(mean * 1e4) / 1e4,
    low: Math.max(0, Math.floor((mean - reach) * 1e4) / 1e4),
    high: Math.min(1, Math.ceil((mean + reach) * 1e4) / 1e4),
  };
}

/**
 * A pair is a funder and a recipient as it filed it, with the filed EIN: many grants to one recipient say no more than one. The filed EIN is a
 * consensus if another funder filed it for the same name and city too, unless more funders filed another EIN and the list does not know this one
 * by this name: several funders then filed the EIN of a parent, or a wrong one, by mistake. For names that a rule reads as another form or as misspelled, it
 * is a consensus if another funder filed it there for such a name.
 */
const pairsSql = `
CREATE TABLE pairs AS
  SELECT filed, key, phrase, words, state, city, funder_ein, label, ein, rule
  FROM (SELECT DISTINCT filed, funder_ein, recipient_ein AS label, ein, rule FROM predicted WHERE recipient_ein IS NOT NULL)
  JOIN filed USING (filed);
CREATE TABLE listed_words AS
  SELECT DISTINCT ein, phrase, words FROM organization_names JOIN name_keys USING (name)
  WHERE ein IN (SELECT label FROM pairs);
CREATE TABLE backed AS
  SELECT DISTINCT filed, label, rule
  FROM pairs JOIN (SELECT *, max(funders) OVER (PARTITION BY key) AS most FROM filed_eins) AS filings
    ON filings.key = pairs.key AND filings.ein = label
  WHERE funders = most OR EXISTS (FROM listed_words WHERE listed_words.ein = label AND listed_words.phrase = pairs.phrase)
  UNION
  SELECT DISTINCT pairs.filed, pairs.label, pairs.rule
  FROM pairs JOIN pairs AS others USING (label, state, city)
  WHERE pairs.rule IN ('other_form_of_name', 'misspelled') AND pairs.funder_ein <> others.funder_ein
    AND (${sortedSql("pairs.words")} = ${sortedSql("others.words")} OR levenshtein(pairs.phrase, others.phrase) <= 2
      OR (pairs.rule = 'other_form_of_name' AND (contains(pairs.phrase, others.phrase) OR contains(others.phrase, pairs.phrase))))`;

/**
 * Pairs of a name and city that no other funder filed, as most grants without an EIN are: nothing corroborates them. Their EINs count if they are
 * listed.
 */
const aloneSql = `
CREATE TABLE alone AS
  SELECT filed, label, rule FROM pairs WHERE label IN (SELECT ein FROM organization_names)
    AND key IN (SELECT key FROM pairs GROUP BY key HAVING min(funder_ein) = max(funder_ein))`;

/** Why a pair's filed EIN differs from the found one. */
const classSql = `CASE
  WHEN hamming(lpad(label::VARCHAR, 9, '0'), lpad(ein::VARCHAR, 9, '0')) <= 2 THEN 'digits'
  WHEN label NOT IN (SELECT ein FROM organization_names) THEN 'unlisted'
  WHEN EXISTS (FROM listed_words WHERE listed_words.ein = label AND listed_words.phrase = disagreed.phrase) THEN 'same_name'
  WHEN EXISTS (FROM listed_words WHERE listed_words.ein = label
    AND list_has_any(string_split(listed_words.words, ' '), string_split(disagreed.words, ' '))) THEN 'related_name'
  ELSE 'other_name' END`;

const disagreedSql = `
CREATE TABLE disagreed AS FROM pairs WHERE ein <> label`;

const classesSql = `SELECT rule, class, count(*)::DOUBLE FROM (SELECT rule, ${classSql} AS class FROM disagreed) GROUP BY ALL`;

const comparedSql = `SELECT rule, count(*)::DOUBLE, count(*) FILTER (ein = label)::DOUBLE,
  count(*) FILTER (is_backed)::DOUBLE, count(*) FILTER (is_backed AND ein = label)::DOUBLE,
  count(*) FILTER (is_alone)::DOUBLE, count(*) FILTER (is_alone AND ein = label)::DOUBLE
FROM (
  SELECT pairs.*, backed.filed IS NOT NULL AS is_backed, alone.filed IS NOT NULL AS is_alone
  FROM pairs LEFT JOIN backed USING (filed, label, rule) LEFT JOIN alone USING (filed, label, rule)
)
GROUP BY rule`;

/** The figures of each rule, and those of all pairs. */
export type Figures = { readonly rules: readonly RuleFigures[]; readonly pairs: number };

/**
 * Measures the rules from the tables `predicted`, `filed`, `filed_eins` and `name_keys`.
 * @param before the rules of the release before, whose agreement is compared
 */
export async function measureRules(
  connection: DuckDBConnection,
  before: readonly RuleFigures[],
): Promise<Figures> {
  await connection.run(pairsSql);
  await connection.run(aloneSql);
  await connection.run(disagreedSql);
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  const compared = new Map((await read(comparedSql)).map(([rule, ...counts]) => [rule, counts.map(Number)]));
  const classes = await read(classesSql);
  const records = new Map(
    (
      await read(
        "SELECT rule, count(*)::DOUBLE FROM predicted WHERE recipient_ein IS NULL AND rule IS NOT NULL GROUP BY rule",
      )
    ).map(([rule, count]) => [rule, Number(count)]),
  );
  await connection.run(
    "DROP TABLE pairs; DROP TABLE backed; DROP TABLE alone; DROP TABLE disagreed; DROP TABLE listed_words",
  );
  const pairs = [...compared.values()].reduce((sum, [count = 0]) => sum + count, 0);
  const rules = matchRuleNames
    .filter((rule) => rule !== "operator")
    .map((rule): RuleFigures => {
      const [count = 0, agreed = 0, backed = 0, right = 0, alone = 0, same = 0] = compared.get(rule) ?? [];
      const found = {
        agreement: compare(count, agreed),
        precision: compare(backed, right),
      };
      const why = findFault(rule, found, before);
      return {
        rule,
        served: why === null,
        why,
        records: records.get(rule) ?? 0,
        ...found,
        alone: compare(alone, same),
        recall: pairs === 0 ? null : Math.round((agreed / pairs) * 1e4) / 1e4,
        disagreements: countClasses(classes.filter(([of]) => of === rule)),
      };
    });
  return { rules, pairs };
}

/** Why a rule is not served; null if it is. */
function findFault(
  rule: MatchRule,
  { agreement, precision }: Pick<RuleFigures, "agreement" | "precision">,
  before: readonly RuleFigures[],
): string | null {
  if (precision.low === null || precision.low < precisionMin) {
    const found = precision.low === null ? "none to compare" : `${formatShare(precision.low)} at least`;
    return `Its precision is not proven: ${found}, with ${precision.compared} compared; ${formatShare(precisionMin)} is needed.`;
  }
  const last = before.find((figures) => figures.rule === rule)?.agreement.share;
  if (last == null || agreement.share === null || last - agreement.share < agreementFall) return null;
  return `Its agreement fell from ${formatShare(last)} to ${formatShare(agreement.share)} since the release before.`;
}

function countClasses(rows: readonly (readonly unknown[])[]): RuleFigures["disagreements"] {
  const counts = new Map(rows.map(([, name, count]) => [name, Number(count)]));
  const names = Object.keys(disagreementClasses) as DisagreementClass[];
  return Object.fromEntries(
    names.map((name) => [name, counts.get(name) ?? 0]),
  ) as RuleFigures["disagreements"];
}
