// Reads pages, files of the site and downloads from the bucket of a published release.
import * as headers from "../../contract/headers.ts";
import type { HistoryRequest } from "../../contract/request.ts";
import { isHashedPath } from "../../contract/sitePaths.ts";
import { digestBytes, formatHex, readPageFileDigest, readStoredTotal } from "../../contract/storedPage.ts";
import { decompress, keepGzipped } from "./cache.ts";
import type { BucketObject, Host } from "./runtime.ts";

/** A page, or a file of names if there is no request; undefined if the bucket does not have it. @throws Error if it is damaged */
export async function readPage(
  host: Host,
  { key, request }: { readonly key: string; readonly request?: HistoryRequest },
): Promise<Response | undefined> {
  const object = await host.bucket.get(host.prefix + key);
  if (object === null) return undefined;
  const stored = new Uint8Array(await object.arrayBuffer());
  const digest = readPageFileDigest(stored);
  const total = readStoredTotal(stored);
  if (digest === undefined || (request !== undefined && total === undefined))
    throw new Error(`the object ${host.prefix}${key} is not a page file`);
  const link = request && { Link: headers.formatLinks(request, { ...request, total: total ?? 0 }) };
  return keepGzipped(stored, digest, {
    ...headers.commonHeaders,
    "Cache-Control": headers.cacheUntilSync(host.clock()),
    "Content-Type": headers.jsonType,
    ...link,
  });
}

/** A file of the site; undefined if the bucket does not have it. */
export async function readSiteFile(host: Host, key: string, path: string): Promise<Response | undefined> {
  const object = await host.bucket.get(host.prefix + key);
  if (object === null) return undefined;
  const stored = await object.arrayBuffer();
  const isGzipped = object.httpMetadata?.contentEncoding === "gzip";
  const digest = await digestBody(isGzipped ? await decompress(stored) : stored);
  const type = typeOf(object);
  const all = {
    ...headers.commonHeaders,
    "Cache-Control": isHashedPath(path) ? headers.cacheForever : headers.cacheUntilSync(host.clock()),
    "Content-Type": type,
    ...(type.startsWith("text/html") ? headers.htmlHeaders : {}),
  };
  if (isGzipped) return keepGzipped(new Uint8Array(stored), digest, all);
  return new Response(stored, { headers: { ...all, ETag: headers.formatEtag(digest, false) } });
}

/** The page for addresses without a page; undefined if the bucket does not have it. */
export async function readMissingPage(host: Host, key: string): Promise<Response | undefined> {
  const object = await host.bucket.get(host.prefix + key);
  if (object === null) return undefined;
  const caching = { "Cache-Control": headers.cacheOfError("not_found"), "Content-Type": typeOf(object) };
  const all = { ...headers.commonHeaders, ...headers.htmlHeaders, ...caching };
  return new Response(await object.arrayBuffer(), { status: 404, headers: all });
}

/**
 * A file, or the part that `Range` requests (RFC 9110, section 14); undefined if the bucket does not have it. It is streamed and
 * not cached, because it may exceed the cache's limit.
 */
export async function readFile(host: Host, key: string, asked: Headers): Promise<Response | undefined> {
  const head = await host.bucket.head(host.prefix + key);
  if (head === null) return undefined;
  const all: Record<string, string> = {
    ...headers.commonHeaders,
    "Accept-Ranges": "bytes",
    "Cache-Control": headers.cacheUntilSync(host.clock()),
    ETag: head.httpEtag,
  };
  if (headers.matchesEtag(asked.get("If-None-Match") ?? undefined, head.httpEtag.replaceAll('"', "")))
    return new Response(null, { status: 304, headers: all });
  const ifRange = asked.get("If-Range");
  const range =
    ifRange === null || ifRange === head.httpEtag ? readRange(asked.get("Range"), head.size) : undefined;
  if (range === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...all, "Content-Range": `bytes */${head.size}` } });
  const object = await host.bucket.get(host.prefix + key, range === undefined ? {} : { range });
  if (object === null) return undefined;
  const { offset, length } = range ?? { offset: 0, length: head.size };
  all["Content-Type"] = typeOf(object);
  all["Content-Length"] = String(length);
  if (range !== undefined) all["Content-Range"] = `bytes ${offset}-${offset + length - 1}/${head.size}`;
  return new Response(object.body, { status: range === undefined ? 200 : 206, headers: all });
}

/** The bytes that a Range header requests; undefined for all. Headers that are not valid or have several parts are ignored. */
export function readRange(range: string | null, size: number) {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return offset < end ? { offset, length: end - offset } : ("unsatisfiable" as const);
}

function typeOf({ httpMetadata }: BucketObject): string {
  return httpMetadata?.contentType ?? "application/octet-stream";
}

async function digestBody(body: ArrayBuffer): Promise<string> {
  const sha256 = await crypto.subtle.digest("SHA-256", body);
  return formatHex(new Uint8Array(sha256).subarray(0, digestBytes));
}
