// Lists all filters.
import type { Filters } from "../filters.ts";
import { canonicalText } from "../text.ts";
import { readBy } from "../values.ts";
import { type AttributeFilter, type AttributeRow, attributeFilters } from "./attributes.ts";
import { einFilters, matched } from "./eins.ts";
import type { Filter } from "./filter.ts";
import { amountFilters, yearFilters } from "./numbers.ts";
import { match, textFilters } from "./texts.ts";

type Row = AttributeRow & AttributeFilter;

const ofAttributes = attributeFilters.map(
  ({ name, key, description, schema, parse, isFiled, clause, say, startOf }: Row): Filter<Row["name"]> => ({
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
    sql(filters, { equals, startsWith }) {
      const value = filters[key] ?? "";
      return startOf === undefined ? equals(name, value) : startsWith(name, startOf(value));
    },
    sentence: { clause, say },
  }),
);

const all = [
  ...einFilters,
  ...yearFilters,
  ...textFilters,
  match,
  ...ofAttributes,
  ...amountFilters,
  matched,
];

/** Every filter, in the order of canonical URLs. */
export const filterTable: readonly Filter<(typeof all)[number]["name"]>[] = all;

/** The parameters that filter grants: all but those that change how others compare. */
export const filterNames = filterTable
  .map(({ name }) => name)
  .filter((name) => name !== "match" && name !== "matched");

/** The filters that have a value. */
export function filtersIn(filters: Filters): readonly Filter[] {
  return filterTable.filter(({ format }) => format(filters) !== undefined);
}
