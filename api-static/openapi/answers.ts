// Owns the answers of the OpenAPI document: successes, errors by status, and the headers they carry.
import { type ErrorCode, errorMeanings, formatError, statuses } from "../contract/errors.ts";
import type { Schema } from "../contract/schema.ts";
import { formatMeanings, releaseId } from "./schemas.ts";

const text: Schema = { type: "string" };

/** `components.headers`. */
export const headers = {
  "Cache-Control": { description: "How long caches may keep the answer.", schema: text },
  "Content-Disposition": { description: "The name of the file.", schema: text },
  ETag: {
    description: "Strong; depends on the content alone, so it outlives a sync that changed nothing.",
    schema: text,
  },
  Link: {
    description: "`first`, `prev`, `next` and `last` page, as far as they exist (RFC 8288).",
    schema: text,
  },
  Location: { description: "The path with the EIN in nine digits.", schema: text },
  "Retry-After": { description: "Seconds after which asking again may help.", schema: { type: "integer" } },
  "Server-Timing": { description: "The way of the answer and its milliseconds.", schema: text },
  Vary: { description: "The headers by which answers differ.", schema: text },
  "X-Release": { description: "The release that the answer is of.", schema: releaseId },
  "X-Request-Id": { description: "The id that the request brought, or a new one.", schema: text },
} as const;

type HeaderName = keyof typeof headers;

/** A body: its media type, its schema and an example. */
export type Content = { readonly type: string; readonly schema: Schema; readonly example: unknown };

/** Answers by status, as an operation of OpenAPI has them. */
export type Answers = Readonly<Record<string, Schema>>;

export function success(description: string, content: Content, ...names: readonly HeaderName[]): Answers {
  const { type, schema, example } = content;
  return { 200: answer(description, names, { [type]: { schema, example } }) };
}

export const notModified: Answers = {
  304: answer("The client has this content already.", ["ETag", "Vary", "X-Release"]),
};

export const redirect: Answers = {
  308: answer("The same with the EIN of the path in nine digits.", ["Location"]),
};

/** The answers with these error codes. */
export function failures(...codes: readonly ErrorCode[]): Answers {
  const byStatus = Map.groupBy(codes, (code) => statuses[code]);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(codes)]));
}

function failure(codes: readonly ErrorCode[]): Schema {
  const one: Schema = { type: "object", properties: { code: { enum: codes } } };
  const schema = { allOf: [{ $ref: "#/components/schemas/Error" }, one] };
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
  const isRetried = codes.some((code) => statuses[code] === 429 || statuses[code] === 503);
  const names: HeaderName[] = isRetried ? ["Retry-After"] : [];
  return answer(formatMeanings(codes), names, { "application/json": { schema, examples } });
}

/** `components.responses`: errors that come before any path is looked at. */
export const unreadableResponses = {
  RequestTimeout: failure(["request_timeout"]),
  UriTooLong: failure(["uri_too_long"]),
  HeadersTooLarge: failure(["headers_too_large"]),
};

/** The answers with those errors. */
export const unreadable: Answers = {
  408: { $ref: "#/components/responses/RequestTimeout" },
  414: { $ref: "#/components/responses/UriTooLong" },
  431: { $ref: "#/components/responses/HeadersTooLarge" },
};

function exampleOf(code: ErrorCode): unknown {
  const message = 'limit must be an integer from 1 to 1000, got "5000"';
  const problems = [{ parameter: "limit", code: "out_of_range" as const, message }];
  const error =
    code === "invalid_parameter" ? { code, message, problems } : { code, message: errorMeanings[code] };
  return JSON.parse(formatError(error));
}

function answer(description: string, names: readonly HeaderName[], content?: Schema): Schema {
  const references = ["X-Request-Id", "Cache-Control", ...names].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return {
    description,
    headers: Object.fromEntries(references),
    ...(content === undefined ? {} : { content }),
  };
}
