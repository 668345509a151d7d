// Converts between a page's address and the fields of the search form. The form sends nothing that the API refuses.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { parameterNames, readParameter } from "../../../api-static/contract/parameters.ts";
import type { Query } from "../address/query.ts";
import { formatCount } from "../text/numbers.ts";

/** The parameter that the words of the box become. */
export type Scope = "purpose" | "recipient_name";

/** The parameters that a form writes. Grants per page have no field: they stay as the address has them. */
type FieldName =
  | "funder_ein"
  | "recipient_ein"
  | "transaction_year"
  | "purpose"
  | "recipient_name"
  | "min_amount"
  | "limit";

/** The text of each parameter's field, and the parameter that the search box holds. */
export type Fields = Readonly<Record<FieldName, string>> & { readonly scope: Scope };

/** A form's messages by parameter. */
export type FieldProblems = Readonly<Partial<Record<string, string>>>;

/** The fields of an address. */
export function readFields(query: Query): Fields {
  const of = (name: FieldName) => query[name] ?? "";
  return {
    scope: query.purpose === undefined && query.recipient_name !== undefined ? "recipient_name" : "purpose",
    funder_ein: hyphenate(of("funder_ein")),
    recipient_ein: hyphenate(of("recipient_ein")),
    transaction_year: of("transaction_year"),
    purpose: of("purpose"),
    recipient_name: of("recipient_name"),
    min_amount: groupDigits(of("min_amount")),
    limit: of("limit"),
  };
}

/** Fields whose box searches for words in a scope. */
export function withWords(fields: Fields, { scope, words }: { scope: Scope; words: string }): Fields {
  return { ...fields, [fields.scope]: "", scope, [scope]: words };
}

/** The query that the fields ask for, without blank ones, in the order of canonical URLs; and the problems of the fields. */
export function writeFields(fields: Fields): { readonly query: Query; readonly problems: FieldProblems } {
  const [purpose, recipient_name] = [cleanWords(fields.purpose), cleanWords(fields.recipient_name)];
  const values: Query = {
    funder_ein: cleanEin(fields.funder_ein),
    recipient_ein: cleanEin(fields.recipient_ein),
    transaction_year: fields.transaction_year.trim(),
    purpose,
    recipient_name,
    match: matchOf(purpose, recipient_name),
    min_amount: cleanAmount(fields.min_amount),
    limit: fields.limit.trim(),
  };
  const query: Record<string, string> = {};
  const problems: Record<string, string> = {};
  for (const parameter of parameterNames) {
    const value = values[parameter]?.toWellFormed(); // as the address will hold it
    if (value === undefined || value === "") continue;
    const fault = readParameter(parameterNames, parameter, [value], {});
    if (fault === undefined) query[parameter] = value;
    else problems[parameter] = explain({ parameter, ...fault }, value);
  }
  return { query, problems };
}

/** The problem of a parameter in a form's words; the API's message if a field cannot have that problem. */
export function explain({ parameter, code, message }: Problem, value: string): string {
  if (code === "unknown" || code === "repeated" || code === "blank") return `${message}.`;
  switch (parameter) {
    case "funder_ein":
    case "recipient_ein":
    case "ein":
      return explainEin(value);
    case "min_amount":
      return "An amount is a number of dollars, for example 10,000 or 2,500.50.";
    case "transaction_year":
      return "A year has four digits, for example 2018.";
    case "purpose":
    case "recipient_name":
      return `Use at most 200 characters. You entered ${formatCount([...value].length)}.`;
    default:
      return `${message}.`;
  }
}

const numerals = ["no digit", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** e.g., "An EIN has nine digits, for example 13-1635294. You entered seven." */
export function explainEin(value: string): string {
  const rule = "An EIN has nine digits, for example 13-1635294.";
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

function hyphenate(ein: string): string {
  return /^\d{9}$/.test(ein) ? hyphenateEin(ein) : ein;
}
