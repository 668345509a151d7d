// Owns the error vocabulary: every code, its status, and the one shape of an error body.

/** Status of each error code. */
export const statuses = {
  invalid_parameter: 400,
  bad_request: 400,
  funder_not_found: 404,
  recipient_not_found: 404,
  release_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  uri_too_long: 414,
  rate_limited: 429,
  headers_too_large: 431,
  overloaded: 503,
  timeout: 503,
  not_ready: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof statuses;

/** When each code is answered, for people. */
export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  invalid_parameter:
    "Parameters are unknown, repeated, blank, malformed or out of range; `details` names all of them.",
  bad_request: "What was sent is no HTTP request.",
  funder_not_found: "The release has no grant of the funder in the path.",
  recipient_not_found: "The release has no grant to the recipient in the path.",
  release_not_found: "The release in the path is not kept, or never was.",
  not_found: "There is nothing at the path.",
  method_not_allowed: "Only GET, HEAD and OPTIONS are allowed.",
  request_timeout: "The request did not arrive in time.",
  uri_too_long: "The URL is too long.",
  headers_too_large: "The headers of the request are too large.",
  rate_limited: "The client asks too often; `Retry-After` says when to ask again.",
  overloaded: "Too many searches are running and waiting; `Retry-After` says when to ask again.",
  timeout: "The search took too long and was stopped; ask for less, or again after `Retry-After`.",
  not_ready: "No release is open yet, or it is too old to be ready.",
  internal: "The service failed; the failure was logged.",
};

/** Everything that can be wrong with a parameter. */
export const problemCodes = ["unknown", "repeated", "blank", "malformed", "out_of_range"] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** What is wrong with one parameter of a request. */
export type Problem = { readonly parameter: string; readonly code: ProblemCode; readonly message: string };

export type ApiError = {
  readonly code: ErrorCode;
  /** One sentence for people; never a path, SQL or stack. */
  readonly message: string;
  readonly problems?: readonly Problem[];
  /** Seconds after which asking again may help, for the Retry-After header. */
  readonly retryAfter?: number;
};

/** Thrown where a request cannot be served now; the client gets it as the error it carries. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** The body of an error: `{"success":false,"error":…,"code":…,"details":[…]}`, details only where a parameter is at fault. */
export function formatError(error: ApiError): string {
  const body = {
    success: false,
    error: error.message,
    code: error.code,
    ...(error.problems === undefined ? {} : { details: error.problems }),
  };
  return `${JSON.stringify(body)}\n`;
}
