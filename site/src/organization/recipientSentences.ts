// Writes the sentences on a recipient's totals: what was filed, and apart from it, what is likely.
import type { RecipientSummary } from "../api/client.ts";
import { formatAmountLong, formatCount, formatCounted, formatShare, formatYears } from "../text/numbers.ts";
import { describeNonCash } from "../text/totals.ts";
import type { Piece } from "./sentences.ts";
import type { Summary } from "./side.ts";

/** Minimum share of a funder that gets a sentence. */
const minShare = 0.5;

/** What was filed of a recipient, and if they are shown, apart from it, the likely grants. */
export function recipientSentence(summary: RecipientSummary, hasLikely = false): Piece[] {
  if (!hasLikely || summary.matched.records === 0) return filedSentence(summary);
  const { records, amount } = summary.matched;
  return [
    ...filedSentence(summary),
    " ",
    { strong: summary.records === 0 ? formatCounted(records) : `${formatCount(records)} more` },
    ", ",
    { strong: formatAmountLong(amount) },
    `, ${records === 1 ? "is" : "are"} likely.`,
  ];
}

/** A recipient's total, numbers of grants and funders, years, and a funder that gave most of it. */
function filedSentence(summary: RecipientSummary): Piece[] {
  const { amount, records, funders, first_year, last_year, top_funders } = summary;
  if (first_year === null || last_year === null) return ["No grant names this EIN."];
  const share = amount > 0 ? (top_funders[0]?.amount ?? 0) / amount : 0;
  const isMostlyOne = funders > 1 && share >= minShare && share <= 1;
  return [
    "Received ",
    { strong: formatAmountLong(amount) },
    amount < 0 ? " net of corrections in " : " in ",
    { strong: formatCounted(records) },
    " from ",
    { strong: funders === 1 ? "one funder" : formatCounted(funders, "funder") },
    `, ${formatYears(first_year, last_year)}${describeNonCash(summary.non_cash)}.`,
    ...(isMostlyOne
      ? [` One funder gave ${share >= 0.995 && share < 1 ? "nearly all" : formatShare(share)} of it.`]
      : []),
  ];
}

/** e.g., "All 48 grants as filed, and 31 likely ones": their sum says nothing. */
export function titleWithLikely(summary: Summary | undefined): string {
  if (summary === undefined || !("matched" in summary)) return "All grants, as filed and likely";
  const { records, matched } = summary;
  const likely = formatCounted(matched.records, "likely one");
  return records === 0
    ? formatCounted(matched.records, "likely grant")
    : `${records === 1 ? "The one grant" : `All ${formatCounted(records)}`} as filed, and ${likely}`;
}
