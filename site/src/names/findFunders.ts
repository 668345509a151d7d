// Finds funders by the words that someone types, in the release's lists of names.
import { nameWords, significantWords, wordPrefix } from "../../../api-static/contract/names.ts";
import type { NamedFunder } from "../api/client.ts";

/** Minimum letters of a word whose list is loaded. A word of two letters has a separate list. */
const lettersMin = 2;

/** The longest words have the shortest lists, and two lists miss few names. */
const listsMax = 2;

/** The lists, by prefix, that have the funders of a text; none for a text without words. */
export function listsOf(text: string): string[] {
  const words = significantWords(text).filter((word) => word.length >= lettersMin);
  const longest = words.sort((a, b) => b.length - a.length).slice(0, listsMax);
  return [...new Set(longest.map(wordPrefix))];
}

/** The funders of some lists whose names have words that begin with all words of a text; most grants first. */
export function findFunders(lists: readonly (readonly NamedFunder[])[], text: string): NamedFunder[] {
  const typed = nameWords(text);
  const found = new Map<string, NamedFunder>();
  for (const funder of lists.flat()) {
    const words = nameWords(funder.name);
    if (typed.every((each) => words.some((word) => word.startsWith(each)))) found.set(funder.ein, funder);
  }
  return [...found.values()].sort((a, b) => (b.records ?? 0) - (a.records ?? 0));
}
