// Finds answers in the page files and files of names of a static host. Only a static copy loads this module.
import { pageSizes } from "../../../api-static/contract/limits.ts";
import {
  keyPath,
  pageKey,
  storedEnding,
  totalsKeyOf,
} from "../../../api-static/contract/operations/searches.ts";
import { parseRequest } from "../../../api-static/contract/request.ts";
import { einPrefix, namesKey } from "../../../api-static/contract/text/names.ts";
import { type Answer, ask, type HistoryPage, type NamesList, staticHost } from "./client.ts";

/** The answer to a call for a page of grants, for totals or for names. @param href path and query of the call */
export async function findAnswer(href: string, signal: AbortSignal | undefined): Promise<Answer<unknown>> {
  const { pathname, search } = new URL(href, "https://any.host");
  const request = parseRequest(pathname, search);
  if (request.kind === "totals") return readFile(totalsKeyOf(request), signal);
  if (request.kind === "namesOf") return findNames(request.eins, signal);
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

/** The names of those EINs that are funders': each file has the funders whose EINs have the same start. */
async function findNames(
  eins: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Answer<NamesList>> {
  const keys = [...new Set(eins.map((ein) => namesKey(einPrefix(ein))))];
  const files = await Promise.all(keys.map((key) => readFile<NamesList>(key, signal)));
  const found = files.filter((file) => file.isFound);
  const [first] = found;
  if (first === undefined) return staticHost;
  const data = found.flatMap(({ body }) => body.data.filter(({ ein }) => eins.includes(ein)));
  return { ...first, body: { ...first.body, data } };
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
