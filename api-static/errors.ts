// Owns the error vocabulary: every code, its status, and the one shape of an error body.

/** Status of each error code. */
export const statuses = {
  invalid_parameter: 400,
  funder_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
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
};

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
