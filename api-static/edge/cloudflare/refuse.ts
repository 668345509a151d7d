// Formats the responses that need neither bucket nor server: errors and redirects.
import { type ApiError, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";

export function refuse(error: ApiError, more: Readonly<Record<string, string>> = {}): Response {
  const body = formatError(error);
  return new Response(body, {
    status: statuses[error.code],
    headers: {
      ...headers.commonHeaders,
      ...headers.errorHeaders(error),
      "Content-Type": headers.jsonType,
      "Content-Length": String(new TextEncoder().encode(body).length),
      ...more,
    },
  });
}

/** Redirects to the canonical path. */
export function redirect(location: string): Response {
  return new Response(null, {
    status: 308,
    headers: { ...headers.commonHeaders, "Cache-Control": headers.cacheRedirect, Location: location },
  });
}
