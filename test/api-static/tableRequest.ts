// Defines the requests of the table of requests.
import type { ErrorCode } from "../../api-static/contract/errors.ts";

export type TableRequest = {
  /** Path with query. */
  readonly path: string;
  readonly status: 200 | 308 | 400 | 404 | 410;
  /** The code in an error body; a 404 without one is a page. */
  readonly code?: ErrorCode;
  /** The location of a 308. */
  readonly location?: string;
};

export type Query = Readonly<Record<string, string | number>>;

/** A request with a 200. */
export function ok(path: string, query: Query = {}): TableRequest {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return { path: parameters.size === 0 ? path : `${path}?${parameters}`, status: 200 };
}

/** A request whose parameters are refused. */
export function refusal(path: string): TableRequest {
  return { path, status: 400, code: "invalid_parameter" };
}
