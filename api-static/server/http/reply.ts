// Prepares replies, with their headers as Node.js sends them.
import { type ApiError, type ErrorCode, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import type { OperationRequest } from "../../contract/request.ts";
import { decompressPageFile, digestBody, gzipBody } from "../../release/pageFileFormat.ts";
import type { AnswerPath } from "../../search/answer.ts";
import type { Exchange } from "./exchange.ts";
import type { SentStream } from "./stream.ts";

export type Body = Buffer | SentStream | null;

/** A reply to a request, from the answer to the socket. */
export type Reply = {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Body;
  /** True if caches keep it until the next sync; its headers then lack Cache-Control. */
  readonly isUntilSync?: boolean;
  /** The digest of the plain body, for conditional requests. */
  readonly digest?: string;
  /** How it was answered; absent if there is only one way. */
  readonly answeredBy?: AnswerPath;
  /** What was searched, how many grants or organizations match, and how they were found; also reported in Server-Timing. */
  readonly searched?: {
    readonly request: OperationRequest;
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
type Details = Omit<Partial<Reply>, "headers">;

/** A body to send. */
export type Content = {
  readonly body: Buffer;
  /** That of JSON if absent. */
  readonly type?: string;
  /** The digest of the plain body, for the ETag; computed if absent. */
  readonly digest?: string;
  /** True for a page file, which is gzip. */
  readonly isGzipped?: boolean;
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
export function prepare(exchange: Exchange, status: number, others: Headers, details?: Details): Reply {
  const sent = [...common, ...exchange.headers, ...flatten(others)];
  return { status, headers: sent, body: null, ...details };
}

/**
 * Prepares an answer from a release, which caches keep until the next sync, or forever if its URL names the release, unless the other
 * headers say how long.
 */
export function prepareFromRelease(exchange: Exchange, others: Headers, details: Details): Reply {
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
): Promise<Reply> {
  const { type = headers.jsonType, digest = digestBody(content.body), isImmutable = false } = content;
  const isCompressible = content.gzipped !== null && content.body.length >= minCompressedBytes;
  const isGzipped = exchange.acceptsGzip && (content.isGzipped || isCompressible);
  const body = await encode(content, digest, isGzipped);
  const about = { ...others, Vary: "Accept-Encoding", ETag: headers.formatEtag(digest, isGzipped) };
  const described = describeBody(type, body, isGzipped);
  const all: Details = { body, digest, ...details };
  if (!isImmutable) return prepareFromRelease(exchange, { ...about, ...described }, all);
  return prepare(exchange, 200, { ...about, "Cache-Control": headers.cacheForever, ...described }, all);
}

function encode(content: Content, digest: string, isGzipped: boolean): Buffer | Promise<Buffer> {
  const { body, gzipped } = content;
  if (isGzipped === (content.isGzipped ?? false)) return body;
  return isGzipped ? (gzipped ?? gzipBody(body)) : decompressPageFile(body, digest);
}

/** Prepares a text with its Content-Length, so that HEAD has it too. */
export function prepareText(
  exchange: Exchange,
  text: string,
  type: string,
  others: Headers = { "Cache-Control": "no-store" },
): Reply {
  const plain = Buffer.from(text);
  const isCompressible = plain.length >= minCompressedBytes;
  const isGzipped = exchange.acceptsGzip && isCompressible;
  const body = isGzipped ? gzipBody(plain) : plain;
  const about = isCompressible ? { ...others, Vary: "Accept-Encoding" } : others;
  return prepare(exchange, 200, { ...about, ...describeBody(type, body, isGzipped) }, { body });
}

/** The headers that a 304 omits. */
function describeBody(type: string, { length }: Buffer, isGzipped: boolean): Headers {
  const encoding = isGzipped ? { "Content-Encoding": "gzip" } : {};
  return { "Content-Type": type, "Content-Length": String(length), ...encoding };
}

/** The same headers without those of the body, for a 304. */
export function withoutBody(sent: readonly string[]): string[] {
  const isOfBody = (name: string | undefined) => /^Content-(?:Type|Length|Encoding|Range)$/.test(name ?? "");
  return sent.filter((_, index) => !isOfBody(sent[index - (index % 2)]));
}

/** Prepares an error in the one shape that all errors have. */
export function prepareError(exchange: Exchange, error: ApiError, others: Headers = {}): Reply {
  const { code } = error;
  const about = { ...others, ...headers.errorHeaders(error) };
  const prepared = prepareText(exchange, formatError(error), headers.jsonType, about);
  return { ...prepared, status: statuses[code], code };
}

/** Prepares a redirect to the canonical URL, in the release that the request pins, if any. */
export function prepareRedirect(exchange: Exchange, location: string): Reply {
  const { prefix } = exchange.target;
  const caching = { "Cache-Control": headers.cacheRedirect };
  return prepare(exchange, 308, { ...caching, "Content-Length": "0", Location: prefix + location });
}

/** Bytes of a body; 0 if it is empty, or made while it is sent. */
export function countBytes(body: Body): number {
  return body === null || isStream(body) ? 0 : body.length;
}

export function isStream(body: Body): body is SentStream {
  return body !== null && "stream" in body;
}
