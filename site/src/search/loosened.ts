// Loosens a search that found nothing: one filter removed at a time, and the words looked for in the other field.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { type Query, without, withoutNeedlessMatch } from "../address/query.ts";

import { describeAmount, type FilterName, filterNames, type KnownNames, quoteSearched } from "./sentences.ts";

export type Loosened = {
  readonly query: Query;
  /** e.g., "“music” in any year". */
  readonly text: string;
  /** The filter that was removed; undefined if the words moved to the other field. */
  readonly removed: FilterName | undefined;
};

/** At most this many searches with one filter removed are counted. */
const removalsMax = 4;

/** The searches that may find something instead. A search by one filter is not loosened to all grants. */
export function loosen(query: Query, names: KnownNames = {}): Loosened[] {
  const search = without(query, "limit", "offset");
  const match = search.match === undefined ? {} : { match: search.match };
  const filters = filterNames.filter((name) => search[name] !== undefined);
  const removals = filters.length < 2 ? [] : filters.slice(0, removalsMax);
  const loosened: Loosened[] = removals.map((removed) => {
    const looser = withoutNeedlessMatch(without(search, removed));
    return { query: looser, text: describe(looser, removed, names), removed };
  });
  if (search.purpose !== undefined && search.recipient_name === undefined) {
    const moved = { recipient_name: search.purpose, ...match };
    const text = `recipients named ${quoteSearched(moved, "recipient_name")}, in any year`;
    loosened.push({ query: moved, text, removed: undefined });
  }
  if (search.recipient_name !== undefined && search.purpose === undefined) {
    const moved = { purpose: search.recipient_name, ...match };
    const text = `purposes that contain ${quoteSearched(moved, "purpose")}, in any year`;
    loosened.push({ query: moved, text, removed: undefined });
  }
  return loosened;
}

/** e.g., "“music” in any year", "any purpose in 2020". */
function describe(query: Query, removed: FilterName, names: KnownNames): string {
  const { purpose, recipient_name, funder_ein, recipient_ein, transaction_year, min_amount } = query;
  const pieces = [
    removed === "purpose" ? "any purpose" : purpose === undefined ? "" : quoteSearched(query, "purpose"),
    removed === "recipient_name" ? "any recipient" : "",
    recipient_name === undefined ? "" : `recipients named ${quoteSearched(query, "recipient_name")}`,
    removed === "funder_ein" ? "from any funder" : "",
    funder_ein === undefined ? "" : `from ${names.funder ?? `EIN ${hyphenateEin(funder_ein)}`}`,
    removed === "recipient_ein" ? "to any recipient" : "",
    recipient_ein === undefined ? "" : `to ${names.recipient ?? `EIN ${hyphenateEin(recipient_ein)}`}`,
    removed === "transaction_year" ? "in any year" : "",
    transaction_year === undefined ? "" : `in ${transaction_year}`,
    removed === "min_amount" ? "of any amount" : "",
    min_amount === undefined ? "" : `of ${describeAmount(query)}`,
  ].filter((piece) => piece !== "");
  const text = pieces.join(" ");
  return /^(from|to|in|of) /.test(text) ? `grants ${text}` : text;
}

/** The number of grants of each year; 0 for years without any. */
export function countYears(
  grants: readonly { readonly transaction_year: number }[],
  first: number,
  last: number,
): { year: number; value: number }[] {
  const counts = new Map<number, number>();
  for (const { transaction_year: year } of grants) counts.set(year, (counts.get(year) ?? 0) + 1);
  const start = Math.min(first, ...counts.keys());
  const end = Math.max(last, ...counts.keys());
  return Array.from({ length: end - start + 1 }, (_, index) => {
    const year = start + index;
    return { year, value: counts.get(year) ?? 0 };
  });
}
