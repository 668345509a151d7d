// Writes the first sentence of a funder's page whose address has filters: the count and sum of the grants that pass them.
import type { Query } from "../address/query.ts";
import { type Call, searchCall } from "../api/calls.ts";
import type { FunderSummary, HistoryPage } from "../api/client.ts";
import { findCurrent, useCall } from "../api/useCall.ts";
import { listFilters } from "../search/sentences.ts";
import { formatAmountLong, formatCounted } from "../text/numbers.ts";
import type { Piece } from "./sentences.ts";

/** Grants that one call can list, and this page can sum. */
const summedMax = 1_000;

/** Count of the grants that pass the filters, and their sum if it is known. */
export type Filtered = { readonly records: number; readonly amount: number | undefined };

/**
 * The count and sum: of one year from the summary, otherwise from the rows if these are all.
 * @param page the rows that are known, from the first on
 */
export function sumFiltered(
  filters: Query,
  summary: FunderSummary,
  page: Pick<HistoryPage, "data" | "total" | "offset"> | undefined,
): Filtered | undefined {
  const { transaction_year, ...others } = filters;
  if (transaction_year !== undefined && Object.keys(others).length === 0) {
    const year = summary.years.find((each) => String(each.transaction_year) === transaction_year);
    return { records: year?.records ?? 0, amount: year?.amount ?? 0 };
  }
  if (page === undefined) return undefined;
  const { data, total, offset } = page;
  const isWhole = offset === 0 && data.length === total;
  const cents = data.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
  return { records: total, amount: isWhole ? cents / 100 : undefined };
}

/** e.g., "48 grants, $1.2 million: year 2016, at least $10,000." */
export function filteredSentence(filters: Query, filtered: Filtered | undefined): Piece[] {
  if (filtered === undefined) return ["\u00A0"]; // its line is reserved
  const { records, amount } = filtered;
  const words = listFilters(filters);
  return [
    { strong: formatCounted(records) },
    ...(amount === undefined ? [] : [", ", { strong: formatAmountLong(amount) }]),
    `: ${words.charAt(0).toLowerCase()}${words.slice(1)}.`,
  ];
}

/** The count and sum of the grants that pass the filters; another call lists up to 1,000 of them if the page has fewer. */
export function useFiltered(
  ein: string,
  filters: Query,
  summary: FunderSummary,
  page: HistoryPage | undefined,
): Filtered | undefined {
  const known = sumFiltered(filters, summary, page);
  const isSummed = known === undefined || known.amount !== undefined || known.records > summedMax;
  const call: Call<HistoryPage> | undefined = isSummed
    ? undefined
    : searchCall({ funder_ein: ein, ...filters, limit: String(summedMax) });
  const all = useCall(call);
  const found = findCurrent(all, call);
  return found === undefined ? known : sumFiltered(filters, summary, found);
}
