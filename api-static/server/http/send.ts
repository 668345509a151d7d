// Owns what an answer is sent as, once its content is there: packed or plain, 304, an error in its one shape, a short text;
// each with the headers for caches.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Context } from "hono";
import { type ApiError, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import { addHeaders, reply } from "./reply.ts";

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

/** Sends content in the form the client takes, or 304 when it has it already. */
export async function sendContent(c: Context, clock: () => Date, content: Content): Promise<Response> {
  const isPacked =
    headers.acceptsGzip(c.req.header("Accept-Encoding")) &&
    (content.isGzipped || content.body.length >= packedLeast);
  addHeaders(c, {
    "Cache-Control": cacheOf(c, clock),
    Vary: "Accept-Encoding",
    ETag: headers.formatEtag(content.digest, isPacked),
  });
  if (headers.matchesEtag(c.req.header("If-None-Match"), content.digest)) return reply(c, null, 304);
  const body = await transcode(content, isPacked);
  addHeaders(c, { "Content-Type": content.type, "Content-Length": String(body.length) });
  if (isPacked) addHeaders(c, { "Content-Encoding": "gzip" });
  return reply(c, body);
}

/** Cache-Control of what a release holds. */
export function cacheOf(c: Context, clock: () => Date): string {
  const isPinned = c.get("target").release !== undefined;
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
  addHeaders(c, { "Cache-Control": headers.cacheOfError(error.code) });
  if (error.retryAfter !== undefined) addHeaders(c, { "Retry-After": String(error.retryAfter) });
  return sendText(c, headers.jsonType, formatError(error), status);
}

/** Sends a text of the moment, which nobody keeps. */
export function sendNow(c: Context, type: string, text: string): Response {
  addHeaders(c, { "Cache-Control": "no-store" });
  return sendText(c, type, text, 200);
}

/** Sends a short text; its length is named, so that HEAD has it too. */
export function sendText(c: Context, type: string, text: string, status: number): Response {
  addHeaders(c, { "Content-Type": type, "Content-Length": String(Buffer.byteLength(text)) });
  return reply(c, text, status);
}
