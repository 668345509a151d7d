// Prepares answers: everything of an answer that does not differ from request to request, with its headers as Node.js sends them.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type ApiError, type ErrorCode, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import type { HistoryRequest } from "../../contract/request.ts";
import { decompressPageFile } from "../../release/pageFileFormat.ts";
import type { AnswerPath } from "../../search/answer.ts";
import type { Exchange } from "./exchange.ts";
import type { SentStream } from "./stream.ts";

/** Names and values of headers in turn. */
export type FlatHeaders = readonly string[];

/** A body; a string has a byte in each character, and Node.js sends it in one write with the headers. */
export type Body = Buffer | string | SentStream | null;

export function isStream(body: Body): body is SentStream {
  return typeof body === "object" && body !== null && "stream" in body;
}

/** What is sent. */
export type Answer = { readonly status: number; readonly headers: string[]; readonly body: Body };

/** An answer to a URL in one encoding. Any number of requests may share it. */
export type Prepared = {
  readonly status: number;
  /** Headers that a 304 has too. */
  readonly headers: FlatHeaders;
  /** Headers of the body. */
  readonly bodyHeaders: FlatHeaders;
  readonly body: Body;
  /** Bytes of the body; 0 if they are not known. */
  readonly bytes: number;
  /** True if caches keep it until the next sync; its headers then lack Cache-Control. */
  readonly isUntilSync?: boolean;
  /** The digest of the plain body, for conditional requests. */
  readonly digest?: string;
  /** True if the answer is read from files, so that it stays the same as long as its release is served. */
  readonly isKept?: boolean;
  /** How it was answered; absent if there is only one way. */
  readonly answeredBy?: AnswerPath;
  /** The page of grants that it has. */
  readonly page?: { readonly request: HistoryRequest; readonly total: number; readonly plan: string };
  /** The code of the error that it is. */
  readonly code?: ErrorCode;
  /** What failed, for the log. */
  readonly failure?: unknown;
};

/** What an answer has besides its content. */
export type Details = Pick<Prepared, "isKept" | "answeredBy" | "page"> & {
  readonly headers?: Readonly<Record<string, string>>;
};

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

const compress = promisify(gzip);

/** Bodies shorter than this (bytes) are not worth compressing. */
const minCompressedBytes = 500;

/** Bodies up to this many bytes are sent as strings: copying a longer one costs more than a second write. */
const maxTextBytes = 32 * 1024;

/** The headers of every response. */
const common = flatten(headers.commonHeaders);

function flatten(record: Readonly<Record<string, string>>): string[] {
  return Object.entries(record).flat();
}

/**
 * Prepares content in the encoding that the client accepts.
 * @throws DamagedPage if a page file has to be decompressed and cannot be
 */
export async function prepareContent(
  exchange: Exchange,
  content: Content,
  { headers: others = {}, ...details }: Details = {},
): Promise<Prepared> {
  const { type, digest, isImmutable = false } = content;
  const isGzipped = exchange.acceptsGzip && isCompressible(content);
  const isForever = isImmutable || exchange.target.release !== undefined;
  const body = await encode(content, isGzipped);
  return {
    status: 200,
    headers: [
      ...common,
      ...exchange.headers,
      ...flatten(others),
      ...(isForever ? ["Cache-Control", headers.cacheForever] : []),
      ...["Vary", "Accept-Encoding", "ETag", headers.formatEtag(digest, isGzipped)],
    ],
    bodyHeaders: [
      ...["Content-Type", type, "Content-Length", String(body.length)],
      ...(isGzipped ? ["Content-Encoding", "gzip"] : []),
    ],
    body: body.length <= maxTextBytes ? body.toString("latin1") : body,
    bytes: body.length,
    isUntilSync: !isForever,
    digest,
    ...details,
  };
}

function isCompressible({ isGzipped, gzipped, body }: Content): boolean {
  return isGzipped || (gzipped !== null && body.length >= minCompressedBytes);
}

function encode(content: Content, isGzipped: boolean): Buffer | Promise<Buffer> {
  const { body, digest, gzipped } = content;
  if (isGzipped === content.isGzipped) return body;
  if (isGzipped && gzipped) return gzipped;
  return isGzipped ? compress(body, { level: 1 }) : decompressPageFile(body, digest);
}

/** Prepares a body that is made while it is sent. */
export function prepareStream(
  exchange: Exchange,
  body: SentStream | null,
  { headers: others = {}, ...details }: Details,
): Prepared {
  const isForever = exchange.target.release !== undefined;
  const caching = isForever ? ["Cache-Control", headers.cacheForever] : [];
  return {
    status: 200,
    headers: [...common, ...exchange.headers, ...caching, ...flatten(others)],
    bodyHeaders: [],
    body,
    bytes: 0,
    isUntilSync: !isForever,
    ...details,
  };
}

/** Prepares an error in the one shape that all errors have. */
export function prepareError(exchange: Exchange, error: ApiError, others: Details["headers"] = {}): Prepared {
  const { code, retryAfter } = error;
  const retry = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  const caching = { "Cache-Control": headers.cacheOfError(code) };
  const text = formatError(error);
  const prepared = prepareText(exchange, text, headers.jsonType, { ...others, ...caching, ...retry });
  return { ...prepared, status: statuses[code], code };
}

/** Prepares a short text with its Content-Length, so that HEAD has it too. */
export function prepareText(
  exchange: Exchange,
  text: string,
  type: string,
  others: Readonly<Record<string, string>> = { "Cache-Control": "no-store" },
): Prepared {
  const body = Buffer.from(text).toString("latin1");
  return {
    status: 200,
    headers: [...common, ...exchange.headers, ...flatten(others)],
    bodyHeaders: ["Content-Type", type, "Content-Length", String(body.length)],
    body,
    bytes: body.length,
  };
}

/** Prepares an answer without a body. */
export function prepareEmpty(
  exchange: Exchange,
  status: number,
  others: Readonly<Record<string, string>> = {},
): Prepared {
  const sent = [...common, ...exchange.headers, ...flatten(others)];
  return { status, headers: sent, bodyHeaders: [], body: null, bytes: 0 };
}

/** Prepares a redirect to the canonical URL, in the release that the request pins, if any. */
export function prepareRedirect(exchange: Exchange, location: string): Prepared {
  return prepareEmpty(exchange, 308, {
    "Cache-Control": headers.cacheRedirect,
    "Content-Length": "0",
    Location: exchange.target.prefix + location,
  });
}
