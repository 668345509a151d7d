// Reads the release's lists of funders' names, each once.
import { get, toAnswer } from "../api/client.ts";

/** A funder on a list of names. Only lists by word count grants. */
export type NamedFunder = {
  readonly ein: string;
  readonly name: string;
  readonly city: string | null;
  readonly state: string | null;
  readonly records?: number;
};

const lists = new Map<string, Promise<readonly NamedFunder[]>>();
const readLists = new Map<string, readonly NamedFunder[]>();

/** A list that was read before; undefined if it was not. @param prefix four digits, or up to three letters */
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
  const list = ask(release, by, prefix).then((funders) => {
    readLists.set(key, funders);
    return funders;
  });
  lists.set(key, list);
  return list;
}

async function ask(release: string, by: "eins" | "words", prefix: string): Promise<readonly NamedFunder[]> {
  const answer = await toAnswer<{ data: NamedFunder[] }>(
    by === "eins"
      ? get("/r/{release}/v1/names/eins/{digits}.json", { params: { path: { release, digits: prefix } } })
      : get("/r/{release}/v1/names/words/{letters}.json", { params: { path: { release, letters: prefix } } }),
  );
  return answer.isFound ? answer.body.data : [];
}
