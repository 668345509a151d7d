// Prepares answers: the parts that all requests for a URL share, with their headers as Node.js sends them.
import { type ApiError, type ErrorCode, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import type { HistoryRequest, TotalsRequest } from "../../contract/request.ts";
import { type Bytes, compactBytes, toBuffer } from "../../release/bytes.ts";
import { decompressPageFile, digestBody, gzipBody } from "../../release/pageFileFormat.ts";
import type { AnswerPath } from "../../search/answer.ts";
import type { Exchange } from "./exchange.ts";
import type { SentStream } from "./stream.ts";

export type Body = Bytes | SentStream | null;

/** A response to send. Its headers are names and values in turn. */
export type Answer = { readonly status: number; readonly headers: string[]; readonly body: Body };

/** A request that the log of searches does not have, because syncs prepare no answers to such requests. */
type UnloggedRequest = { readonly kind: "groups" | "organizations" | "reconcile" | "suggest" };

/** An answer to a URL in one encoding. Any number of requests may share it. */
export type Prepared = {
  readonly status: number;
  /** Names and values in turn, of the headers that a 304 has too. */
  readonly headers: readonly string[];
  readonly bodyHeaders: readonly string[];
  readonly body: Body;
  /** True if caches keep it until the next sync; its headers then lack Cache-Control. */
  readonly isUntilSync?: boolean;
  /** The digest of the plain body, for conditional requests. */
  readonly digest?: string;
  /** True if the answer is read from files, so that it stays the same as long as its release is served. */
  readonly isKept?: boolean;
  /** How it was answered; absent if there is only one way. */
  readonly answeredBy?: AnswerPath;
  /** What was searched, how many grants or organizations match, and how they were found; also reported in Server-Timing. */
  readonly searched?: {
    readonly request: HistoryRequest | TotalsRequest | UnloggedRequest;
    readonly total: number;
    readonly plan?: string | undefined;
  };
  /** The code of the error that it is. */
  readonly code?: ErrorCode;
  /** The error behind a failure, for the log. */
  readonly failure?: unknown;
};

type Headers = Readonly<Record<string, string>>;

/** Parts that most answers omit. */
type Details = Omit<Partial<Prepared>, "headers">;

/** A body to send, with the digest for its ETag. */
export type Content = {
  readonly type: string;
  readonly digest: string;
  readonly body: Bytes;
  /** True for a page file, which is gzip. */
  readonly isGzipped: boolean;
  /** The gzipped form of a plain body, if it was made before; null if the body is not to be compressed. */
  readonly gzipped?: Buffer | null;
  /** True if the URL never has other content, in no release. */
  readonly isImmutable?: boolean;
};

/** Bodies shorter than this (bytes) are not worth compressing. */
const minCompressedBytes = 500;

const flatten = (record: Headers) => Object.entries(record).flat();

/** The headers of every response. */
const common = flatten(headers.commonHeaders);

/** Prepares an answer. The body is empty unless `details` has one. */
export function prepare(exchange: Exchange, status: number, others: Headers, details?: Details): Prepared {
  const sent = [...common, ...exchange.headers, ...flatten(others)];
  return { status, headers: sent, bodyHeaders: [], body: null, ...details };
}

/**
 * Prepares an answer from a release, which caches keep until the next sync, or forever if its URL names the release, unless the other
 * headers say how long.
 */
export function prepareFromRelease(exchange: Exchange, others: Headers, details: Details): Prepared {
  const isUntilSync = exchange.target.release === undefined;
  const caching = isUntilSync ? {} : { "Cache-Control": headers.cacheForever };
  return prepare(exchange, 200, { ...caching, ...others }, { isUntilSync, ...details });
}

/**
 * Prepares content in the encoding that the client accepts.
 * @throws DamagedPage if a page file has to be decompressed and cannot be
 */
export async function prepareContent(
  exchange: Exchange,
  content: Content,
  { headers: others = {}, ...details }: Details & { readonly headers?: Headers } = {},
): Promise<Prepared> {
  const { type, digest, isImmutable = false } = content;
  const isCompressible = content.gzipped !== null && content.body.length >= minCompressedBytes;
  const isGzipped = exchange.acceptsGzip && (content.isGzipped || isCompressible);
  const body = await encode(content, isGzipped);
  const about = { ...others, Vary: "Accept-Encoding", ETag: headers.formatEtag(digest, isGzipped) };
  const all: Details = {
    body: compactBytes(body),
    bodyHeaders: describeBody(type, body, isGzipped),
    digest,
    ...details,
  };
  if (!isImmutable) return prepareFromRelease(exchange, about, all);
  return prepare(exchange, 200, { ...about, "Cache-Control": headers.cacheForever }, all);
}

/** Prepares JSON that was made for this request. */
export function prepareJson(exchange: Exchange, body: Buffer): Promise<Prepared> {
  return prepareContent(exchange, {
    type: headers.jsonType,
    digest: digestBody(body),
    body,
    isGzipped: false,
  });
}

function encode({ body, digest, gzipped, ...content }: Content, isGzipped: boolean): Bytes | Promise<Bytes> {
  if (isGzipped === content.isGzipped) return body;
  return isGzipped ? (gzipped ?? gzipBody(toBuffer(body))) : decompressPageFile(toBuffer(body), digest);
}

/** Prepares a text with its Content-Length, so that HEAD has it too. */
export function prepareText(
  exchange: Exchange,
  text: string,
  type: string,
  others: Headers = { "Cache-Control": "no-store" },
): Prepared {
  const plain = Buffer.from(text);
  const isCompressible = plain.length >= minCompressedBytes;
  const isGzipped = exchange.acceptsGzip && isCompressible;
  const body = (isGzipped ? gzipBody(plain) : plain).toString("latin1");
  const about = isCompressible ? { ...others, Vary: "Accept-Encoding" } : others;
  return prepare(exchange, 200, about, { body, bodyHeaders: describeBody(type, body, isGzipped) });
}

function describeBody(type: string, { length }: Bytes, isGzipped: boolean): string[] {
  const encoding = isGzipped ? ["Content-Encoding", "gzip"] : [];
  return ["Content-Type", type, "Content-Length", String(length), ...encoding];
}

/** Prepares an error in the one shape that all errors have. */
export function prepareError(exchange: Exchange, error: ApiError, others: Headers = {}): Prepared {
  const { code, retryAfter } = error;
  const retry = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  const about = { ...others, "Cache-Control": headers.cacheOfError(code), ...retry };
  return {
    ...prepareText(exchange, formatError(error), headers.jsonType, about),
    status: statuses[code],
    code,
  };
}

/** Prepares a redirect to the canonical URL, in the release that the request pins, if any. */
export function prepareRedirect(exchange: Exchange, location: string): Prepared {
  const { prefix } = exchange.target;
  const caching = { "Cache-Control": headers.cacheRedirect };
  return prepare(exchange, 308, { ...caching, "Content-Length": "0", Location: prefix + location });
}

/** Bytes of a body; 0 if it is empty, or made while it is sent. */
export function countBytes(body: Body): number {
  return body === null || isStream(body) ? 0 : body.length;
}

export function isStream(body: Body): body is SentStream {
  return typeof body === "object" && body !== null && "stream" in body;
}
