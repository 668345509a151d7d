// Formats the facts about likely funders for the terminal.
import { bases, type Evaluation, type LikelyFundersFacts } from "../../api-static/contract/likelyFunders.ts";
import { formatShare, formatTable } from "../base/table.ts";

/** The pairs, how right lists were on the hidden filings beside the two baselines, and why some are not served. */
export function formatLikelyFunders({ hidden_after, pairs, basis }: LikelyFundersFacts): string[] {
  const share = (value: number | null) => (value === null ? "" : formatShare(value));
  const interval = ({ value, low, high }: Evaluation["mrr"]) =>
    value === null ? "" : `${share(value)} (${share(low)} to ${share(high)})`;
  const rows = bases.map((name) => {
    const { evaluated, why_not } = basis[name];
    const { hit_at_10: value, low, high, recall_at_10, mrr, recipients } = evaluated;
    const shares = [{ value, low, high }, recall_at_10, mrr].map(interval);
    return [name, { left: why_not === null ? "yes" : "no" }, recipients, ...shares];
  });
  const { state, cause } = basis.grants.evaluated.baselines;
  return [
    `pairs of a funder and a recipient: ${pairs.filed.toLocaleString("en-US")} filed, ${pairs.likely.toLocaleString("en-US")} likely`,
    ...(hidden_after === null ? [] : [`filings after ${hidden_after} were hidden`]),
    ...formatTable([["basis", { left: "served" }, "recipients", "hit@10", "recall@10", "MRR"], ...rows]),
    `hit@10 of the most frequent funders: ${share(state) || "none"} by state, ${share(cause) || "none"} by cause`,
    ...bases.flatMap((name) => (basis[name].why_not === null ? [] : [`${name}: ${basis[name].why_not}`])),
  ];
}
