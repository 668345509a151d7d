// Formats the facts about likely recipients for the terminal.

import type { MatchFacts, RuleFigures } from "../../api-static/contract/answers/matches.ts";
import { type DisagreementClass, disagreementClasses } from "../../api-static/contract/answers/matchRules.ts";
import { formatShare, formatTable } from "../base/table.ts";

/** How many grants have a match, how right each rule is, why a rule is not served, and the kinds of disagreements. */
export function formatMatches(facts: MatchFacts): string[] {
  const { without_ein, placed, matched, recall, rules, why } = facts;
  const shareOf = (count: number) => (without_ein === 0 ? "" : formatShare(count / without_ein));
  const counts = formatTable([
    ["grants with a name but no EIN", without_ein, ""],
    ["with a place", placed, shareOf(placed)],
    ["with a likely recipient", matched, shareOf(matched)],
  ]);
  return [
    ...counts,
    ...(why === null ? [] : [why]),
    ...(rules.length === 0 ? [] : [`recall: ${formatComparison(recall)} of filed EINs with a place`]),
    ...formatRules(rules),
    ...rules.flatMap(({ rule, why: fault }) => (fault === null ? [] : [`${rule}: ${fault}`])),
    ...formatDisagreements(rules),
  ];
}

function formatRules(rules: readonly RuleFigures[]): string[] {
  if (rules.length === 0) return [];
  return formatTable([
    ["rule", { left: "served" }, "grants", "agreement", "precision, two funders", "recall"],
    ...rules.map(({ rule, served, records, agreement, precision, recall }) => [
      rule,
      { left: served ? "yes" : "no" },
      records,
      ...[formatComparison(agreement), formatComparison(precision)],
      recall === null ? "" : formatShare(recall),
    ]),
  ]);
}

/** e.g., "99.80 % (99.50 to 99.90)", the interval of 95 %; "" if nothing was compared. */
function formatComparison({ share, low, high }: RuleFigures["agreement"]): string {
  if (share === null || low === null || high === null) return "";
  return `${formatShare(share)} (${(low * 100).toFixed(2)} to ${(high * 100).toFixed(2)})`;
}

/** The number of disagreements of each kind by rule; nothing if there are none. */
function formatDisagreements(rules: readonly RuleFigures[]): string[] {
  const kinds = (Object.keys(disagreementClasses) as DisagreementClass[]).filter((kind) =>
    rules.some(({ disagreements }) => disagreements[kind] > 0),
  );
  if (kinds.length === 0) return [];
  return [
    ...formatTable([
      ["disagreements", ...kinds],
      ...rules.map(({ rule, disagreements }) => [rule, ...kinds.map((kind) => disagreements[kind])]),
    ]),
    ...kinds.map((kind) => `${kind}: ${disagreementClasses[kind]}`),
  ];
}
