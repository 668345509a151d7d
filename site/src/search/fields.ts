// Converts between a page's address and the fields of the search form. The form sends nothing that the API refuses.

import { type Ein, hyphenateEin, parseEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { type AttributeName, attributeFilters } from "../../../api-static/contract/filters/attributes.ts";
import { filterNames, findConflicts } from "../../../api-static/contract/filters/table.ts";
import { einsMax } from "../../../api-static/contract/limits.ts";
import { parameterNames, readParameter } from "../../../api-static/contract/parameters.ts";
import type { Draft } from "../../../api-static/contract/values.ts";
import { formatQuery, type Query } from "../address/query.ts";
import { attributeTexts, isAttribute } from "../text/attributeTexts.ts";
import { formatCount } from "../text/numbers.ts";

/** The parameter that the words of the box become. */
export type Scope = "purpose" | "recipient_name";

/** The parameters that a form writes; two equal years become `transaction_year`. Grants per page have no field: they stay as the address has them. */
export type FieldName = (typeof fieldNames)[number];
const fieldNames = [
  ...filterNames.filter((name) => name !== "transaction_year"),
  ...(["sort", "limit"] as const),
];

/** The text of each parameter's field, and the parameter that the search box holds. */
export type Fields = Readonly<Record<FieldName, string>> & { readonly scope: Scope };

/** A form's messages by parameter. */
export type FieldProblems = Readonly<Partial<Record<string, string>>>;

/** The fields of an address. */
export function readFields(query: Query): Fields {
  const of = (name: FieldName) => query[name] ?? "";
  const fields = Object.fromEntries(fieldNames.map((name) => [name, of(name)])) as Record<FieldName, string>;
  return {
    ...fields,
    scope: query.purpose === undefined && query.recipient_name !== undefined ? "recipient_name" : "purpose",
    funder_ein: hyphenate(of("funder_ein")),
    recipient_ein: hyphenate(of("recipient_ein")),
    min_year: query.transaction_year ?? of("min_year"),
    max_year: query.transaction_year ?? of("max_year"),
    ...chosen(of),
    min_amount: groupDigits(of("min_amount")),
    max_amount: groupDigits(of("max_amount")),
  };
}

/** The values that are chosen, such as states, as the API writes them: an address may have "ny". */
function chosen(of: (name: AttributeName) => string): Partial<Record<AttributeName, string>> {
  const offered = attributeFilters.filter(({ name }) => attributeTexts[name].options !== undefined);
  const entries = offered.map(({ name, parse }) => {
    const value = parse(name, of(name));
    return [name, typeof value === "string" ? value : of(name)];
  });
  return Object.fromEntries(entries);
}

/** What a box searches for: words in a scope, and filters that it read from the rest of its text. */
export type Words = { readonly scope: Scope; readonly words: string; readonly filters?: Query };

/** The filters by a recipient's place. */
export const placeNames = ["recipient_city", "recipient_state", "recipient_zip"] as const;

/** Fields whose box searches for words. A place replaces the one before, whose city would contradict it. */
export function withWords(fields: Fields, { scope, words, filters }: Words): Fields {
  const noPlace = filters && Object.fromEntries(placeNames.map((name) => [name, ""]));
  return { ...fields, [fields.scope]: "", scope, ...noPlace, ...filters, [scope]: words };
}

/** The address of a search that starts at a box. */
export function wordsHref({ scope, words, filters }: Words): string {
  return `/${formatQuery({ [scope]: words, match: matchOf(words), ...filters })}`;
}

/** The query that the fields ask for, without blank ones, in the order of canonical URLs; and the problems of the fields. */
export function writeFields(fields: Fields): { readonly query: Query; readonly problems: FieldProblems } {
  const [purpose, recipient_name] = [cleanWords(fields.purpose), cleanWords(fields.recipient_name)];
  const [min_year, max_year] = [fields.min_year.trim(), fields.max_year.trim()];
  const values: Query = {
    funder_ein: cleanEins(fields.funder_ein),
    recipient_ein: cleanEins(fields.recipient_ein),
    ...(min_year === max_year ? { transaction_year: min_year } : { min_year, max_year }),
    purpose,
    recipient_name,
    match: matchOf(purpose, recipient_name),
    ...Object.fromEntries(attributeFilters.map(({ name }) => [name, fields[name].trim()])),
    ...chosen((name) => fields[name].trim()),
    min_amount: cleanAmount(fields.min_amount),
    max_amount: cleanAmount(fields.max_amount),
    sort: fields.sort.trim(),
    limit: fields.limit.trim(),
  };
  const query: Record<string, string> = {};
  const problems: Record<string, string> = {};
  const draft: Draft = {};
  for (const parameter of parameterNames) {
    const value = values[parameter]?.toWellFormed(); // as the address will hold it
    if (value === undefined || value === "") continue;
    const fault = readParameter(parameterNames, parameter, [value], draft);
    if (fault === undefined) query[parameter] = value;
    else problems[parameter] = explain({ parameter, ...fault }, value);
  }
  for (const conflict of findConflicts(draft, false)) {
    const { parameter } = conflict;
    problems[parameter] = explain(conflict, query[parameter] ?? "");
    delete query[parameter];
  }
  return { query, problems };
}

/** The problem of a parameter in a form's words; the API's message if a field cannot have that problem. */
export function explain({ parameter, code, message }: Problem, value: string): string {
  if (code === "unknown") return "This filter isn’t available here."; // the API's message lists its parameters
  if (code === "repeated" || code === "blank") return `${message}.`;
  switch (parameter) {
    case "funder_ein":
    case "recipient_ein":
    case "ein":
      if (code !== "out_of_range") return explainEin(value);
      return `Use at most ${einsMax} EINs. You entered ${formatCount(new Set(value.split(",")).size)}.`;
    case "min_amount":
    case "max_amount":
      if (code === "out_of_range") return "The maximum is less than the minimum.";
      return "An amount is a number of dollars, for example 10,000 or 2,500.50.";
    case "transaction_year":
    case "min_year":
    case "max_year":
      if (code === "out_of_range") return "The last year is before the first.";
      return message.includes("together") ? `${message}.` : "A year has four digits, for example 2018.";
    case "purpose":
    case "recipient_name":
    case "type":
    case "recipient_city":
      return `Use at most 200 characters. You entered ${formatCount([...value].length)}.`;
    default:
      return (isAttribute(parameter) && attributeTexts[parameter].rule) || `${message}.`;
  }
}

const numerals = ["no digit", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** e.g., "An EIN has nine digits, for example 13-1635294. You entered seven." */
export function explainEin(value: string): string {
  const rule = "An EIN has nine digits, for example 13-1635294.";
  if (/[,;]/.test(value)) return `${rule} Separate several by commas.`;
  if (!/^[\d\s‐-―−-]*$/.test(value)) return rule;
  const count = value.replaceAll(/\D/g, "").length;
  if (count === 9) return rule;
  return `${rule} You entered ${numerals[count] ?? count}.`;
}

/** The parameter `match` of a search for typed texts: with several words, all of them are wanted, in any order; else "". */
export function matchOf(...texts: readonly string[]): string {
  return texts.some((text) => text.trim().includes(" ")) ? "words" : "";
}

/** Typed words with one space between them: the API would search for two. */
export function cleanWords(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

/** An EIN without spaces and with any kind of hyphen taken away; other text as it is. */
export function cleanEin(text: string): string {
  const digits = text.replaceAll(/[\s‐-―−-]/g, "");
  return /^\d{9}$/.test(digits) ? digits : text.trim();
}

/** The EIN that a text is, with or without its hyphen. */
export function readEin(text: string): Ein | undefined {
  return parseEin(cleanEin(text));
}

const listed = /\d{2}[\s‐-―−-]?\d{7}/g;

/**
 * One EIN or a pasted list, as the API reads it; other text as it is. Commas, semicolons, spaces or line breaks separate
 * EINs, or nothing: fields of one line drop the breaks of a pasted text.
 */
export function cleanEins(text: string): string {
  const isList = /^[\s,;]*(?:\d{2}[\s‐-―−-]?\d{7}[\s,;]*){2,}$/.test(text);
  return isList ? (text.match(listed) ?? []).map(cleanEin).join(",") : cleanEin(text);
}

/** An amount without "$" and separators of thousands; other text as it is. "10,50" is kept: it may mean 10.50. */
export function cleanAmount(text: string): string {
  const bare = text
    .trim()
    .replace("−", "-")
    .replace(/^(-?)\s*\$\s*/, "$1");
  return /^-?\d{1,3}([,\s’']\d{3})+(\.\d{1,2})?$/.test(bare) ? bare.replaceAll(/[,\s’']/g, "") : bare;
}

/** An amount with separators of thousands, as it is typed. */
export function groupDigits(amount: string): string {
  return amount.replace(
    /^(-?)(\d+)/,
    (_, sign: string, digits: string) => sign + digits.replaceAll(/\B(?=(\d{3})+$)/g, ","),
  );
}

/** EINs as people write them: with hyphens, and spaces between. */
function hyphenate(eins: string): string {
  return eins.replaceAll(/\b\d{9}\b/g, hyphenateEin).replaceAll(/,\s*/g, ", ");
}
