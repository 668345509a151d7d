// Keeps responses in the data center's cache, sends them in the encoding that each client accepts, and formats errors and redirects.

import { type ApiError, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import { acceptsGzip, formatEtag, matchesEtag, namesOtherContent } from "../../contract/headers.ts";
import { contentChanged } from "../../contract/refusals.ts";
import { cacheTag } from "../../contract/sitePaths.ts";
import type { EncodedInit, Host } from "./runtime.ts";

export function refuse(error: ApiError, more: Readonly<Record<string, string>> = {}): Response {
  const body = formatError(error);
  return new Response(body, {
    status: statuses[error.code],
    headers: {
      ...headers.commonHeaders,
      ...headers.errorHeaders(error),
      "Content-Type": headers.jsonType,
      "Content-Length": String(new TextEncoder().encode(body).length),
      ...more,
    },
  });
}

/** Redirects to the canonical path. */
export function redirect(location: string): Response {
  return new Response(null, {
    status: 308,
    headers: { ...headers.commonHeaders, "Cache-Control": headers.cacheRedirect, Location: location },
  });
}

/** Marks a gzip body in the cache. With `Content-Encoding`, the runtime would decode it. */
const storedEncoding = "X-Stored-Encoding";

/** The header with the tags by which Cloudflare purges responses. */
const tagHeader = "Cache-Tag";

/** A response with a gzip body, as the cache keeps it. */
export function keepGzipped(
  stored: Uint8Array<ArrayBuffer>,
  digest: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const all = { ...headers, ETag: formatEtag(digest, false), [storedEncoding]: "gzip" };
  return new Response(stored, { headers: all });
}

/** Responds from the cache, or makes the response and keeps it. @param url canonical, so that all spellings share an entry */
export async function throughCache(
  url: string,
  request: Request,
  host: Host,
  make: () => Promise<Response>,
): Promise<Response> {
  const key = new URL(url, request.url).href;
  const kept = await host.cache.match(key);
  if (kept !== undefined) return send(kept, request);
  const made = await make();
  const tag = cacheTag(url.replace(/\?.*/s, ""));
  if (tag !== undefined) made.headers.set(tagHeader, tag);
  if (isKept(made)) host.waitUntil(host.cache.put(key, made.clone()).catch(host.onFailure));
  return send(made, request);
}

/** False for responses that the cache refuses, or would keep despite `no-store`. */
function isKept({ status, headers }: Response): boolean {
  const cacheControl = headers.get("Cache-Control") ?? "no-store";
  return status < 500 && !cacheControl.includes("no-store");
}

/** The response for this client: 304 if it has the content, gzip if it accepts that. */
async function send(kept: Response, request: Request): Promise<Response> {
  const headers = new Headers(kept.headers);
  headers.delete(tagHeader);
  const [, digest] = /^"([^"]*)"$/.exec(headers.get("ETag") ?? "") ?? [];
  if (kept.status !== 200 || digest === undefined)
    return new Response(kept.body, { status: kept.status, headers });
  const isStoredGzipped = headers.get(storedEncoding) === "gzip";
  const isGzipped = isStoredGzipped && acceptsGzip(request.headers.get("Accept-Encoding") ?? undefined);
  headers.delete(storedEncoding);
  headers.delete("Content-Length");
  headers.set("Vary", "Accept-Encoding");
  headers.set("ETag", formatEtag(digest, isGzipped));
  if (namesOtherContent(request.headers.get("If-Match") ?? undefined, digest)) return refuse(contentChanged);
  if (matchesEtag(request.headers.get("If-None-Match") ?? undefined, digest)) {
    headers.delete("Content-Type");
    return new Response(null, { status: 304, headers });
  }
  const stored = await kept.arrayBuffer();
  const body = isStoredGzipped && !isGzipped ? await decompress(stored) : stored;
  headers.set("Content-Length", String(body.byteLength));
  if (!isGzipped) return new Response(body, { headers });
  headers.set("Content-Encoding", "gzip");
  const encoded: EncodedInit = { headers, encodeBody: "manual" };
  return new Response(body, encoded);
}

/** The plain bytes of a gzip body. */
export function decompress(stored: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([stored]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
