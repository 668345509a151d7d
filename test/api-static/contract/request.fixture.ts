// Parses queries of searches, which must be accepted or refused.
import type { Problem } from "../../../api-static/contract/errors.ts";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";

export function accepted(query: string): HistoryRequest {
  const request = parseRequest("/v1/history", query);
  if (request.kind !== "history") throw new Error(`${query} is refused: ${JSON.stringify(request)}`);
  return request;
}

export function problems(query: string): readonly Problem[] {
  const request = parseRequest("/v1/history", query);
  if (request.kind !== "refused") throw new Error(`${query} is not refused`);
  return request.problems;
}

/** Parameter and code of each problem, e.g., "limit malformed". */
export const faults = (query: string) => problems(query).map(({ parameter, code }) => `${parameter} ${code}`);

export const filters = (query: string) => accepted(query).filters;
