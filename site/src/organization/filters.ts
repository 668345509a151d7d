// Reads and describes the filters of a funder's grants.
import type { Query } from "../address/query.ts";
import { cleanAmount, cleanWords, matchOf } from "../search/fields.ts";
import { quoteSearched } from "../search/sentences.ts";
import { formatAmount } from "../text/numbers.ts";

/** The parameters of the page that filter grants, in the order of the form. */
export const filterNames = ["transaction_year", "min_amount", "purpose", "recipient_name"] as const;

export type FilterName = (typeof filterNames)[number];

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
