// Converts between a page's address and the fields of the search form. The form sends nothing that the API refuses.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { type AttributeName, attributeFilters } from "../../../api-static/contract/filters/attributes.ts";
import { filterNames, findConflicts } from "../../../api-static/contract/filters/table.ts";
import { parameterNames, readParameter } from "../../../api-static/contract/parameters.ts";
import type { Draft } from "../../../api-static/contract/values.ts";
import { formatQuery, type Query } from "../address/query.ts";
import { attributeTexts } from "../text/attributeTexts.ts";
import { explain } from "../text/problems.ts";
import { cleanAmount, cleanEins, cleanWords, groupDigits } from "../text/typed.ts";

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

/** The parameter `match` of a search for typed texts: with several words, all of them are wanted, in any order; else "". */
export function matchOf(...texts: readonly string[]): string {
  return texts.some((text) => text.trim().includes(" ")) ? "words" : "";
}

/** EINs as people write them: with hyphens, and spaces between. */
function hyphenate(eins: string): string {
  return eins.replaceAll(/\b\d{9}\b/g, hyphenateEin).replaceAll(/,\s*/g, ", ");
}
