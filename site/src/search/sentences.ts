// Describes a search and its results in sentences.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { type Query, searchedTexts } from "../address/query.ts";
import { formatAmount, formatCounted } from "../text/numbers.ts";
import { cleanEin } from "./fields.ts";

/** Names of the organizations that a search is about, where they are known. */
export type KnownNames = { readonly funder?: string | undefined; readonly recipient?: string | undefined };

/** e.g., "48 grants for “food” in 2018"; "No grants for “music” in 2020". */
export function describeResult(total: number, query: Query, names: KnownNames = {}): string {
  const subject = total === 0 ? "No grants" : formatCounted(total);
  const amount = total === 0 && query.min_amount !== undefined ? ` of ${describeAmount(query)}` : "";
  return subject + amount + describeFilters(query, names);
}

/** The subject of a search, for the title while it runs: "Grants for “food” in 2018". */
export function describeSearch(query: Query, names: KnownNames = {}): string {
  return `Grants${describeFilters(query, names)}`;
}

/** e.g., "$10,000 or more, any year. Newest year first, then largest amount." */
export function describeOrder(query: Query): string {
  const amount = query.min_amount === undefined ? "Any amount" : describeAmount(query);
  if (query.transaction_year !== undefined) return `${amount}. Largest amount first.`;
  return `${amount}, any year. Newest year first, then largest amount.`;
}

/** Why nothing was found. @param loosened counts of the searches with one filter removed, where they are known */
export function describeNothing(query: Query, loosened: readonly (number | undefined)[]): string {
  const filters = filterNames.filter((name) => query[name] !== undefined);
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
    case "min_amount":
      return "All grants in the data are smaller.";
    case "transaction_year":
      return "That can mean no filing was read; it doesn’t mean nothing was given.";
    default:
      return "No grant in the data names this EIN.";
  }
}

/** How the filters were compared, and what else to try. */
export function explainSearch({ purpose, recipient_name, funder_ein, recipient_ein, match }: Query): string {
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
  ]
    .filter((text) => text !== "")
    .join(" ");
}

/** The parameters that filter, in the order in which a search is loosened: those that people add last go first. */
export const filterNames = [
  "transaction_year",
  "min_amount",
  "recipient_ein",
  "funder_ein",
  "purpose",
  "recipient_name",
] as const;

export type FilterName = (typeof filterNames)[number];

/** A filter in words, e.g., ["At least", "$10,000"]. */
export function formatFilter(
  name: FilterName,
  query: Query,
  names: KnownNames = {},
): readonly [label: string, value: string] {
  const value = query[name] ?? "";
  switch (name) {
    case "transaction_year":
      return ["Year", value];
    case "min_amount":
      return ["At least", formatAmount(Number(value))];
    case "funder_ein":
      return ["Funder", names.funder ?? hyphenateEin(cleanEin(value))];
    case "recipient_ein":
      return ["Recipient", names.recipient ?? hyphenateEin(cleanEin(value))];
    case "purpose":
      return ["Purpose contains", quoteSearched(query, name)];
    case "recipient_name":
      return ["Recipient contains", quoteSearched(query, name)];
  }
}

/** The filters of a query in words, e.g., "Year 2016, at least $10,000". */
export function listFilters(query: Query): string {
  return filterNames
    .filter((name) => query[name] !== undefined)
    .map((name) => formatFilter(name, query).join(" "))
    .map((text, index) => (index === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1)))
    .join(", ");
}

function describeFilters(query: Query, names: KnownNames): string {
  const { purpose, recipient_name, funder_ein, recipient_ein, transaction_year } = query;
  return [
    purpose === undefined ? "" : ` for ${quoteSearched(query, "purpose")}`,
    funder_ein === undefined ? "" : ` from ${names.funder ?? `EIN ${hyphenateEin(funder_ein)}`}`,
    recipient_ein === undefined ? "" : ` to ${names.recipient ?? `EIN ${hyphenateEin(recipient_ein)}`}`,
    recipient_name === undefined ? "" : ` to recipients named ${quoteSearched(query, "recipient_name")}`,
    transaction_year === undefined ? "" : ` in ${transaction_year}`,
  ].join("");
}

/** e.g., "$10,000 or more". */
export function describeAmount(query: Query): string {
  return `${formatAmount(Number(query.min_amount))} or more`;
}

/** e.g., "“food bank”" for a text, "“food” and “bank”" for words. */
export function quoteSearched(query: Query, parameter: "purpose" | "recipient_name"): string {
  return new Intl.ListFormat("en-US").format(searchedTexts(query, parameter).map(quote));
}

/** The words between the quotation marks of a sentence. */
export function quote(words: string): string {
  return `“${words.trim()}”`;
}
