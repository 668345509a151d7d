// Defines the error vocabulary: every code, its status, and the shape of an error body.
import { valueShownMax } from "./limits.ts";

/** Status of each error code. */
export const statuses = {
  invalid_parameter: 400,
  bad_request: 400,
  funder_not_found: 404,
  recipient_not_found: 404,
  organization_not_found: 404,
  grant_not_found: 404,
  release_not_found: 404,
  not_served: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  release_too_old: 410,
  precondition_failed: 412,
  content_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  headers_too_large: 431,
  overloaded: 503,
  timeout: 503,
  not_ready: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof statuses;

/** When the API answers with each code, for people. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_parameter:
    "A parameter is unknown, repeated, blank, malformed or out of range; `details` lists the problems, at most 20.",
  bad_request: "The bytes sent are not a valid HTTP request.",
  funder_not_found: "The release has no grants of the funder in the path.",
  recipient_not_found: "The release has no grants to the recipient in the path.",
  organization_not_found: "The release does not have the organization in the path.",
  grant_not_found: "The release has no grant with the id in the path.",
  release_not_found: "The release in the path is not kept, or never existed.",
  not_served: "The release has no such lists: the message says why.",
  not_found: "Nothing exists at this path.",
  method_not_allowed: "The path has other methods, which `Allow` lists.",
  request_timeout: "The request took too long to arrive.",
  release_too_old:
    "Changes since the release in the path are not kept; start again from the download that the message names.",
  precondition_failed: "The content is not what `If-Match` names: it changed since; start again.",
  content_too_large: "The body is too large.",
  uri_too_long: "The URL is too long.",
  unsupported_media_type: "The body is not a form, or for agents not JSON.",
  range_not_satisfiable: "The range is malformed, or has no byte of the file.",
  headers_too_large: "The headers of the request are too large.",
  rate_limited: "The client exceeded the allowed searches per minute; retry after `Retry-After` seconds.",
  overloaded: "Too many requests, searches or exports are in progress; retry after `Retry-After` seconds.",
  timeout: "The search took too long and was stopped; narrow it, or retry after `Retry-After` seconds.",
  not_ready: "No release is being served yet; retry after `Retry-After` seconds.",
  internal: "The service failed; the failure was logged.",
};

/** Every kind of problem with a parameter. */
export const problemCodes = ["unknown", "repeated", "blank", "malformed", "out_of_range"] as const;

export type ProblemCode = (typeof problemCodes)[number];

export type Problem = { readonly parameter: string; readonly code: ProblemCode; readonly message: string };

/** What is wrong with a value. */
export type Fault = Omit<Problem, "parameter">;

export type ApiError = {
  readonly code: ErrorCode;
  /** One sentence for people; never a path, SQL or stack. */
  readonly message: string;
  readonly problems?: readonly Problem[];
  /** Seconds after which a retry may succeed, for the Retry-After header. */
  readonly retryAfter?: number;
};

/** Thrown when a request cannot be served now; the client receives the error it carries. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** The body of an error: `{"success":false,"error":…,"code":…,"details":[…]}`, `details` only if parameters are invalid. */
export function formatError({ message, code, problems }: ApiError): string {
  return `${JSON.stringify({ success: false, error: message, code, details: problems })}\n`;
}

export function malformed(rule: string, value: string): Fault {
  return { code: "malformed", message: `${rule}, got "${shown(value)}"` };
}

export function shown(value: string): string {
  const letters = [...value];
  return letters.length <= valueShownMax ? value : `${letters.slice(0, valueShownMax).join("")}…`;
}
