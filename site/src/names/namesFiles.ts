// Reads the release's lists of funders' names, each once.
import { ask, type NamedFunder } from "../api/client.ts";

const lists = new Map<string, Promise<readonly NamedFunder[]>>();
const readLists = new Map<string, readonly NamedFunder[]>();

/** A list that was already read; undefined if it was not. @param prefix four digits, or up to three letters */
export function findList(
  release: string,
  by: "eins" | "words",
  prefix: string,
): readonly NamedFunder[] | undefined {
  return readLists.get(`${release} ${by} ${prefix}`);
}

/** Reads a list, once per load of the page; it is empty if there is no answer. */
export function readList(
  release: string,
  by: "eins" | "words",
  prefix: string,
): Promise<readonly NamedFunder[]> {
  const key = `${release} ${by} ${prefix}`;
  const begun = lists.get(key);
  if (begun !== undefined) return begun;
  const list = fetchList(release, by, prefix).then((funders) => {
    readLists.set(key, funders);
    return funders;
  });
  lists.set(key, list);
  return list;
}

async function fetchList(
  release: string,
  by: "eins" | "words",
  prefix: string,
): Promise<readonly NamedFunder[]> {
  const answer = await ask<{ data: NamedFunder[] }>(`/r/${release}/v1/names/${by}/${prefix}.json`);
  return answer.isFound ? answer.body.data : [];
}
