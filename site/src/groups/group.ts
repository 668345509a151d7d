// Describes groups of grants, and names the addresses of groups and of their grants.

import { describeGrouped } from "../../../api-static/contract/filters/table.ts";
import type { GroupKey } from "../../../api-static/contract/filters.ts";
import { type KnownNames, nameGroup, titleOfGroups } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, inYear, type Query, searchable, without } from "../address/query.ts";
import type { GroupsPage } from "../api/client.ts";
import type { StateName } from "../api/places.ts";
import { formatCounted } from "../text/numbers.ts";

/** What folds rank grants by. */
export type RankedName = StateName | "recipient_cause";

type GroupOfPage = GroupsPage["data"][number];

/** A group of a page, or of totals, which have no non-cash support of their groups. */
export type Group = GroupOfPage extends infer Each ? WithoutNonCash<Each> : never;

type WithoutNonCash<Each> = Each extends { readonly non_cash: infer Sum }
  ? Omit<Each, "non_cash"> & { readonly non_cash?: Sum }
  : never;

/** The filters of an address. */
export function filtersOnly(query: Query): Query {
  return without(query, "by", "level", "sort", "limit", "offset");
}

/** The address of the groups of a search's grants. */
export function groupsHref(by: GroupKey, query: Query): string {
  return `/groups${formatQuery({ by, ...filtersOnly(query) })}`;
}

/** True if the value of a group is not known. */
export function isUnknown(group: Group): boolean {
  if ("city" in group) return group.city === null;
  return ("state" in group && group.state === null) || ("cause" in group && group.cause === null);
}

/** The address of the funders of a cause, of the same filters but the funder's. */
export function causeFundersHref(query: Query, cause: string): string {
  return groupsHref("funder", { ...without(query, "funder_ein"), recipient_cause: cause });
}

/** The address of a group's grants; undefined if no filter finds them. @param query the search that was grouped */
export function grantsHref(query: Query, group: Group): string | undefined {
  const filters = narrow(filtersOnly(query), group, query.by);
  return filters === undefined ? undefined : `/${formatQuery(filters)}`;
}

function narrow(filters: Query, group: Group, by: string | undefined): Query | undefined {
  if ("funder_ein" in group) return { ...filters, funder_ein: group.funder_ein };
  if ("transaction_year" in group) return inYear(filters, group.transaction_year);
  if ("type" in group) return group.type === null ? undefined : { ...filters, type: group.type };
  if ("city" in group) {
    const place = { recipient_city: group.city ?? "", ...(group.state && { recipient_state: group.state }) };
    return group.city === null ? undefined : { ...filters, ...place };
  }
  if ("state" in group)
    return group.state === null || by === undefined ? undefined : { ...filters, [by]: group.state };
  if ("cause" in group)
    return group.cause === null || by === undefined ? undefined : { ...filters, [by]: group.cause };
  const { recipient_ein, recipient_name } = group;
  if (recipient_ein !== null) return { ...filters, recipient_ein };
  if (recipient_name === null) return undefined;
  // A whole name is looked for as it is, unless the purpose is looked for by words.
  const others = filters.purpose === undefined ? without(filters, "match") : filters;
  return { ...others, recipient_name: searchable(recipient_name) };
}

/** e.g., "412 funders of grants for “music” since 2018". @param total undefined while it is awaited */
export function describeGroups(
  by: GroupKey,
  total: number | undefined,
  query: Query,
  names: KnownNames = {},
): string {
  const subject = total === undefined ? titleOfGroups(by) : formatCounted(total, nameGroup(by));
  return describeGrouped(subject, query, names);
}
