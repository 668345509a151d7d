// Finds answers in the page files of a static host. Only a static copy loads this module.
import { pageSizes } from "../../../api-static/contract/limits.ts";
import { keyPath, pageKey, storedEnding, totalsKeyOf } from "../../../api-static/contract/pageKeys.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { type Answer, ask, type HistoryPage, staticHost } from "./client.ts";

/** The answer to a call for a page of grants, or for totals. @param href path and query of the call */
export async function findAnswer(href: string, signal: AbortSignal | undefined): Promise<Answer<unknown>> {
  const { pathname, search } = new URL(href, "https://any.host");
  const request = parseRequest(pathname, search);
  if (request.kind === "totals") return readFile(totalsKeyOf(request), signal);
  if (request.kind !== "history") return staticHost;
  const { limit, offset } = request;
  // The first file that has all rows of the page.
  for (const size of pageSizes) {
    const answer = await readFile<HistoryPage>(pageKey({ ...request, limit: size }), signal);
    if (!answer.isFound) continue;
    const { total, data } = answer.body;
    if (limit <= size || total <= offset + size)
      return { ...answer, body: { ...answer.body, limit, data: data.slice(0, limit) } };
  }
  return staticHost;
}

/** Reads a page file by its key or, because some hosts do not map keys with escapes, by its name. */
async function readFile<Found>(
  key: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer<Found>> {
  if (key === undefined) return staticHost;
  const answer = await ask<Found>(keyPath(key), signal);
  return answer.isFound ? answer : ask(keyPath(key) + storedEnding, signal);
}
