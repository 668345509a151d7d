// Describes a search and its results in sentences.
import { type AttributeName, attributeFilters } from "../../../api-static/contract/filters/attributes.ts";
import { describeFilters } from "../../../api-static/contract/filters/table.ts";
import {
  capitalize,
  describeAmount,
  describeYears,
  formatBound,
  type KnownNames,
  listEins,
  quoteSearched,
} from "../../../api-static/contract/text/searchText.ts";
import type { Query } from "../address/query.ts";
import { attributeTexts } from "../text/attributeTexts.ts";
import { formatCounted } from "../text/numbers.ts";

/** e.g., "48 grants of $10,000 or more for “food” in 2018"; "No grants for “music” in 2020". */
export function describeResult(total: number, query: Query, names: KnownNames = {}): string {
  return (total === 0 ? "No grants" : formatCounted(total)) + describeFilters(query, names);
}

/** The subject of a search, for the title while it runs: "Grants for “food” in 2018". */
export function describeSearch(query: Query, names: KnownNames = {}): string {
  return `Grants${describeFilters(query, names)}`;
}

/** The amounts and years without a filter, and the order, e.g., "Any year. Newest year first, then largest amount." */
export function describeOrder(query: Query): string {
  const open = [
    hasFilter(query, "amounts") ? "" : "any amount",
    hasFilter(query, "years") ? "" : "any year",
  ].filter((text) => text !== "");
  const isByAmount = query.sort === "amount" || query.transaction_year !== undefined;
  const order = isByAmount ? "Largest amount first." : "Newest year first, then largest amount.";
  return `${open.length === 0 ? "" : `${capitalize(open.join(", "))}. `}${order}`;
}

const ofAttributes = Object.fromEntries(
  [...attributeFilters].reverse().map(({ name }) => [name, [name]]),
) as unknown as Record<AttributeName, readonly string[]>;

/** The parameters of each filter, in the order in which a search is loosened: filters that people add last go first. */
const parameters = {
  years: ["transaction_year", "min_year", "max_year"],
  amounts: ["min_amount", "max_amount"],
  ...ofAttributes,
  recipient_ein: ["recipient_ein"],
  funder_ein: ["funder_ein"],
  purpose: ["purpose"],
  recipient_name: ["recipient_name"],
};

export type FilterName = keyof typeof parameters;

export const parametersOf: Readonly<Record<FilterName, readonly string[]>> = parameters;

export const filterNames = Object.keys(parameters) as readonly FilterName[];

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
      if (query.max_amount === undefined) return ["At least", formatBound(query.min_amount)];
      if (query.min_amount === undefined) return ["At most", formatBound(query.max_amount)];
      return ["Amount", describeAmount(query)];
    case "funder_ein":
      return ["Funder", names.funder ?? listEins(query, name, "")];
    case "recipient_ein":
      return ["Recipient", names.recipient ?? listEins(query, name, "")];
    case "purpose":
      return ["Purpose contains", quoteSearched(query, name)];
    case "recipient_name":
      return ["Recipient contains", quoteSearched(query, name)];
    default: {
      const { label, chip = label, name: say } = attributeTexts[name];
      return [chip, say(query[name] ?? "", names)];
    }
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
