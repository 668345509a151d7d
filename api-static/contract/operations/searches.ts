// Defines the requests for grants that match filters, and maps them to page keys and URLs and back. A page key is the path of a
// page's file below the public folder, without ".gz".
import type { CsvForm } from "../answers/csv.ts";
import { parseEin } from "../ein.ts";
import { filterTable } from "../filters/table.ts";
import type { Filters } from "../filters.ts";
import { offsetMax, pageSizeDefault, pageSizes, searchNameMax } from "../limits.ts";
import { filterParameters } from "../parameters.ts";
import { funderPageKey, noFilters, searchPageKey, totalsKey } from "../plainPages.ts";
import { parseQuery } from "./operation.ts";

/** Grants that match filters. */
export type Matching = {
  /** "funder" and "recipient" name one in the path, and are 404 if the release does not have it. */
  readonly scope: "search" | "funder" | "recipient";
  readonly filters: Filters;
};

/** A page of grants: the matching records from `offset` to `offset + limit`, in result order. */
export type HistoryRequest = Matching & {
  readonly kind: "history";
  /** By amount, then by year; absent for the result order. */
  readonly sort?: "amount";
  readonly limit: number;
  readonly offset: number;
};

/** The totals of all matching grants. */
export type TotalsRequest = Matching & { readonly kind: "totals" };

/** All matching grants as CSV, in result order. */
export type ExportRequest = Matching & { readonly kind: "export"; readonly form: CsvForm };

/** Follows the page key in the name of a page file, which is gzipped. */
export const storedEnding = ".gz";

/** The page sizes with files, for a list of `total` records: the large one only if a small page does not hold them all. */
export function pageSizesOf(total: number): readonly number[] {
  return total > pageSizeDefault ? pageSizes : [pageSizeDefault];
}

/** True if a page of a funder with `total` records has a file. Searches have files for their first pages only. */
export function hasFunderPage(
  total: number,
  { limit, offset }: Pick<HistoryRequest, "limit" | "offset">,
): boolean {
  return pageSizesOf(total).includes(limit) && offset % limit === 0 && offset < total;
}

/**
 * The key of the page that answers a request. Undefined if no release has a file for it: it is by amount, the limit is not a
 * page size, the offset is not a multiple of it, the canonical filters are too long for a folder's name, or the path names a recipient,
 * which may be unknown.
 * A page with a key may have no file: see `pageSizesOf`; only common searches have files.
 * @returns e.g., "v1/funders/131635294/history-100-0.json", "v1/history/purpose=education/100-0.json"
 */
export function pageKey(request: HistoryRequest): string | undefined {
  const { filters, sort, limit, offset } = request;
  if (sort !== undefined || request.scope === "recipient") return undefined;
  if (!pageSizes.some((size) => size === limit) || offset % limit !== 0) return undefined;
  if (filters.funderEin !== undefined && isWholeFunder(filters))
    return funderPageKey(filters.funderEin, limit, offset);
  const name = searchName(filters);
  return name === undefined ? undefined : searchPageKey(name, limit, offset);
}

/** True if the filters select all records of one funder. */
export function isWholeFunder(filters: Filters): boolean {
  const { funderEin, ...others } = filters;
  return funderEin !== undefined && Object.keys(others).length === 0;
}

/**
 * The name of a search in its page keys: its filters as `href` writes them, or "all". URLSearchParams writes only a-z, 0-9,
 * "*-._+%=&" and the capitals of percent-encoding, so no name leads out of its folder.
 * Undefined if the name is too long, for whole funders, which have keys by EIN, and for searches by words and with likely recipients, which have no files.
 */
export function searchName(filters: Filters): string | undefined {
  if (isWholeFunder(filters) || filters.isByWords || filters.matched) return undefined;
  const name = new URLSearchParams(formatFilters(filters, "search")).toString();
  return name.length > searchNameMax ? undefined : name === "" ? noFilters : name;
}

/** The URL path of a key. Hosts decode a path once to find the file, so every "%" of the key is encoded. */
export function keyPath(key: string): string {
  return `/${key.replaceAll("%", "%25")}`;
}

/** The request that a page answers; undefined if the text is not a page key. */
export function parsePageKey(key: string): HistoryRequest | undefined {
  const [, ein, name = "", limit, offset] =
    /^v1\/(?:funders\/(\d{9})\/history-|history\/([^/]+)\/)(\d{1,4})-(\d{1,10})\.json$/.exec(key) ?? [];
  if (limit === undefined || Number(offset) > offsetMax) return undefined;
  const funderEin = parseEin(ein ?? "");
  const filters = funderEin === undefined ? parseSearchName(name) : { funderEin };
  if (filters === undefined) return undefined;
  const scope = funderEin === undefined ? "search" : "funder";
  const request: HistoryRequest = {
    kind: "history",
    scope,
    filters,
    limit: Number(limit),
    offset: Number(offset),
  };
  return pageKey(request) === key ? request : undefined;
}

/** The key of the file with totals; undefined if no release has a file for them, as for pages. */
export function totalsKeyOf({ filters }: TotalsRequest): string | undefined {
  const name = searchName(filters);
  return name === undefined ? undefined : totalsKey(name);
}

/** The request that a file of totals answers; undefined if the text is not the key of one. */
export function parseTotalsKey(key: string): TotalsRequest | undefined {
  const [, name = ""] = /^v1\/history\/([^/]+)\/summary\.json$/.exec(key) ?? [];
  const filters = parseSearchName(name);
  if (filters === undefined || searchName(filters) !== name) return undefined;
  return { kind: "totals", scope: "search", filters };
}

/** The filters of a search's name, in any spelling; undefined if it is not a query of a search. */
function parseSearchName(name: string): Filters | undefined {
  const toRequest = (filters: Filters) => ({ kind: "filters" as const, filters });
  const parsed = parseQuery({ parameters: filterParameters, toRequest }, name === noFilters ? "" : name);
  return parsed?.kind === "filters" ? parsed.filters : undefined;
}

/** The canonical URL of a request: path and query. Parsing it gives the same request. */
export function href(request: HistoryRequest): string {
  return pageHrefs(request)(request.offset);
}

/** The canonical URLs of all pages of a request's list, by offset. */
export function pageHrefs(request: HistoryRequest): (offset: number) => string {
  const { filters, sort, limit } = request;
  const parameters = new URLSearchParams(formatFilters(filters, request.scope));
  if (sort !== undefined) parameters.set("sort", sort);
  parameters.set("limit", String(limit));
  const href = `${historyPath(request)}?${parameters}&offset=`;
  return (offset) => href + offset;
}

/** The canonical URL of totals. Parsing it gives the same request. */
export function totalsHref(request: TotalsRequest): string {
  return `${historyPath(request)}/summary${formatQuery(request)}`;
}

/** The query of filters, with its "?", or "" if there are none. */
export function formatQuery({ filters, scope }: Matching): string {
  const parameters = new URLSearchParams(formatFilters(filters, scope)).toString();
  return parameters === "" ? "" : `?${parameters}`;
}

/** The path of what filters match. */
export function historyPath({ scope, filters }: Matching): string {
  if (scope === "recipient") return `/v1/recipients/${filters.recipientEin}/history`;
  return scope === "funder" ? `/v1/funders/${filters.funderEin}/history` : "/v1/history";
}

function formatFilters(filters: Filters, scope: Matching["scope"]): [string, string][] {
  return filterTable.flatMap(({ name, format }) => {
    const value = name === `${scope}_ein` ? undefined : format(filters); // else the path has it
    return value === undefined ? [] : [[name, value] as const];
  });
}
