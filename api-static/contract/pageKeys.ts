// Owns request ⇄ page key ⇄ URL: the only place that knows how a page's file is called.
import { formatCents } from "./amount.ts";
import { type Ein, parseEin } from "./ein.ts";
import type { Filters } from "./filters.ts";
import { offsetMax, pageSizes, searchNameMax } from "./limits.ts";
import { type HistoryRequest, parseRequest } from "./request.ts";

/** Ending of a page's file: pages are stored gzipped. */
export const storedEnding = ".gz";

/** Name of the search without filters, in the place of its filters. */
const noFilters = "all";

/**
 * The key of the page file that holds the answer, or undefined when no such file is ever cut: only the page sizes of
 * files, at multiples of them, and searches whose canonical filters are short enough for the name of a folder.
 * The file may still be absent: past the end, unknown funder, a search that nobody asks often.
 * @returns e.g., "v1/funders/131635294/history/100-0.json", "v1/history/purpose=education/100-0.json"
 */
export function pageKey(request: HistoryRequest): string | undefined {
  const { filters, limit, offset } = request;
  if (!isPageSize(limit) || offset % limit !== 0) return undefined;
  if (filters.funderEin !== undefined && isWholeFunder(filters))
    return funderPageKey(filters.funderEin, limit, offset);
  const name = searchName(filters);
  return name === undefined ? undefined : searchPageKey(name, limit, offset);
}

/** True for all records of one funder: its pages are always cut. */
export function isWholeFunder(filters: Filters): boolean {
  const { funderEin, ...others } = filters;
  return funderEin !== undefined && Object.keys(others).length === 0;
}

/**
 * What stands for a search in its pages' keys: its filters as `href` writes them, "all" where there are none. Letters are
 * those of URLSearchParams (a-z, 0-9, "*-._+%=&" and the capitals of percent-encoding), so none leads out of a folder.
 * Undefined when it is too long, and for a whole funder, which has other keys.
 */
export function searchName(filters: Filters): string | undefined {
  if (isWholeFunder(filters)) return undefined;
  const name = new URLSearchParams(formatFilters(filters, "search")).toString();
  return name.length > searchNameMax ? undefined : name === "" ? noFilters : name;
}

/** The path under which a host serves a key: hosts decode a URL once, and a key is the decoded path. */
export function keyPath(key: string): string {
  return `/${key.replaceAll("%", "%25")}`;
}

/** The key of one page of a funder's whole history. */
export function funderPageKey(funderEin: Ein, limit: number, offset: number): string {
  return `v1/funders/${funderEin}/history/${limit}-${offset}.json`;
}

/** The key of one page of a search, by its `searchName`. */
export function searchPageKey(name: string, limit: number, offset: number): string {
  return `v1/history/${name}/${limit}-${offset}.json`;
}

/** The request that a page key answers; undefined when the text is no page key. */
export function parsePageKey(key: string): HistoryRequest | undefined {
  const [, ein, name = "", limit, offset] =
    /^v1\/(?:funders\/(\d{9})\/history|history\/([^/]+))\/(\d{1,4})-(\d{1,10})\.json$/.exec(key) ?? [];
  if (limit === undefined || Number(offset) > offsetMax) return undefined;
  const funderEin = parseEin(ein ?? "");
  const whole =
    funderEin === undefined ? parseSearchName(name) : { scope: "funder" as const, filters: { funderEin } };
  if (whole === undefined) return undefined;
  const request: HistoryRequest = { kind: "history", ...whole, limit: Number(limit), offset: Number(offset) };
  return pageKey(request) === key ? request : undefined;
}

/** Undefined when the text is no query of a search; it may still be another one than the canonical. */
function parseSearchName(name: string): Pick<HistoryRequest, "scope" | "filters"> | undefined {
  if (name === "" || name.length > searchNameMax) return undefined;
  const asked = parseRequest("/v1/history", name === noFilters ? "" : name);
  return asked.kind === "history" ? { scope: asked.scope, filters: asked.filters } : undefined;
}

/** The canonical URL of a request, path and query; parsing it gives the request again. */
export function href(request: HistoryRequest): string {
  return pageHrefs(request)(request.offset);
}

/** The canonical URLs of all pages of what a request asks, by their offsets. */
export function pageHrefs(request: HistoryRequest): (offset: number) => string {
  const { filters, limit } = request;
  const path = request.scope === "funder" ? `/v1/funders/${filters.funderEin}/history` : "/v1/history";
  const parameters = new URLSearchParams(formatFilters(filters, request.scope));
  parameters.set("limit", String(limit));
  const href = `${path}?${parameters}&offset=`;
  return (offset) => href + offset;
}

function formatFilters(filters: Filters, scope: HistoryRequest["scope"]): [string, string][] {
  const { funderEin, recipientEin, transactionYear, purpose, recipientName, minAmountCents } = filters;
  const pairs: [string, string | undefined][] = [
    ["funder_ein", scope === "search" ? funderEin : undefined],
    ["recipient_ein", recipientEin],
    ["transaction_year", transactionYear?.toString().padStart(4, "0")],
    ["purpose", purpose],
    ["recipient_name", recipientName],
    ["min_amount", minAmountCents === undefined ? undefined : formatCents(minAmountCents)],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function isPageSize(limit: number): boolean {
  return pageSizes.some((size) => size === limit);
}
