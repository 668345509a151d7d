// Describes responses for the OpenAPI document: successes, errors by status, and their headers.
import { type ErrorCode, errorMeanings, formatError, statuses } from "../contract/errors.ts";
import type { Schema } from "../contract/schema.ts";
import { historyExample } from "./examples.ts";
import { formatMeanings } from "./schemas/error.ts";
import { releaseId } from "./schemas/primitives.ts";
import type { schemas } from "./schemas.ts";

const text: Schema = { type: "string" };

/** `components.headers`. */
export const headers = {
  "Cache-Control": { description: "How long caches may keep the response.", schema: text },
  "Content-Disposition": { description: "The name of the file.", schema: text },
  ETag: {
    description:
      "Strong; depends on the content alone, so it survives a sync that does not change the content.",
    schema: text,
  },
  Link: {
    description: "The `first`, `prev`, `next` and `last` pages that exist (RFC 8288).",
    schema: text,
  },
  Location: { description: "The path with a nine-digit EIN.", schema: text },
  "Retry-After": { description: "Seconds to wait before a retry.", schema: { type: "integer" } },
  "Server-Timing": {
    description: "How the request was answered, and the milliseconds it took.",
    schema: text,
  },
  Vary: { description: "The request headers that the response depends on.", schema: text },
  "X-Release": { description: "The release that answered.", schema: releaseId },
  "X-Request-Id": { description: "The request's own id, or a new one.", schema: text },
} as const;

type HeaderName = keyof typeof headers;

/** A body: its media type, its schema and an example. */
export type MediaType = { readonly type: string; readonly schema: Schema; readonly example: unknown };

/** The responses of an operation, by status. */
export type Answers = Readonly<Record<string, Schema>>;

export function success(description: string, content: MediaType, ...names: readonly HeaderName[]): Answers {
  const { type, schema, example } = content;
  return { 200: answer(description, names, { [type]: { schema, example } }) };
}

export const notModified: Answers = {
  304: answer("The client's copy is current.", ["ETag", "Vary", "X-Release"]),
};

export const redirect: Answers = {
  308: answer("Redirect to the same path with a nine-digit EIN.", ["Location"]),
};

/** The responses with these error codes. */
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

/** `components.responses`: errors of requests that are refused before they are routed. */
export const unreadableResponses = {
  RequestTimeout: failure(["request_timeout"]),
  UriTooLong: failure(["uri_too_long"]),
  HeadersTooLarge: failure(["headers_too_large"]),
};

/** References to those responses. */
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

/** The responses with a page of grants. */
export function page(example: unknown = historyExample): Answers {
  const schema = { $ref: "#/components/schemas/HistoryPage" };
  const history = { type: "application/json", schema, example };
  return {
    ...success("A page of grants.", history, "X-Release", "ETag", "Vary", "Link", "Server-Timing"),
    ...notModified,
  };
}

/** The responses with JSON of a schema of the document. */
export function found(description: string, schema: keyof typeof schemas, example: unknown): Answers {
  const content = { type: "application/json", schema: { $ref: `#/components/schemas/${schema}` }, example };
  return { ...success(description, content, "X-Release", "ETag", "Vary"), ...notModified };
}

/** The header that asks for 304 if a copy is current. */
export const ifNoneMatch = { $ref: "#/components/parameters/IfNoneMatch" };

/** An operation as the document describes it. */
export type Described = {
  readonly id: string;
  readonly summary: string;
  readonly tag: "Grants" | "Service";
  readonly parameters: readonly Schema[];
  /** Its successful responses. */
  readonly answers: Answers;
  /** Its errors, other than those of every operation. */
  readonly codes: readonly ErrorCode[];
};
