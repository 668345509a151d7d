// Formats response headers: caching, validation, paging, compression, ranges and CORS.
import type { Page } from "./answers/envelope.ts";
import type { ApiError, ErrorCode } from "./errors.ts";
import { linkBytesMax, offsetByAmountMax, offsetMax } from "./limits.ts";
import { type HistoryRequest, pageHrefs } from "./operations/searches.ts";
import { secondsToSyncEnd } from "./schedule.ts";

export const jsonType = "application/json; charset=utf-8";

export const formType = "application/x-www-form-urlencoded";

/** The methods of most paths. */
export const readMethods = "GET, HEAD, OPTIONS";

/** Sent with every response. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Link, Retry-After, Server-Timing, X-Release, X-Request-Id",
  "X-Content-Type-Options": "nosniff",
};

/** Pages of the site load nothing inline, and only from their own host. */
export const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";

/** Sent with HTML. Other sites cannot frame a page, and links to them do not reveal a reader's searches. */
export const htmlHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": `${contentSecurityPolicy}; frame-ancestors 'none'`,
  "Referrer-Policy": "same-origin",
};

/** Sent with responses to OPTIONS. @param methods that the path allows */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    Allow: methods,
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
  };
}

/** Maximum age of a client's copy in seconds: short, because a purge does not reach browsers. */
const clientSeconds = 300;

/** Cache-Control of content of the current release: shared caches keep it until the next sync has ended. @param syncMinutes as in `nextSync` */
export function cacheUntilSync(now: Date, syncMinutes?: number): string {
  const shared = secondsToSyncEnd(now, syncMinutes);
  return `public, max-age=${clientSeconds}, s-maxage=${shared}, stale-while-revalidate=3600, stale-if-error=86400`;
}

/** Errors that depend only on release and URL, so caches may keep them. "release_not_found" does not: a server may be behind. */
const keptErrors: ReadonlySet<ErrorCode> = new Set([
  "invalid_parameter",
  "funder_not_found",
  "recipient_not_found",
  "organization_not_found",
  "grant_not_found",
  "not_found",
  "uri_too_long",
]);

/** Cache-Control of an error. It is short, because the next release may have the missing content. */
export function cacheOfError(code: ErrorCode): string {
  return keptErrors.has(code) ? "public, max-age=60" : "no-store";
}

/** The headers that an error has beside those of every response and of its body. */
export function errorHeaders({ code, retryAfter }: ApiError): Readonly<Record<string, string>> {
  const retry = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return { "Cache-Control": cacheOfError(code), ...retry };
}

/**
 * Cache-Control of content of the current release in a bucket. It is stored with the object, so it cannot count down to the
 * next sync: shared caches revalidate after an hour, and a publish purges changed paths.
 */
export const cacheInBucket = `public, max-age=${clientSeconds}, s-maxage=3600, stale-while-revalidate=3600, stale-if-error=86400`;

/** Cache-Control of content of a pinned release: the URL names the release, and a release never changes. */
export const cacheForever = "public, max-age=31536000, immutable";

/** Cache-Control of a site's page in a pinned release: the release never changes, but the page does. */
export const cachePinnedPage = `public, max-age=${clientSeconds}`;

/** Cache-Control of a redirect to the canonical path, which is the same in every release. */
export const cacheRedirect = "public, max-age=86400";

/** Cache-Control of content with an age in seconds. */
export const cacheBriefly = "public, max-age=5";

/** A strong ETag of content: the digest of the plain body, with a mark for the gzipped form (RFC 9110, section 8.8.3.3). */
export function formatEtag(digest: string, isGzipped: boolean): string {
  return isGzipped ? `"${digest}-gzip"` : `"${digest}"`;
}

/** True if an If-None-Match header names the content, plain or gzipped, weak or strong (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, digest: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => {
    const [, opaque] = /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(tag) ?? [];
    return opaque === digest || opaque === `${digest}-gzip`;
  });
}

/** True if an If-Match header names only other content (RFC 9110, section 13.1.1). Weak tags never match. */
export function namesOtherContent(ifMatch: string | undefined, digest: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === "") return false;
  return !matchesEtag(ifMatch.replace(/W\/"[^"]*"/g, ""), digest);
}

/** True if an Accept-Encoding header accepts gzip, and prefers no plain body to it (RFC 9110, section 12.5.3). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const entry of (acceptEncoding ?? "").toLowerCase().split(",")) {
    const [coding = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const name = coding === "x-gzip" ? "gzip" : coding;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1;
    if (!weights.has(name)) weights.set(name, Number(weight));
  }
  const others = weights.get("*") ?? 0;
  const gzip = weights.get("gzip") ?? others;
  return gzip > 0 && gzip >= (weights.get("identity") ?? others);
}

/**
 * The Link header of a page (RFC 8288), without pages past the maximum offset; no header if it would be too long.
 * @param prefix of a pinned release, so that clients stay in that release
 */
export function formatLinks(request: HistoryRequest, page: Page, prefix = ""): { readonly Link?: string } {
  const { limit, offset } = request;
  const end = Math.min(page.total, (request.sort === "amount" ? offsetByAmountMax : offsetMax) + 1);
  const last = Math.max(0, Math.floor((end - 1) / limit) * limit);
  const hrefAt = pageHrefs(request);
  const links: [string, number | undefined][] = [
    ["first", 0],
    ["prev", offset > 0 ? Math.max(0, Math.min(offset - limit, last)) : undefined],
    ["next", offset + limit < end ? offset + limit : undefined],
    ["last", last],
  ];
  const Link = links
    .flatMap(([relation, at]) => (at === undefined ? [] : [`<${prefix}${hrefAt(at)}>; rel="${relation}"`]))
    .join(", ");
  return Link.length > linkBytesMax ? {} : { Link }; // it is ASCII
}

/** Bytes from `offset`, `length` of them; at least one. */
export type ByteRange = { readonly offset: number; readonly length: number };

export type RangeHeaders = {
  readonly range: string | null | undefined;
  readonly ifRange: string | null | undefined;
};

/**
 * The bytes that a GET asks for. Undefined for all of them: without the header, in another unit, for several ranges, which a server
 * may ignore, and if the copy that `If-Range` names is not the file; dates never name one.
 * @param size of the file in bytes
 * @param etag the strong ETag of the file
 */
export function readRange(
  { range, ifRange }: RangeHeaders,
  size: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const [, list] = /^\s*bytes\s*=(.*)$/is.exec(range ?? "") ?? [];
  if (list === undefined || (typeof ifRange === "string" && ifRange.trim() !== etag)) return undefined;
  const ranges = list.split(",").map((one) => readOne(one.trim(), size));
  if (ranges.length === 1) return ranges[0] ?? "unsatisfiable";
  return ranges.some((one) => one !== undefined) ? undefined : "unsatisfiable";
}

/** One range, e.g., "0-499", "500-" or "-500"; undefined if it is malformed or has no byte of the file. */
function readOne(text: string, size: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^(\d*)-(\d*)$/.exec(text) ?? [];
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && BigInt(last) < BigInt(first)) return undefined;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return offset < end ? { offset, length: end - offset } : undefined;
}

/** The Content-Range header of a part of a file, or of the refusal of a range. */
export function formatContentRange(range: ByteRange | undefined, size: number): string {
  if (range === undefined) return `bytes */${size}`;
  return `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
}
