// Lists all filters.
import type { Filters } from "../filters.ts";
import { canonicalText } from "../text.ts";
import { readBy } from "../values.ts";
import { attributeFilters } from "./attributes.ts";
import { funderEin, matched, recipientEin } from "./eins.ts";
import type { Filter } from "./filter.ts";
import { maxAmount, maxYear, minAmount, minYear, transactionYear } from "./numbers.ts";
import { match, purpose, recipientName } from "./texts.ts";

const ofAttributes = attributeFilters.map(
  ({ name, key, description, schema, parse, isFiled, clause, say }): Filter<typeof name> => ({
    name,
    description,
    schema,
    read: readBy(parse, name, key),
    format: (filters) => filters[key],
    ...(isFiled && {
      meets(filters, record: Readonly<Record<string, unknown>>) {
        const filed = record[name];
        return typeof filed === "string" && canonicalText(filed) === filters[key];
      },
    }),
    sql: (filters, { equals }) => equals(name, filters[key] ?? ""),
    sentence: { clause, say },
  }),
);

/** Every filter, in the order of canonical URLs. */
export const filterTable = listed(
  funderEin,
  recipientEin,
  transactionYear,
  minYear,
  maxYear,
  purpose,
  recipientName,
  match,
  ...ofAttributes,
  minAmount,
  maxAmount,
  matched,
);

function listed<Name extends string>(...filters: readonly Filter<Name>[]): readonly Filter<Name>[] {
  return filters;
}

/** The parameters that filter grants: all but those that change how others compare. */
export const filterNames = filterTable
  .map(({ name }) => name)
  .filter((name) => name !== "match" && name !== "matched");

/** The filters that have a value. */
export function filtersIn(filters: Filters): readonly Filter[] {
  return filterTable.filter(({ format }) => format(filters) !== undefined);
}
