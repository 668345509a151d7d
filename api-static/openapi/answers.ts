// Describes responses for the OpenAPI document: successes, errors by status, and their headers.

import { exactly, releaseId, type Schema } from "../contract/answers/schema.ts";
import { type ErrorCode, errorMeanings, formatError, problemCodes, statuses } from "../contract/errors.ts";
import { problemsMax } from "../contract/limits.ts";

/** The meanings of error codes, one per line. */
export function formatMeanings(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${errorMeanings[code]}`).join("\n");
}

const errorCodes = Object.keys(statuses) as ErrorCode[];

/** Every error. */
export const error: Schema = {
  type: "object",
  description: "Every error has this shape.",
  required: ["success", "error", "code"],
  additionalProperties: false,
  properties: {
    success: { const: false },
    error: { type: "string", description: "One sentence for people." },
    code: { type: "string", enum: errorCodes, description: formatMeanings(errorCodes) },
    details: {
      type: "array",
      description: "The problems with the parameters; present only if there is one.",
      minItems: 1,
      maxItems: problemsMax,
      items: exactly("A problem with one parameter.", {
        parameter: { type: "string" },
        code: { type: "string", enum: problemCodes },
        message: { type: "string", description: "The rule, and the value that breaks it." },
      }),
    },
  },
};

/** `components.headers`. */
export const headers = {
  "Accept-Ranges": header("`bytes`: parts of the file can be requested."),
  "Cache-Control": header("How long caches may keep the response."),
  "Content-Disposition": header("The name of the file."),
  "Content-Length": header("The bytes that are sent."),
  "Content-Range": header(
    "The bytes of the part, and the size of the file; the size alone if the file has no such part.",
  ),
  ETag: header(
    "Strong; depends on the content alone, so it survives a sync that does not change the content.",
  ),
  Link: header(
    "The `first`, `prev`, `next` and `last` pages that exist (RFC 8288); left out beyond 4,096 bytes.",
  ),
  Location: header("The path with a nine-digit EIN."),
  "Retry-After": header("Seconds to wait before a retry.", { type: "integer" }),
  "Server-Timing": header("How the request was answered, and the milliseconds it took."),
  Vary: header("The request headers that the response depends on."),
  "X-Release": header("The release that answered.", releaseId),
  "X-Request-Id": header("The request's own id, or a new one."),
};

function header(description: string, schema: Schema = { type: "string" }): Schema {
  return { description, schema };
}

export type HeaderName = keyof typeof headers;

/** The responses of an operation, by status. */
export type Answers = Readonly<Record<string, Schema>>;

/** The responses to conditions that the client's copy decides. */
export const conditional: Answers = {
  304: answer("The client's copy is current.", ["ETag", "Vary", "X-Release"]),
  412: { $ref: "#/components/responses/PreconditionFailed" },
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
  if (codes.includes("range_not_satisfiable")) names.push("Accept-Ranges", "Content-Range");
  return answer(formatMeanings(codes), names, { "application/json": { schema, examples } });
}

/** `components.responses`: errors of requests that are refused before they are routed, or by their conditions. */
export const unreadableResponses = {
  PreconditionFailed: failure(["precondition_failed"]),
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
  if (code !== "invalid_parameter") return JSON.parse(formatError({ code, message: errorMeanings[code] }));
  const message = 'limit must be an integer from 1 to 1000, got "5000"';
  return JSON.parse(
    formatError({ code, message, problems: [{ parameter: "limit", code: "out_of_range", message }] }),
  );
}

/** A response with these headers, in addition to those of every response. */
export function answer(description: string, names: readonly HeaderName[], content?: Schema): Schema {
  const all = ["X-Request-Id", "Cache-Control", ...names];
  const references = all.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(references), ...(content && { content }) };
}
