// Defines the errors that depend on the request alone, so that every host refuses a request with the same bytes.
import { downloadKey } from "./answers/downloads.ts";
import { type ApiError, type Problem, shown } from "./errors.ts";
import { readMethods } from "./headers.ts";
import * as limits from "./limits.ts";

export const malformedRequest: ApiError = {
  code: "bad_request",
  message: "this is not a valid HTTP request",
};

export const headersTooLarge: ApiError = {
  code: "headers_too_large",
  message: `request line and headers together must be at most ${limits.headerBytesMax} bytes`,
};

export const requestTooSlow: ApiError = {
  code: "request_timeout",
  message: `the headers must arrive within ${limits.headerSeconds} seconds, the whole request within ${limits.requestSeconds}`,
};

export const uriTooLong: ApiError = {
  code: "uri_too_long",
  message: `path and query together must be at most ${limits.urlLengthMax} characters`,
};

/** Hides the failure from clients. */
export const serviceFailed: ApiError = {
  code: "internal",
  message: "the service failed; the failure was logged",
};

export const nothingHere: ApiError = { code: "not_found", message: "nothing exists at this path" };

export const contentChanged: ApiError = {
  code: "precondition_failed",
  message: "the content is not what If-Match names: it changed since; start again without If-Match",
};

/** @param from the release that a client has a copy of */
export function changesNotKept(from: string): ApiError {
  const start = `/${downloadKey("grants.parquet")}`;
  return {
    code: "release_too_old",
    message: `changes since release ${from} are not kept; start again from ${start}`,
  };
}

/** @param methods that the path allows */
export function methodNotAllowed(method: string, methods = readMethods): ApiError {
  const others = methods.replace(", OPTIONS", "").replace(/, (\w+)$/, " or $1");
  return { code: "method_not_allowed", message: `${method} is not allowed; use ${others}` };
}

export const formTooLarge: ApiError = {
  code: "content_too_large",
  message: `the body must be at most ${limits.formBytesMax} bytes`,
};

export const formTooSlow: ApiError = {
  code: "request_timeout",
  message: `the body must arrive within ${limits.formSeconds} seconds after the headers`,
};

/**
 * @param type the Content-Type header, "" if there is none
 * @param expected the type that the path takes
 */
export function notOfType(type: string, expected: string): ApiError {
  return {
    code: "unsupported_media_type",
    message: `Content-Type must be ${expected}, got "${shown(type)}"`,
  };
}

/** @param size of the file in bytes */
export function noSuchRange(size: number): ApiError {
  const message = `Range must be bytes within the file's ${size}, such as bytes=0-99 or bytes=-100`;
  return { code: "range_not_satisfiable", message };
}

export function invalidParameters(problems: readonly Problem[]): ApiError {
  const message = problems.map((problem) => problem.message).join("; ");
  return { code: "invalid_parameter", message, problems };
}
