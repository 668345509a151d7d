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

/** Words that people leave out of a name, or add to it. */
const fillers: readonly string[] =
  "a an and co company corp corporation inc incorporated llc ltd of the".split(" ");

/** The words of a text without fillers; all of them if all are fillers. */
function withoutFillers(text: string): string[] {
  const words = nameWords(text);
  const others = words.filter((word) => !fillers.includes(word));
  return others.length > 0 ? others : words;
}

/** True if a text is a funder's whole name, e.g., "the ford foundation" that of "FORD FOUNDATION, INC". */
export function isNameOf(text: string, { name }: Pick<NamedFunder, "name">): boolean {
  return withoutFillers(text).join(" ") === withoutFillers(name).join(" ");
}

/** The funders of some lists whose names have words that begin with all words of a text; most grants first. */
export function findFunders(lists: readonly (readonly NamedFunder[])[], text: string): NamedFunder[] {
  const typed = withoutFillers(text);
  const found = new Map<string, NamedFunder>();
  for (const funder of lists.flat()) {
    const words = nameWords(funder.name);
    if (typed.every((each) => words.some((word) => word.startsWith(each)))) found.set(funder.ein, funder);
  }
  return [...found.values()].sort((a, b) => (b.records ?? 0) - (a.records ?? 0));
}
