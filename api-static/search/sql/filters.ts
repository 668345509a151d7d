// Writes filters as SQL.
import type { FilterDialect } from "../../contract/filters/filter.ts";
import { filtersIn } from "../../contract/filters/table.ts";
import type { Filters } from "../../contract/filters.ts";

/** SQL of the condition that the filters stand for. */
export function whereSql(filters: Filters, dialect: FilterDialect): string {
  const conditions = filtersIn(filters).flatMap(({ sql }) => sql?.(filters, dialect) ?? []);
  return conditions.join(" AND ") || "1 = 1";
}
