// Lists all filters, and what is done with those that a search has: conflicts are found, records checked, and sentences written.

import type { GrantRecord } from "../answers/record.ts";
import type { Problem } from "../errors.ts";
import type { Filters } from "../filters.ts";
import * as limits from "../limits.ts";
import type { KnownNames, Query } from "../text/searchText.ts";
import { canonicalText } from "../text/text.ts";
import { type Draft, readBy } from "../values.ts";
import { type AttributeFilter, type AttributeRow, attributeFilters, letterNames } from "./attributes.ts";
import { einFilters, matched } from "./eins.ts";
import { clauses, type Filter } from "./filter.ts";
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

const sentences = filterTable.flatMap(({ sentence }) => sentence ?? []);
const inOrder = clauses.flatMap((clause) => sentences.filter((each) => each.clause === clause));

/** All filters of a query, after "grants", e.g., " of $10,000 or more for “music” from EIN 20-0253310 since 2018"; "" for none. */
export function describeFilters(query: Query, names: KnownNames = {}): string {
  return inOrder.map(({ say }) => say(query, names)).join("");
}

/** e.g., "412 funders of grants for “music” since 2018". @param subject e.g., "412 funders" */
export function describeGrouped(subject: string, query: Query, names: KnownNames = {}): string {
  const filters = describeFilters(query, names);
  return `${subject} of ${filters === "" ? "all grants" : `grants${filters}`}`;
}

/** The problems of parameters that are valid alone, but not together. @param isGrouped true for groups, whose pages have other bounds */
export function findConflicts(draft: Draft, isGrouped: boolean): Problem[] {
  const { by, level, sort, offset = 0, limit = limits.pageSizeDefault } = draft;
  const problems: Problem[] = [];
  const refuse = (parameter: string, code: Problem["code"], rule: string) =>
    problems.push({ parameter, code, message: `${parameter} must ${rule}` });
  for (const { name, findConflicts } of filtersIn(draft))
    for (const { code, rule } of findConflicts?.(draft) ?? []) refuse(name, code, rule);
  if (level !== undefined && !letterNames.includes(by ?? ""))
    refuse("level", "malformed", `not be given without by=${letterNames.join(" or by=")}`);
  if (isGrouped && offset + limit > limits.groupsMax)
    refuse("offset", "out_of_range", `be at most ${limits.groupsMax} together with limit`);
  if (!isGrouped && sort === "amount" && offset > limits.offsetByAmountMax)
    refuse("offset", "out_of_range", `be at most ${limits.offsetByAmountMax} with sort=amount`);
  return problems;
}
