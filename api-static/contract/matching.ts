// Decides whether a record matches a set of filters, for records that are checked one by one.
import { filtersIn } from "./filters/table.ts";
import type { Filters } from "./filters.ts";
import type { GrantRecord } from "./record.ts";

/** True if a record's JSON tells whether it matches the filters: places and likely recipients are no part of a record, only of the index. */
export function areInRecords(filters: Filters): boolean {
  return filtersIn(filters).every(({ meets }) => meets !== undefined);
}

/**
 * True if a record matches all filters except those on places, which are no part of it. A test proves that the index gives the same
 * answer.
 * @param line the record's JSON
 */
export function meetsFilters(line: string, filters: Filters): boolean {
  const record = JSON.parse(line) as GrantRecord;
  return filtersIn(filters).every(({ meets }) => meets?.(filters, record, line) ?? true);
}
