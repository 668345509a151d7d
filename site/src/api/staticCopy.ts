// Answers pages of grants from page files on a static host, which has no API server behind it.
import { pageSizes } from "../../../api-static/contract/limits.ts";
import { keyPath, pageKey, storedEnding } from "../../../api-static/contract/pageKeys.ts";
import { type HistoryRequest, parseRequest } from "../../../api-static/contract/request.ts";
import { type Answer, ask, type HistoryPage, staticHost } from "./client.ts";

/** True once a page came from a file because no server answered. */
let isStatic = false;

/**
 * Asks the API for a page of grants. On a static host, finds the page in a file: whole funders and common searches have
 * files. Later calls of the same page load then go to the files at once.
 * @param href path and query of the call
 * @param askApi makes the call
 */
export async function askPage(
  href: string,
  signal: AbortSignal | undefined,
  askApi: () => Promise<Answer<HistoryPage>>,
): Promise<Answer<HistoryPage>> {
  if (isStatic) return findPage(href, signal);
  const answer = await askApi();
  if (answer.isFound || answer.failure.code !== "static_host") return answer;
  const found = await findPage(href, signal);
  isStatic = found.isFound;
  return found;
}

/** The rows of the page, from the first file that has them all. */
async function findPage(href: string, signal: AbortSignal | undefined): Promise<Answer<HistoryPage>> {
  const { pathname, search } = new URL(href, "https://any.host");
  const request = parseRequest(pathname, search);
  if (request.kind !== "history") return staticHost;
  const { limit, offset } = request;
  for (const size of pageSizes) {
    const answer = await readFile({ ...request, limit: size }, signal);
    if (!answer.isFound) continue;
    const { total, data } = answer.body;
    if (limit <= size || total <= offset + size)
      return { ...answer, body: { ...answer.body, limit, data: data.slice(0, limit) } };
  }
  return staticHost;
}

/** Reads a page file by its key or, because some hosts do not map keys with escapes, by its name. */
async function readFile(
  request: HistoryRequest,
  signal: AbortSignal | undefined,
): Promise<Answer<HistoryPage>> {
  const key = pageKey(request);
  if (key === undefined) return staticHost;
  const answer = await ask<HistoryPage>(keyPath(key), signal);
  return answer.isFound ? answer : ask(keyPath(key) + storedEnding, signal);
}
