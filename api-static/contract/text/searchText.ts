// Formats text and amounts for feeds, and describes single filters of a search, and its groups, in words.

import { hyphenateEin, parseEin } from "../ein.ts";
import { formatCents, parseCents } from "./amount.ts";
import { nameState } from "./states.ts";
import { splitWords } from "./text.ts";

/** Characters that XML 1.0 forbids, apart from half surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const forbidden = /[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]/g;

/** The text, with U+FFFD for characters that XML 1.0 forbids and for half surrogates. */
export function printable(text: string): string {
  return text.toWellFormed().replace(forbidden, "\uFFFD");
}

/** Printable text in an element or an attribute. Line ends and tabs are escaped, because parsers normalize them. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  trailingZeroDisplay: "stripIfInteger",
});

/** e.g., "$25,000", "-$0.50", exact however large */
export function formatDollars(cents: bigint): string {
  return dollars.format(formatCents(cents) as `${number}`);
}

/** Values by parameter, as in an address. */
export type Query = Readonly<Record<string, string>>;

/** Names of the organizations and causes that a search is about, where they are known. */
export type KnownNames = {
  readonly funder?: string | undefined;
  readonly recipient?: string | undefined;
  /** The name of a cause; without it, that of its major group. */
  readonly nameOfCause?: ((cause: string) => string) | undefined;
};

/** The noun of one group, e.g., "funder state". */
export function nameGroup(by: string): string {
  return by.replace("_city", "_town").replace("_", " ");
}

/** The plural of a group's noun at the start of a sentence, e.g., "Funder states". */
export function titleOfGroups(by: string): string {
  return `${capitalize(nameGroup(by))}s`;
}

/** e.g., " from EIN 20-0253310", " to any of 12 recipients"; "" if no organization of the role is given. */
export function describeOrganization(query: Query, names: KnownNames, role: "funder" | "recipient"): string {
  const name = `${role}_ein` as const;
  if (query[name] === undefined) return "";
  return ` ${role === "funder" ? "from" : "to"} ${names[role] ?? listEins(query, name, "EIN ")}`;
}

/** e.g., " from funders in California", " to recipients in California"; "" for any state. */
export function describeState(query: Query, name: "funder_state" | "recipient_state"): string {
  const state = query[name];
  if (state === undefined) return "";
  return ` ${name === "funder_state" ? "from funders" : "to recipients"} in ${nameState(state)}`;
}

/** e.g., " in 2018", " since 2018", " until 2020", " in 2018–2020"; "" for any year. */
export function describeWhen(query: Query): string {
  const years = describeYears(query);
  return years === "" ? "" : /^\d/.test(years) ? ` in ${years}` : ` ${years}`;
}

/** e.g., "2018", "since 2018", "until 2020", "2018–2020"; "" for any year. */
export function describeYears({ transaction_year, min_year, max_year }: Query): string {
  if (transaction_year !== undefined) return transaction_year;
  if (max_year === undefined) return min_year === undefined ? "" : `since ${min_year}`;
  return min_year === undefined ? `until ${max_year}` : `${min_year}–${max_year}`;
}

/** e.g., "$10,000 or more", "$50,000 or less", "$10,000 to $50,000"; "" for any amount. */
export function describeAmount({ min_amount, max_amount }: Query): string {
  const from = formatBound(min_amount);
  const to = formatBound(max_amount);
  if (max_amount === undefined) return min_amount === undefined ? "" : `${from} or more`;
  return min_amount === undefined ? `${to} or less` : from === to ? from : `${from} to ${to}`;
}

/** A bound of amounts, e.g., "$10,000"; a text that is no amount as it is. */
export function formatBound(amount = ""): string {
  const cents = parseCents(amount);
  return cents === undefined ? amount : formatDollars(cents).replace("-", "−");
}

/** e.g., "EIN 20-0253310" with the prefix "EIN ", "any of 12 funders". */
export function listEins(query: Query, name: "funder_ein" | "recipient_ein", prefix: string): string {
  const [first = "", ...others] = splitEins(query[name]);
  const noun = name === "funder_ein" ? "funders" : "recipients";
  return others.length === 0 ? prefix + hyphenateEin(first) : `any of ${others.length + 1} ${noun}`;
}

/** The EINs of a parameter that may have several: nine digits each; other text as it is. */
export function splitEins(value: string | undefined): readonly string[] {
  return value === undefined ? [] : value.split(",").map((ein) => parseEin(ein.trim()) ?? ein);
}

/** The texts that a search finds in a field: all of its value, or its words; none if it does not search there. */
export function searchedTexts(query: Query, parameter: "purpose" | "recipient_name"): readonly string[] {
  const text = query[parameter];
  if (text === undefined) return [];
  return query.match === undefined ? [text] : splitWords(text);
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
