// Writes the sentences on a funder's totals.
import type { Query } from "../address/query.ts";
import type { FunderSummary } from "../api/client.ts";
import { listFilters } from "../search/sentences.ts";
import { formatAmount, formatAmountLong, formatCounted, formatShare, formatYears } from "../text/numbers.ts";
import { findUsualBand } from "../text/sizes.ts";
import { describeMarks, describeNonCash, describeTotals, describeWithout } from "../text/totals.ts";
import type { Piece } from "./sentences.ts";
import { organizationHref } from "./side.ts";

/** A funder's total, number of grants, years, usual size and largest grant. */
export function funderSentence(summary: FunderSummary, opening = "Gave "): Piece[] {
  const { amount, records, first_year, last_year, largest_grant, sizes, funder_ein, individuals } = summary;
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
    ` ${years}${describeNonCash(summary.non_cash)}.`,
    ...(usual === undefined
      ? []
      : [
          " The usual grant is ",
          { strong: usual.text.toLowerCase() },
          ` (${formatShare(usual.share)} of grants)`,
        ]),
    ...(records - individuals.records <= 1
      ? []
      : [usual === undefined ? " The largest was " : "; the largest was ", largest, "."]),
    describeMarks(summary),
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
  const without = `${describeWithout(amount, repeated.amount)} in ${formatCounted(records - repeated.records)}`;
  return `${grants} ${verb}. Without the repeats, the total is ${without}.`;
}

/** e.g., "137 grants of 2015 ($2.8 million)". */
function describeRepeated(
  { records, amount }: { readonly records: number; readonly amount: number },
  years: string,
): string {
  return `${formatCounted(records)} of ${years} (${formatAmountLong(amount)})`;
}
