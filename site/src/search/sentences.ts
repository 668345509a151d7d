// Describes a search and its results in sentences.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { type Query, searchedTexts } from "../address/query.ts";
import type { StateName } from "../api/places.ts";
import { formatAmount, formatCounted } from "../text/numbers.ts";
import { nameState } from "../text/places.ts";
import { splitEins } from "./fields.ts";

/** Names of the organizations that a search is about, where they are known. */
export type KnownNames = { readonly funder?: string | undefined; readonly recipient?: string | undefined };

/** e.g., "48 grants for “food” in 2018"; "No grants for “music” in 2020". */
export function describeResult(total: number, query: Query, names: KnownNames = {}): string {
  const subject = total === 0 ? "No grants" : formatCounted(total);
  const amount = total === 0 && hasFilter(query, "amounts") ? ` of ${describeAmount(query)}` : "";
  return subject + amount + describeFilters(query, names);
}

/** The subject of a search, for the title while it runs: "Grants for “food” in 2018". */
export function describeSearch(query: Query, names: KnownNames = {}): string {
  return `Grants${describeFilters(query, names)}`;
}

/** e.g., "$10,000 or more, any year. Newest year first, then largest amount." */
export function describeOrder(query: Query): string {
  const amount = hasFilter(query, "amounts") ? describeAmount(query) : "any amount";
  const subject = hasFilter(query, "years") ? amount : `${amount}, any year`;
  const isByAmount = query.sort === "amount" || query.transaction_year !== undefined;
  const order = isByAmount ? "Largest amount first" : "Newest year first, then largest amount";
  return `${capitalize(subject)}. ${order}.`;
}

/** The filters of a search, in the order in which it is loosened: those that people add last go first. */
export const filterNames = [
  "years",
  "amounts",
  "type",
  "recipient_state",
  "funder_state",
  "recipient_ein",
  "funder_ein",
  "purpose",
  "recipient_name",
] as const;

export type FilterName = (typeof filterNames)[number];

/** The parameters of each filter. */
export const parametersOf: Readonly<Record<FilterName, readonly string[]>> = {
  years: ["transaction_year", "min_year", "max_year"],
  amounts: ["min_amount", "max_amount"],
  type: ["type"],
  recipient_state: ["recipient_state"],
  funder_state: ["funder_state"],
  recipient_ein: ["recipient_ein"],
  funder_ein: ["funder_ein"],
  purpose: ["purpose"],
  recipient_name: ["recipient_name"],
};

/** True if one of the filter's parameters is set. */
export function hasFilter(query: Query, name: FilterName): boolean {
  return parametersOf[name].some((parameter) => query[parameter] !== undefined);
}

/** A filter in words, e.g., ["At least", "$10,000"]. */
export function formatFilter(
  name: FilterName,
  query: Query,
  names: KnownNames = {},
): readonly [label: string, value: string] {
  switch (name) {
    case "years":
      return [query.transaction_year === undefined ? "Years" : "Year", describeYears(query)];
    case "amounts":
      if (query.max_amount === undefined) return ["At least", formatAmount(Number(query.min_amount))];
      if (query.min_amount === undefined) return ["At most", formatAmount(Number(query.max_amount))];
      return ["Amount", describeAmount(query)];
    case "type":
      return ["Type", quote(query.type ?? "")];
    case "funder_state":
    case "recipient_state":
      return [name === "funder_state" ? "Funders in" : "Recipients in", nameState(query[name] ?? "")];
    case "funder_ein":
      return ["Funder", names.funder ?? listEins(query, name, "")];
    case "recipient_ein":
      return ["Recipient", names.recipient ?? listEins(query, name, "")];
    case "purpose":
      return ["Purpose contains", quoteSearched(query, name)];
    case "recipient_name":
      return ["Recipient contains", quoteSearched(query, name)];
  }
}

/** The filters of a query in words, e.g., "Year 2016, at least $10,000". */
export function listFilters(query: Query): string {
  return filterNames
    .filter((name) => hasFilter(query, name))
    .map((name) => formatFilter(name, query).join(" "))
    .map((text, index) => (index === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1)))
    .join(", ");
}

