// Reads the filters of a funder's page, and names the calls that they lead to.
import { parseEin } from "../../../api-static/contract/ein.ts";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { formatQuery, type Query, readPageQuery, without, withoutNeedlessMatch } from "../address/query.ts";
import { type Call, funderHistoryCall, searchCall } from "../api/calls.ts";
import type { HistoryPage } from "../api/client.ts";
import { cleanAmount, cleanEin, cleanWords, matchOf } from "../search/fields.ts";
import { quoteSearched } from "../search/sentences.ts";
import { formatAmount } from "../text/numbers.ts";

/** The parameters of the page that filter grants, in the order of the form. */
export const filterNames = ["transaction_year", "min_amount", "purpose", "recipient_name"] as const;

export type FilterName = (typeof filterNames)[number];

export type FunderQuery = {
  /** Nine digits; undefined if the address has no valid EIN. */
  readonly ein: string | undefined;
  /** The filters in the address. */
  readonly query: Query;
  /** The filters that are set. */
  readonly filters: Query;
  readonly offset: number;
  /** Problems with parameters other than the EIN. */
  readonly problems: readonly Problem[];
};

/** Reads the query of a funder's page. @param search e.g., "?ein=200253310&transaction_year=2016" */
export function readFunderQuery(search: string): FunderQuery {
  const { query, problems } = readPageQuery(search, ["ein", ...filterNames, "match", "offset"]);
  const { ein = "", offset = "0" } = query;
  return {
    ein: parseEin(cleanEin(ein)),
    query,
    filters: withoutNeedlessMatch(without(query, "ein", "offset")),
    offset: Number(offset) || 0,
    problems: problems.filter(({ parameter }) => parameter !== "ein"),
  };
}

/** The call of the table: the funder's own pages, or a search once it is filtered. */
export function grantsCall(ein: string, filters: Query, offset: number): Call<HistoryPage> {
  const page: Query = offset === 0 ? {} : { offset: String(offset) };
  return Object.keys(filters).length === 0
    ? funderHistoryCall(ein, page)
    : searchCall({ funder_ein: ein, ...filters, ...page });
}

/** The CSV of all matching grants; text that a spreadsheet would run as a formula is escaped. */
export function csvHref(ein: string, filters: Query): string {
  return `/v1/funders/${ein}/history.csv${formatQuery({ ...filters, formulas: "escape" })}`;
}

/** The address of the page with these filters, at its first row. */
export function funderHref(ein: string, filters: Readonly<Record<string, string | undefined>>): string {
  return `/funder${formatQuery({ ein, ...filters })}`;
}

/** The filters that a form holds: blank fields are omitted, amounts lose "$" and commas. */
export function readForm(values: Readonly<Record<FilterName, string>>): Query {
  const { min_amount, ...texts } = values;
  const match = matchOf(cleanWords(texts.purpose), cleanWords(texts.recipient_name));
  const entries = Object.entries({ ...texts, min_amount: cleanAmount(min_amount), match });
  return Object.fromEntries(
    entries.map(([name, value]) => [name, cleanWords(value)]).filter(([, value]) => value !== ""),
  );
}

/** A filter in words, e.g., "At least $10,000". */
export function formatFilter(name: FilterName, filters: Query): string {
  const value = filters[name] ?? "";
  switch (name) {
    case "transaction_year":
      return `Year ${value}`;
    case "min_amount":
      return `At least ${formatAmount(Number(value))}`;
    case "purpose":
      return `Purpose contains ${quoteSearched(filters, name)}`;
    case "recipient_name":
      return `Recipient contains ${quoteSearched(filters, name)}`;
  }
}

/** All filters in words, e.g., "Year 2016, at least $10,000". */
export function describeFilters(filters: Query): string {
  return filterNames
    .filter((name) => filters[name] !== undefined)
    .map((name) => formatFilter(name, filters))
    .map((text, index) => (index === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1)))
    .join(", ");
}

type Recipient = { readonly recipient_ein: string | null; readonly recipient_name: string | null };

/** The address of the search; by name if the recipient has no EIN. */
export function betweenHref(funder_ein: string, { recipient_ein, recipient_name }: Recipient): string {
  // The API takes at most 200 characters of a name.
  const name = recipient_name === null ? undefined : [...recipient_name.trim()].slice(0, 200).join("");
  return `/${formatQuery({ funder_ein, ...(recipient_ein === null ? { recipient_name: name } : { recipient_ein }) })}`;
}
