// Adds up the grants whose likely recipient an organization is, from the index.
import { type MatchRule, matchRuleNames } from "../../contract/matchRules.ts";
import { emptySum, type Sum } from "../../contract/sizes.ts";
import { keySql, type Rows } from "../../search/indexDatabase.ts";

/** Rows of each year, of each rule, and of all: year and rule, or null; number of grants, sum of cents, number of funders. */
export const matchedSql = `
SELECT transaction_year, rule, count(*)::DOUBLE, coalesce(sum(amount_cents), 0)::VARCHAR, count(DISTINCT funder_ein)::DOUBLE
FROM by_match WHERE matched_ein = ${keySql}
GROUP BY GROUPING SETS ((transaction_year), (rule), ()) ORDER BY transaction_year DESC`;

export type MatchedTotals = Sum & {
  readonly funders: number;
  /** Newest first. */
  readonly years: readonly (Sum & { readonly transaction_year: number })[];
  /** Surest first. */
  readonly rules: readonly { readonly match_rule: MatchRule; readonly records: number }[];
};

/** The totals of a recipient's likely grants, from the rows of `matchedSql`. */
export function addUpMatched(rows: Rows): MatchedTotals {
  const found: { funders: number; total: Sum } = { funders: 0, total: emptySum };
  const years: MatchedTotals["years"][number][] = [];
  const recordsOf = new Map<unknown, number>();
  for (const [year, rule, records, cents, funders] of rows) {
    const sum = { records: Number(records), amount: BigInt(String(cents)) };
    if (year !== null) years.push({ transaction_year: Number(year), ...sum });
    else if (rule !== null) recordsOf.set(rule, sum.records);
    else Object.assign(found, { funders: Number(funders), total: sum });
  }
  const rules = matchRuleNames.flatMap((match_rule) => {
    const records = recordsOf.get(match_rule);
    return records === undefined ? [] : [{ match_rule, records }];
  });
  return { ...found.total, funders: found.funders, years, rules };
}
