// Writes the parts of sentences on an organization's totals, and the title of its page.
import { describeFilters } from "../../../api-static/contract/filters/table.ts";
import type { Query } from "../address/query.ts";
import { formatAmountLong, formatCounted } from "../text/numbers.ts";
import type { Summary } from "./side.ts";

/** A part of a sentence: plain, strong, or a link. */
export type Piece = string | { readonly strong: string } | { readonly text: string; readonly href: string };

/**
 * The title of the page, result first.
 * @param summary undefined while it is awaited
 * @param filters of the grants in the table, which the title then leads to
 * @param passing the sum of those grants, once it is known
 * @returns undefined if the side is missing: its notice sets the title
 */
export function organizationTitle(
  name: string,
  summary: Summary | undefined,
  isMissing: boolean,
  filters: Query = {},
  passing?: Pick<Summary, "records" | "amount">,
): string | undefined {
  if (isMissing) return undefined;
  const filtered = describeFilters(filters);
  if (passing !== undefined)
    return `${name}: ${formatCounted(passing.records)}${filtered}, ${formatAmountLong(passing.amount)} – Grant History`;
  if (filtered !== "")
    return `${name}: grants ${"matched" in filters ? "received" : "made"}${filtered} – Grant History`;
  if (summary === undefined) return `${name} – Grant History`;
  if (summary.records === 0 && "matched" in summary)
    return `${name}: ${formatCounted(summary.matched.records, "likely grant")} received – Grant History`;
  const received = "funder_ein" in summary ? "" : " received";
  return `${name}: ${formatCounted(summary.records)}${received}, ${formatAmountLong(summary.amount)} – Grant History`;
}
