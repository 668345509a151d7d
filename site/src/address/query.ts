// Reads and writes the parameters in a page's address. They are the API's own: same names, same values.

import type { Problem } from "../../../api-static/contract/errors.ts";
import { findConflicts } from "../../../api-static/contract/filters/table.ts";
import { textLengthMax } from "../../../api-static/contract/limits.ts";
import { groupParameters, readParameter } from "../../../api-static/contract/parameters.ts";
import { readQuery } from "../../../api-static/contract/query.ts";
import type { Draft } from "../../../api-static/contract/values.ts";

/** Values by parameter, in the order of the address, without blank ones. */
export type Query = Readonly<Record<string, string>>;

export type ReadQuery = {
  readonly query: Query;
  /** Every problem that the API would report with the known parameters. */
  readonly problems: readonly Problem[];
};

/**
 * Reads an address's query. Unknown parameters are ignored, because mail programs, social networks and advertisers append their own
 * to any link that is shared through them. The API refuses them.
 * @param search e.g., "?purpose=food&min_amount=10000"
 * @param known the parameters that the page accepts
 * @param isGrouped true on the page of groups, some of whose parameters differ
 */
export function readPageQuery(search: string, known: readonly string[], isGrouped = false): ReadQuery {
  const query: Record<string, string> = {};
  const problems: Problem[] = [];
  const draft: Draft = {};
  for (const [parameter, values] of readQuery(search)) {
    if (!known.includes(parameter)) continue;
    const fault = readParameter(known, parameter, values, draft, isGrouped ? groupParameters : {});
    if (fault !== undefined) problems.push({ parameter, ...fault });
    const [value] = values;
    if (typeof value === "string") query[parameter] = value;
  }
  problems.push(...findConflicts(draft, isGrouped));
  return { query, problems };
}

/** The query of an address or a call, with "?" if there is one; blank values are omitted, because the API refuses them. */
export function formatQuery(query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = String(value ?? "").trim();
    if (text !== "") parameters.set(name, text);
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** A text as filed, cut to the length that a search accepts. */
export function searchable(text: string): string {
  return [...text.trim()].slice(0, textLengthMax).join("");
}

/** The query without `match` if no text is left that it is about. */
export function withoutNeedlessMatch(query: Query): Query {
  return query.purpose === undefined && query.recipient_name === undefined ? without(query, "match") : query;
}

/** The parameters of a query other than these. */
export function without(query: Query, ...names: readonly string[]): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));
}

/** The query with one year in place of its years, from the first row. */
export function inYear(query: Query, year: number): Query {
  return { ...without(query, "min_year", "max_year", "offset"), transaction_year: String(year) };
}
