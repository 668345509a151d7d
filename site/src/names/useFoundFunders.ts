// Finds funders by the words of their names, from static files of the release.

import type { NamedFunder } from "../api/client.ts";
import { findFunders, listsOf } from "./findFunders.ts";
import { useLists } from "./useLists.ts";

/** The funders whose names have all words of a text, most grants first; none for a blank text or without names. */
export function useFoundFunders(text: string): readonly NamedFunder[] {
  const prefixes = listsOf(text);
  const { find } = useLists("words", prefixes);
  const lists = prefixes.map(find).filter((list) => list !== undefined);
  return lists.length === 0 ? [] : findFunders(lists, text);
}
