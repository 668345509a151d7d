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

export type ProblemCode = "unknown" | "repeated" | "blank" | "malformed" | "out_of_range";

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
