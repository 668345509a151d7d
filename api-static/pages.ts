// Owns request ⇄ page key ⇄ URL: the only place that knows how a page's file is called.
import { formatCents } from "./amount.ts";
import { type Ein, parseEin } from "./ein.ts";
import { offsetMax, pageSizes } from "./limits.ts";
import type { Filters, HistoryRequest } from "./request.ts";

/** Ending of a page's file: pages are stored gzipped. */
export const storedEnding = ".gz";

/**
 * The key of the page file that holds the answer, or undefined when no such file is ever cut: only whole funders, at the
 * page sizes of files and at multiples of them. The file may still be absent (past the end, unknown funder).
 * @returns e.g., "v1/funders/131635294/history/100-0.json"
 */
export function pageKey(request: HistoryRequest): string | undefined {
  const { funderEin, ...others } = request.filters;
  if (funderEin === undefined || Object.keys(others).length > 0) return undefined;
  if (!isPageSize(request.limit) || request.offset % request.limit !== 0) return undefined;
  return funderPageKey(funderEin, request.limit, request.offset);
}

/** The key of one page of a funder's whole history. */
export function funderPageKey(funderEin: Ein, limit: number, offset: number): string {
  return `v1/funders/${funderEin}/history/${limit}-${offset}.json`;
}

/** The request that a page key answers; undefined when the text is no page key. */
export function parsePageKey(key: string): HistoryRequest | undefined {
  const match = /^v1\/funders\/(\d{9})\/history\/(\d{1,4})-(\d{1,10})\.json$/.exec(key);
  const funderEin = parseEin(match?.[1] ?? "");
  const limit = Number(match?.[2]);
  const offset = Number(match?.[3]);
  if (funderEin === undefined || offset > offsetMax) return undefined;
  const request: HistoryRequest = { kind: "history", scope: "funder", filters: { funderEin }, limit, offset };
  return pageKey(request) === key ? request : undefined;
}

/** The canonical URL of a request, path and query; parsing it gives the request again. */
export function href(request: HistoryRequest): string {
  const { filters, limit, offset } = request;
  const path = request.scope === "funder" ? `/v1/funders/${filters.funderEin}/history` : "/v1/history";
  const parameters = new URLSearchParams(formatFilters(filters, request.scope));
  parameters.set("limit", String(limit));
  parameters.set("offset", String(offset));
  return `${path}?${parameters}`;
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
