// Writes the sentences on a funder's totals.
import type { FunderSummary } from "../api/client.ts";
import type { Piece } from "../organization/lede.tsx";
import { findUsualBand } from "../organization/sizes.ts";
import { formatAmount, formatAmountLong, formatCounted, formatShare, formatYears } from "../text/numbers.ts";
import { funderHref } from "./filters.ts";

/** A funder's total, number of grants, years, usual size and largest grant. */
export function funderSentence(summary: FunderSummary, opening = "Gave "): Piece[] {
  const { amount, records, first_year, last_year, largest_grant, sizes, funder_ein } = summary;
  const years = first_year === last_year ? `in ${first_year}` : `from ${formatYears(first_year, last_year)}`;
  const usual = findUsualBand(sizes);
  const largest = {
    text: formatAmount(largest_grant.amount),
    href: largestHref(funder_ein, largest_grant.amount),
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
    years.length > maxYearsNamed ? describeRepeated(repeated, formatYears(first, last)) : joinWords(named);
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

/** e.g., "one, two and three". */
function joinWords(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
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
