// Sends content, errors and short texts: compressed or plain, or as 304, with the headers for caches.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { type ApiError, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import { decompressPageFile } from "../../release/pageFileFormat.ts";
import { respond, setHeaders } from "./response.ts";

const compress = promisify(gzip);

/** Bodies shorter than this (bytes) are not worth compressing. */
const minCompressedBytes = 500;

/** A body to send, with the digest for its ETag. */
export type Content = {
  readonly type: string;
  readonly digest: string;
  readonly body: Buffer;
  /** True for a page file, which is gzip. */
  readonly isGzipped: boolean;
  /** The gzipped form of a plain body, if it was made before; null if the body is not to be compressed. */
  readonly gzipped?: Buffer | null;
  /** True if the URL never has other content, in no release. */
  readonly isImmutable?: boolean;
};

/**
 * Sends content in the encoding that the client accepts, or 304 if the client has it already.
 * @throws DamagedPage if a page file has to be decompressed and cannot be
 */
export async function sendContent(c: Context, clock: () => Date, content: Content): Promise<Response> {
  const isGzipped = headers.acceptsGzip(c.req.header("Accept-Encoding")) && isCompressible(content);
  setHeaders(c, {
    "Cache-Control": content.isImmutable ? headers.cacheForever : cacheControl(c, clock),
    Vary: "Accept-Encoding",
    ETag: headers.formatEtag(content.digest, isGzipped),
  });
  if (headers.matchesEtag(c.req.header("If-None-Match"), content.digest)) return respond(c, null, 304);
  const body = await encode(content, isGzipped);
  setHeaders(c, { "Content-Type": content.type, "Content-Length": String(body.length) });
  if (isGzipped) setHeaders(c, { "Content-Encoding": "gzip" });
  return respond(c, body);
}

/** Cache-Control of content from a release. */
export function cacheControl(c: Context, clock: () => Date): string {
  const isPinned = c.get("target").release !== undefined;
  return isPinned ? headers.cacheForever : headers.cacheUntilSync(clock());
}

function isCompressible({ isGzipped, gzipped, body }: Content): boolean {
  return isGzipped || (gzipped !== null && body.length >= minCompressedBytes);
}

async function encode(content: Content, isGzipped: boolean): Promise<Buffer<ArrayBuffer>> {
  const { body, digest, gzipped } = content;
  if (isGzipped === content.isGzipped) return asBody(body);
  if (isGzipped && gzipped) return asBody(gzipped);
  return isGzipped ? compress(body, { level: 1 }) : decompressPageFile(body, digest);
}

/** The same bytes, as a type that a response accepts. */
function asBody({ buffer, byteOffset, length }: Buffer): Buffer<ArrayBuffer> {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length);
}

/** Sends an error in the one shape that all errors have. */
export function sendError(c: Context, error: ApiError): Response {
  const status = statuses[error.code];
  c.set("errorCode", error.code);
  setHeaders(c, { "Cache-Control": headers.cacheOfError(error.code) });
  if (error.retryAfter !== undefined) setHeaders(c, { "Retry-After": String(error.retryAfter) });
  return sendText(c, headers.jsonType, formatError(error), status);
}

/** Sends a text that no cache may keep. */
export function sendUncached(c: Context, type: string, text: string): Response {
  setHeaders(c, { "Cache-Control": "no-store" });
  return sendText(c, type, text, 200);
}

/** Sends a short text with its Content-Length, so that HEAD has it too. */
export function sendText(c: Context, type: string, text: string, status: number): Response {
  setHeaders(c, { "Content-Type": type, "Content-Length": String(Buffer.byteLength(text)) });
  return respond(c, text, status);
}