/** The filters other than the amounts, after "grants", e.g., " for “music” from EIN 20-0253310 since 2018". */
export function describeFilters(query: Query, names: KnownNames): string {
  const { purpose, type } = query;
  return [
    purpose === undefined ? "" : ` for ${quoteSearched(query, "purpose")}`,
    type === undefined ? "" : ` of type ${quote(type)}`,
    describeFunder(query, names),
    describeState(query, "funder_state"),
    describeRecipient(query, names),
    describeRecipients(query),
    describeWhen(query),
  ].join("");
}

/** e.g., " from EIN 20-0253310", " from any of 12 funders"; "" if no funder is given. */
export function describeFunder(query: Query, names: KnownNames): string {
  if (query.funder_ein === undefined) return "";
  return ` from ${names.funder ?? listEins(query, "funder_ein", "EIN ")}`;
}

/** e.g., " to EIN 95-1642394", " to any of 12 recipients"; "" if no recipient is given. */
export function describeRecipient(query: Query, names: KnownNames): string {
  if (query.recipient_ein === undefined) return "";
  return ` to ${names.recipient ?? listEins(query, "recipient_ein", "EIN ")}`;
}

/** e.g., " to recipients named “food” in California"; "" for any name and state. */
function describeRecipients(query: Query): string {
  const { recipient_name, recipient_state } = query;
  if (recipient_name === undefined) return describeState(query, "recipient_state");
  const place = recipient_state === undefined ? "" : ` in ${nameState(recipient_state)}`;
  return ` to recipients named ${quoteSearched(query, "recipient_name")}${place}`;
}

/** e.g., " from funders in California", " to recipients in California"; "" for any state. */
export function describeState(query: Query, name: StateName): string {
  const state = query[name];
  if (state === undefined) return "";
  return ` ${name === "funder_state" ? "from funders" : "to recipients"} in ${nameState(state)}`;
}

/** e.g., " in 2018", " since 2018", " until 2020", " in 2018–2020"; "" for any year. */
export function describeWhen(query: Query): string {
  if (!hasFilter(query, "years")) return "";
  const years = describeYears(query);
  return /^\d/.test(years) ? ` in ${years}` : ` ${years}`;
}

/** e.g., "2018", "since 2018", "until 2020", "2018–2020". */
function describeYears({ transaction_year, min_year, max_year }: Query): string {
  if (transaction_year !== undefined) return transaction_year;
  if (max_year === undefined) return `since ${min_year}`;
  return min_year === undefined ? `until ${max_year}` : `${min_year}–${max_year}`;
}

/** e.g., "EIN 20-0253310" with the prefix "EIN ", "any of 12 funders". */
function listEins(query: Query, name: "funder_ein" | "recipient_ein", prefix: string): string {
  const [first = "", ...others] = splitEins(query[name]);
  const noun = name === "funder_ein" ? "funders" : "recipients";
  return others.length === 0 ? prefix + hyphenateEin(first) : `any of ${others.length + 1} ${noun}`;
}

/** e.g., "$10,000 or more", "$50,000 or less", "$10,000 to $50,000". */
export function describeAmount({ min_amount, max_amount }: Query): string {
  const [from, to] = [formatAmount(Number(min_amount)), formatAmount(Number(max_amount))];
  if (max_amount === undefined) return `${from} or more`;
  return min_amount === undefined ? `${to} or less` : from === to ? from : `${from} to ${to}`;
}

/** e.g., "“food bank”" for a text, "“food” and “bank”" for words. */
export function quoteSearched(query: Query, parameter: "purpose" | "recipient_name"): string {
  return new Intl.ListFormat("en-US").format(searchedTexts(query, parameter).map(quote));
}

/** The words between the quotation marks of a sentence. */
export function quote(words: string): string {
  return `“${words.trim()}”`;
}

/** The text with its first letter in capitals. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
