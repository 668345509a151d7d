// Owns the sending: content packed or plain with what caches need to know, errors in their one shape, short texts.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ApiError, formatError, statuses } from "../errors.ts";
import * as headers from "../headers.ts";
import { type PinnedPath, splitPinned } from "../pinned.ts";

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Bodies shorter than this (bytes) are not worth packing. */
const packedLeast = 500;

/** A body to send, with what clients check it by. */
export type Content = {
  readonly type: string;
  readonly digest: string;
  readonly body: Buffer;
  readonly isGzipped: boolean;
};

/** The release that the request's URL pins, if any. */
export function pinnedOf(c: Context): PinnedPath {
  return splitPinned(new URL(c.req.url).pathname);
}

/** Sends content in the form the client takes, or 304 when it has it already. */
export async function sendContent(c: Context, clock: () => Date, content: Content): Promise<Response> {
  const isPacked =
    headers.acceptsGzip(c.req.header("Accept-Encoding")) &&
    (content.isGzipped || content.body.length >= packedLeast);
  c.header("Cache-Control", cacheOf(c, clock));
  c.header("Vary", "Accept-Encoding");
  c.header("ETag", headers.formatEtag(content.digest, isPacked));
  if (headers.matchesEtag(c.req.header("If-None-Match"), content.digest)) return c.body(null, 304);
  c.header("Content-Type", content.type);
  if (isPacked) c.header("Content-Encoding", "gzip");
  const body = await transcode(content, isPacked);
  c.header("Content-Length", String(body.length));
  return c.body(body);
}

/** Cache-Control of what a release holds. */
export function cacheOf(c: Context, clock: () => Date): string {
  const isPinned = pinnedOf(c).release !== undefined;
  return isPinned ? headers.cacheForever : headers.cacheUntilSync(clock());
}

async function transcode(content: Content, isPacked: boolean): Promise<Buffer<ArrayBuffer>> {
  const { body, isGzipped } = content;
  if (isPacked === isGzipped) return Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.length);
  return isPacked ? pack(body, { level: 1 }) : unpack(body);
}

/** Sends an error in its one shape. */
export function sendError(c: Context, error: ApiError): Response {
  const status = statuses[error.code];
  c.set("errorCode", error.code);
  c.header("Cache-Control", headers.cacheOfError(error.code));
  if (error.retryAfter !== undefined) c.header("Retry-After", String(error.retryAfter));
  return sendText(c, headers.jsonType, formatError(error), status);
}

/** Sends a text of the moment, which nobody keeps. */
export function sendNow(c: Context, type: string, text: string): Response {
  c.header("Cache-Control", "no-store");
  return sendText(c, type, text, 200);
}

/** Sends a short text; its length is named, so that HEAD has it too. */
export function sendText(c: Context, type: string, text: string, status: ContentfulStatusCode): Response {
  c.header("Content-Type", type);
  c.header("Content-Length", String(Buffer.byteLength(text)));
  return c.body(text, status);
}
