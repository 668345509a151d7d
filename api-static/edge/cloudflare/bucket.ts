// Reads pages, files of the site and downloads from the bucket of a published release.

import {
  digestBytes,
  formatHex,
  readPageFileDigest,
  readStoredTotal,
} from "../../contract/answers/storedPage.ts";
import * as headers from "../../contract/headers.ts";
import { formatContentRange, readRange } from "../../contract/headers.ts";
import { contentChanged, noSuchRange } from "../../contract/refusals.ts";
import { isHashedPath } from "../../contract/sitePaths.ts";
import { decompress, keepGzipped, refuse } from "./cache.ts";
import type { StoredPlan } from "./plan.ts";
import type { BucketObject, Host } from "./runtime.ts";

/** What the bucket has of a plan; undefined if it does not have it. @throws Error if it is damaged */
export async function readStored(host: Host, plan: StoredPlan): Promise<Response | undefined> {
  const object = await host.bucket.get(host.prefix + plan.key);
  if (object === null) return undefined;
  const stored = new Uint8Array(await object.arrayBuffer());
  if (plan.by === "page") return formatPage(host, plan, stored);
  if (plan.by === "site") return formatSiteFile(host, plan, object, stored);
  const caching = { "Cache-Control": headers.cacheOfError("not_found"), "Content-Type": typeOf(object) };
  const all = { ...headers.commonHeaders, ...headers.htmlHeaders, ...caching };
  return new Response(stored, { status: 404, headers: all });
}

/** A page, or another stored file if there is none. */
function formatPage(host: Host, { key, page }: StoredPlan, stored: Uint8Array<ArrayBuffer>): Response {
  const digest = readPageFileDigest(stored);
  const total = readStoredTotal(stored);
  if (digest === undefined || (page !== undefined && total === undefined))
    throw new Error(`the object ${host.prefix}${key} is not a page file`);
  const link = page && headers.formatLinks(page, { ...page, total: total ?? 0 });
  return keepGzipped(stored, digest, {
    ...headers.commonHeaders,
    "Cache-Control": untilSync(host),
    "Content-Type": headers.jsonType,
    ...link,
  });
}

/** A file of the site, or the index of changes. */
async function formatSiteFile(
  host: Host,
  { url, cacheControl }: StoredPlan,
  object: BucketObject,
  stored: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const isGzipped = object.httpMetadata?.contentEncoding === "gzip";
  const digest = await digestBody(isGzipped ? await decompress(stored) : stored);
  const type = typeOf(object);
  const all = {
    ...headers.commonHeaders,
    "Cache-Control": cacheControl ?? (isHashedPath(url) ? headers.cacheForever : untilSync(host)),
    "Content-Type": type,
    ...(type.startsWith("text/html") ? headers.htmlHeaders : {}),
  };
  if (isGzipped) return keepGzipped(stored, digest, all);
  return new Response(stored, { headers: { ...all, ETag: headers.formatEtag(digest, false) } });
}

/** A file that can be read in parts; caches keep it until the next sync unless it says how long. */
export type BucketFile = { readonly key: string; readonly url: string; readonly cacheControl?: string };

/**
 * A file, or the part that `Range` requests; undefined if the bucket does not have it. It is streamed and not cached, because it may
 * exceed the cache's limit.
 */
export async function readFile(
  host: Host,
  file: BucketFile,
  request: Pick<Request, "method" | "headers">,
): Promise<Response | undefined> {
  const { key, cacheControl = untilSync(host) } = file;
  const { method, headers: asked } = request;
  const head = await host.bucket.head(host.prefix + key);
  if (head === null) return undefined;
  const { size, httpEtag } = head;
  const accepts = { "Accept-Ranges": "bytes" };
  const all: Record<string, string> = {
    ...headers.commonHeaders,
    ...accepts,
    ETag: httpEtag,
    "Cache-Control": cacheControl,
  };
  const digest = httpEtag.replaceAll('"', "");
  if (headers.namesOtherContent(asked.get("If-Match") ?? undefined, digest)) return refuse(contentChanged);
  if (headers.matchesEtag(asked.get("If-None-Match") ?? undefined, digest))
    return new Response(null, { status: 304, headers: all });
  const isHead = method === "HEAD";
  const wanted = { range: isHead ? null : asked.get("Range"), ifRange: asked.get("If-Range") };
  const range = readRange(wanted, size, httpEtag);
  if (range === "unsatisfiable")
    return refuse(noSuchRange(size), { ...accepts, "Content-Range": formatContentRange(undefined, size) });
  all["Content-Type"] = typeOf(head);
  all["Content-Length"] = String(range?.length ?? size);
  if (range !== undefined) all["Content-Range"] = formatContentRange(range, size);
  if (isHead) return new Response(null, { headers: all });
  const object = await host.bucket.get(host.prefix + key, range === undefined ? {} : { range });
  if (object === null) return undefined;
  if (object.httpEtag !== httpEtag) return readFile(host, file, request); // it was replaced meanwhile
  return new Response(object.body, { status: range === undefined ? 200 : 206, headers: all });
}

function untilSync({ clock, syncMinutes }: Host): string {
  return headers.cacheUntilSync(clock(), syncMinutes);
}

function typeOf({ httpMetadata }: Pick<BucketObject, "httpMetadata">): string {
  return httpMetadata?.contentType ?? "application/octet-stream";
}

async function digestBody(body: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const sha256 = await crypto.subtle.digest("SHA-256", body);
  return formatHex(new Uint8Array(sha256).subarray(0, digestBytes));
}
