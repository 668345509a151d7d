// Writes filters as SQL, for the engines and for the index's table of all records, which has ids of texts.

import type { DuckDBValue } from "@duckdb/node-api";
import { attributeFilters } from "../../contract/filters/attributes.ts";
import type { FilterDialect } from "../../contract/filters/filter.ts";
import { filtersIn } from "../../contract/filters/table.ts";
import type { Filters } from "../../contract/filters.ts";
import { canonicalTextSql } from "../../contract/text.ts";
import { textsOf } from "../../release/attributes.ts";

/** SQL of the condition that the filters stand for. */
export function whereSql(filters: Filters, dialect: FilterDialect): string {
  const conditions = filtersIn(filters).flatMap(({ sql }) => sql?.(filters, dialect) ?? []);
  return conditions.join(" AND ") || "1 = 1";
}

/** The condition that the filters stand for, and its values. */
export function filterSql(filters: Filters): { where: string; values: Record<string, DuckDBValue> } {
  const values: Record<string, DuckDBValue> = {};
  const isText = (column: string, condition: (text: string) => string) => {
    const isFiled = attributeFilters.some((filter) => filter.name === column && filter.isFiled);
    const text = isFiled ? canonicalTextSql("text") : "text";
    return `${column} IN (SELECT id FROM ${textsOf(column).table} WHERE ${condition(text)})`;
  };
  const where = whereSql(filters, {
    contains(column, patterns) {
      const names = patterns.map((_, index) => `${column}_${index}`);
      for (const [index, name] of names.entries()) values[name] = patterns[index] as string;
      return isText(column, (text) => names.map((name) => `contains(${text}, $${name})`).join(" AND "));
    },
    equals(column, value) {
      values[column] = value;
      return isText(column, (text) => `${text} = $${column}`);
    },
    startsWith(column, value) {
      values[column] = value;
      return isText(column, (text) => `starts_with(${text}, $${column})`);
    },
  });
  return { where, values };
}
