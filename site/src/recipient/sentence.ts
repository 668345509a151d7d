// Writes the first sentence of a recipient's page.
import type { RecipientSummary } from "../api/client.ts";
import type { Piece } from "../organization/lede.tsx";
import { formatAmountLong, formatCounted, formatShare, formatYears } from "../text/numbers.ts";

/** Minimum share of a funder that gets a sentence. */
const minShare = 0.5;

/** A recipient's total, numbers of grants and funders, years, and a funder that gave most of it. */
export function recipientSentence(summary: RecipientSummary): Piece[] {
  const { amount, records, funders, first_year, last_year, top_funders } = summary;
  const share = amount > 0 ? (top_funders[0]?.amount ?? 0) / amount : 0;
  const isMostlyOne = funders > 1 && share >= minShare && share <= 1;
  return [
    "Received ",
    { strong: formatAmountLong(amount) },
    amount < 0 ? " net of corrections in " : " in ",
    { strong: formatCounted(records) },
    " from ",
    { strong: funders === 1 ? "one funder" : formatCounted(funders, "funder") },
    `, ${formatYears(first_year, last_year)}.`,
    ...(isMostlyOne
      ? [` One funder gave ${share >= 0.995 && share < 1 ? "nearly all" : formatShare(share)} of it.`]
      : []),
  ];
}

/** The title of the page, result first. */
export function recipientTitle(name: string, { records, amount }: RecipientSummary): string {
  return `${name}: ${formatCounted(records)} received, ${formatAmountLong(amount)} – Grant History`;
}
