// Writes the sentences on an organization's totals.
import type { Query } from "../address/query.ts";
import type { FunderSummary, RecipientSummary } from "../api/client.ts";
import { listFilters } from "../search/sentences.ts";
import { formatAmount, formatAmountLong, formatCounted, formatShare, formatYears } from "../text/numbers.ts";
import { describeTotals } from "../text/totals.ts";
import { organizationHref, type Summary } from "./side.ts";
import { findUsualBand } from "./sizes.ts";

/** A part of a sentence: plain, strong, or a link. */
export type Piece = string | { readonly strong: string } | { readonly text: string; readonly href: string };

/** A funder's total, number of grants, years, usual size and largest grant. */
export function funderSentence(summary: FunderSummary, opening = "Gave "): Piece[] {
  const { amount, records, first_year, last_year, largest_grant, sizes, funder_ein } = summary;
  const years = first_year === last_year ? `in ${first_year}` : `from ${formatYears(first_year, last_year)}`;
  const usual = findUsualBand(sizes);
  const largest = {
    text: formatAmount(largest_grant.amount),
    href: organizationHref("funder", funder_ein, { min_amount: largest_grant.amount }),
  };
  return [
    opening,
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

/** e.g., "$1.2 million in 48 grants to 20 recipients: year 2016, at least $10,000." */
export function filteredSentence(filters: Query, totals: Parameters<typeof describeTotals>[0]): string {
  const words = listFilters(filters);
  return `${describeTotals(totals, true)}: ${words.charAt(0).toLowerCase()}${words.slice(1)}.`;
}

/** Years that a sentence names one by one. */
const maxYearsNamed = 3;

/**
 * The grants that several filings list, and the totals without the repeats, e.g., "137 grants of 2015 ($2.8 million) appear in two
 * filings. Without the repeats, the total is $28.3 million in 1,586 grants."; undefined if there are none.
 */
export function repeatedSentence({ repeated, records, amount }: FunderSummary): string | undefined {
  const { years } = repeated;
  const [last, first] = [years[0]?.transaction_year, years.at(-1)?.transaction_year];
  if (first === undefined || last === undefined) return undefined;
  const isTwice = years.every(({ filings }) => filings === 2);
  const verb = isTwice
    ? `appear${repeated.records === 1 ? "s" : ""} in two filings`
    : `repeat${repeated.records === 1 ? "s a grant" : " grants"} of other filings`;
  const named = years.map((of) => describeRepeated(of, String(of.transaction_year)));
  const grants =
    years.length > maxYearsNamed
      ? describeRepeated(repeated, formatYears(first, last))
      : new Intl.ListFormat("en-US").format(named);
  const without = `${formatAmountLong(amount - repeated.amount)} in ${formatCounted(records - repeated.records)}`;
  return `${grants} ${verb}. Without the repeats, the total is ${without}.`;
}

/** e.g., "137 grants of 2015 ($2.8 million)". */
function describeRepeated(
  { records, amount }: { readonly records: number; readonly amount: number },
  years: string,
): string {
  return `${formatCounted(records)} of ${years} (${formatAmountLong(amount)})`;
}

/** Minimum share of a funder that gets a sentence. */
const minShare = 0.5;

/** A recipient's total, numbers of grants and funders, years, and a funder that gave most of it. */
export function recipientSentence(summary: RecipientSummary): Piece[] {
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
    `, ${formatYears(first_year, last_year)}.`,
    ...(isMostlyOne
      ? [` One funder gave ${share >= 0.995 && share < 1 ? "nearly all" : formatShare(share)} of it.`]
      : []),
  ];
}

/**
 * The title of the page, result first.
 * @param summary undefined while it is awaited
 * @returns undefined if the side is missing: its notice sets the title
 */
export function organizationTitle(
  name: string,
  summary: Summary | undefined,
  isMissing: boolean,
): string | undefined {
  if (isMissing) return undefined;
  if (summary === undefined) return `${name} – Grant History`;
  const received = "funder_ein" in summary ? "" : " received";
  return `${name}: ${formatCounted(summary.records)}${received}, ${formatAmountLong(summary.amount)} – Grant History`;
}
