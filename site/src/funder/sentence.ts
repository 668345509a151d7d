// Writes the first sentence of a funder's page.
import type { FunderSummary } from "../api/client.ts";
import type { Piece } from "../organization/sentence.ts";
import { findUsualBand } from "../organization/sizes.ts";
import { formatAmount, formatAmountLong, formatCounted, formatShare, formatYears } from "../text/numbers.ts";
import { funderHref } from "./filters.ts";

/** A funder's total, number of grants, years, usual size and largest grant. */
export function funderSentence(summary: FunderSummary): Piece[] {
  const { amount, records, first_year, last_year, largest_grant, sizes, funder_ein } = summary;
  const years = first_year === last_year ? `in ${first_year}` : `from ${formatYears(first_year, last_year)}`;
  const usual = findUsualBand(sizes);
  const largest = {
    text: formatAmount(largest_grant.amount),
    href: largestHref(funder_ein, largest_grant.amount),
  };
  return [
    "Gave ",
    { strong: formatAmountLong(amount) },
    amount < 0 ? " net of corrections in " : " in ",
    { strong: formatCounted(records) },
    ` ${years}.`,
    ...(usual === undefined
      ? []
      : [" The usual grant is ", { strong: usual.text }, ` (${formatShare(usual.share)} of grants)`]),
    ...(records === 1
      ? []
      : [usual === undefined ? " The largest was " : "; the largest was ", largest, "."]),
  ];
}

/** The funder's grants of at least its largest amount. */
function largestHref(ein: string, amount: number): string {
  return funderHref(ein, { min_amount: String(amount) });
}

/** The title of the page, result first. */
export function funderTitle(name: string, summary: FunderSummary): string {
  const { records, amount } = summary;
  return `${name}: ${formatCounted(records)}, ${formatAmountLong(amount)} – Grant History`;
}
