// Parses the page's address: the home page, a search, or a search that the API refuses.
import type { Problem } from "../../../api-static/contract/errors.ts";
import { parameterNames } from "../../../api-static/contract/parameters.ts";
import { type Query, readPageQuery, without } from "../address/query.ts";
import { type Call, searchCall } from "../api/calls.ts";
import type { HistoryPage } from "../api/client.ts";

export type Search = {
  readonly query: Query;
  readonly problems: readonly Problem[];
  /** True if the address has no parameter. */
  readonly isHome: boolean;
  /** The call behind the page; undefined if the API would refuse it. The home page reads the newest grants. */
  readonly call: Call<HistoryPage> | undefined;
  /** The release whose pages are being walked. */
  readonly release: string | undefined;
};

/** Parses an address. @param search e.g., "?purpose=food" */
export function readSearch(search: string, release: string | undefined): Search {
  const { query, problems } = readPageQuery(search, parameterNames);
  const isHome = Object.keys(query).length === 0 && problems.length === 0;
  const call = problems.length > 0 ? undefined : searchCall(query);
  return { query, problems, isHome, call, release };
}

/** The search that a call's URL asks, e.g., of results that are still shown. @param href "/r/…/v1/history?purpose=food" */
export function readCall(href: string): Query {
  const [, search = ""] = href.split("?");
  return readPageQuery(search, parameterNames).query;
}

/** The filters of a search, which its first page and its CSV share. */
export function filtersOf(query: Query): Query {
  return without(query, "limit", "offset");
}
