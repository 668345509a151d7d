// Explains a search that found nothing, and loosens it: one filter removed at a time, and the words looked for in the other field.
import { attributeFilters } from "../../../api-static/contract/filters/attributes.ts";
import {
  describeAmount,
  describeOrganization,
  describeWhen,
  type KnownNames,
  quoteSearched,
} from "../../../api-static/contract/text/searchText.ts";
import { type Query, without, withoutNeedlessMatch } from "../address/query.ts";
import { attributeHints } from "./attributeHints.ts";
import { type FilterName, filterNames, hasFilter, parametersOf } from "./sentences.ts";

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
  const search = without(query, "limit", "offset", "sort");
  const match = search.match === undefined ? {} : { match: search.match };
  const filters = filterNames.filter((name) => hasFilter(search, name));
  const removals = filters.length < 2 ? [] : filters.slice(0, removalsMax);
  const loosened: Loosened[] = removals.map((removed) => {
    const looser = withoutNeedlessMatch(without(search, ...parametersOf[removed]));
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
  const { purpose, recipient_name } = query;
  /** The attributes of a clause, e.g., "to organizations for “Education”". */
  const sayAttributes = (of: "for" | "from" | "to") =>
    attributeFilters
      .filter(({ clause }) => clause === of)
      .map(({ name, say }) => (removed === name ? attributeHints[name].any : say(query, names).trim()));
  const pieces = [
    removed === "purpose" ? "any purpose" : purpose === undefined ? "" : quoteSearched(query, "purpose"),
    removed === "recipient_name" ? "any recipient" : "",
    ...sayAttributes("for"),
    removed === "funder_ein" ? "from any funder" : describeOrganization(query, names, "funder").trim(),
    ...sayAttributes("from"),
    removed === "recipient_ein" ? "to any recipient" : describeOrganization(query, names, "recipient").trim(),
    recipient_name === undefined ? "" : `recipients named ${quoteSearched(query, "recipient_name")}`,
    ...sayAttributes("to"),
    removed === "years" ? "in any year" : describeWhen(query).trim(),
    removed === "amounts" ? "of any amount" : "",
    hasFilter(query, "amounts") ? `of ${describeAmount(query)}` : "",
  ].filter((piece) => piece !== "");
  const text = pieces.join(" ");
  return /^(from|to|in|of|since|until) /.test(text) ? `grants ${text}` : text;
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

/** Why nothing was found. @param loosened counts of the searches with one filter removed, where they are known */
export function describeNothing(query: Query, loosened: readonly (number | undefined)[]): string {
  const filters = filterNames.filter((name) => hasFilter(query, name));
  if (filters.length > 1) {
    const isEachFound = filters.length === 2 && loosened.every((count) => count !== undefined && count > 0);
    return isEachFound
      ? "Each filter finds grants on its own, but no grant passes both."
      : "No grant passes these filters.";
  }
  switch (filters[0]) {
    case "purpose":
      return `No purpose in the data contains ${query.match === undefined ? "these letters in this order" : "all of these words"}.`;
    case "recipient_name":
      return `No recipient’s name in the data contains ${query.match === undefined ? "these letters in this order" : "all of these words"}.`;
    case "amounts":
      if (query.max_amount === undefined) return "All grants in the data are smaller.";
      return query.min_amount === undefined
        ? "All grants in the data are larger."
        : "No grant in the data has such an amount.";
    case "years":
      return "That can mean no filing was read; it doesn’t mean nothing was given.";
    case "funder_ein":
    case "recipient_ein":
      return "No grant in the data names this EIN.";
    case undefined:
      return "The data have no grants.";
    default:
      return attributeHints[filters[0]].none;
  }
}

/** How the filters were compared, and what else to try. */
export function explainSearch(query: Query): string {
  const { purpose, recipient_name, funder_ein, recipient_ein, match } = query;
  const hints = attributeFilters.map(({ name }) => (query[name] && attributeHints[name].hint) ?? "");
  const start = match === undefined ? "A" : "Each word of a";
  return [
    purpose === undefined
      ? ""
      : `${start} purpose is searched letter for letter, as filed: “scholarship” also finds “scholarships”, but “youth” doesn’t find “young people”. Many purposes name no subject, for example “GENERAL SUPPORT”, so also try recipient names.`,
    recipient_name === undefined
      ? ""
      : `${start} recipient’s name is searched letter for letter, as filed: “food bank” doesn’t find “FOODBANK”. Filers abbreviate names, so also try its rarest word alone.`,
    recipient_ein === undefined
      ? ""
      : "Many grants are filed without their recipient’s EIN, so also try its name.",
    funder_ein === undefined ? "" : "A funder’s grants are here only if its tax filing is in the data.",
    ...new Set(hints),
  ]
    .filter((text) => text !== "")
    .join(" ");
}
