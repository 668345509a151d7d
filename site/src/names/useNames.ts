// Finds names of funders, by EIN for the rows that are shown and by words that someone types, in files of the release.
import { useEffect, useState } from "preact/hooks";
import { einPrefix, nameWords, significantWords, wordPrefix } from "../../../api-static/contract/names.ts";
import { namesCall } from "../api/calls.ts";
import type { NamedFunder } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";

export type Name = { readonly name: string; readonly city: string | null; readonly state: string | null };

export type Names = {
  /** True if the release has names: cells of funders then reserve two lines. Also true until it is known. */
  readonly hasNames: boolean;
  /** The name of a funder; undefined if it is unknown or has not arrived. */
  readonly nameOf: (ein: string) => Name | undefined;
  /** True once the file that would name the funder has arrived, or is known to be missing. */
  readonly isLookedUp: (ein: string) => boolean;
  /** True once all the names have arrived, or are known to be missing. */
  readonly isComplete: boolean;
};

/** The names of funders; the component renders again when they arrive. */
export function useNames(eins: readonly string[]): Names {
  const { hasNames, find } = useLists("eins", eins.map(einPrefix));
  const isLookedUp = (ein: string) => find(einPrefix(ein)) !== undefined;
  return {
    hasNames: hasNames ?? true,
    nameOf: (ein) => find(einPrefix(ein))?.find((funder) => funder.ein === ein),
    isLookedUp,
    isComplete: hasNames === false || (hasNames === true && eins.every(isLookedUp)),
  };
}

/** The funders whose names have all words of a text, most grants first; none for a blank text or without names. */
export function useFoundFunders(text: string): readonly NamedFunder[] {
  const prefixes = listsOf(text);
  const { find } = useLists("words", prefixes);
  const lists = prefixes.map(find).filter((list) => list !== undefined);
  return lists.length === 0 ? [] : findFunders(lists, text);
}

/** Milliseconds that Enter waits for the lists of names. */
const namedWait = 700;

/** A function that finds the funder whose whole name a text is; undefined if there is none, or its lists take too long. */
export function useFindNamed(): (text: string) => Promise<NamedFunder | undefined> {
  const { release } = useLists("words", []);
  return async (text) => {
    if (release === undefined || !text.includes(" ")) return undefined; // names of one word are rare, searches for one frequent
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), namedWait));
    const reading = listsOf(text).map((prefix) => readList(release, "words", prefix).arrival);
    const lists = await Promise.race([Promise.all(reading), late]);
    return findFunders(lists ?? [], text).find((funder) => isNameOf(text, funder));
  };
}

type By = Parameters<typeof namesCall>[0];

type Lists = {
  /** The release, if it has names. */
  readonly release: string | undefined;
  /** True if the release has names, false if not; undefined until its status is known. */
  readonly hasNames: boolean | undefined;
  /** The lists that have arrived, by prefix. */
  readonly find: (prefix: string) => readonly NamedFunder[] | undefined;
};

/** The lists of prefixes; the component renders again as they arrive. */
function useLists(by: By, prefixes: readonly string[]): Lists {
  const { found, failure } = useStatus();
  const [, setRound] = useState(0);
  const release = found !== undefined && found.body.organizations > 0 ? found.body.release : undefined;
  const wanted = [...new Set(prefixes)].sort().join(" ");
  useEffect(() => {
    if (release === undefined || wanted === "") return undefined;
    const read = wanted.split(" ").map((prefix) => readList(release, by, prefix));
    if (read.every(({ funders }) => funders !== undefined)) return undefined;
    const draw = () => setRound((round) => round + 1);
    draws.add(draw);
    return () => void draws.delete(draw);
  }, [release, by, wanted]);
  return {
    release,
    hasNames: found === undefined && failure === undefined ? undefined : release !== undefined,
    find: (prefix) => (release === undefined ? undefined : lists.get(keyOf(release, by, prefix))?.funders),
  };
}

/** A list that was asked for; empty if there is no answer. */
type List = {
  funders: readonly NamedFunder[] | undefined;
  readonly arrival: Promise<readonly NamedFunder[]>;
};

/** Every list that the page has asked for, each once. */
const lists = new Map<string, List>();

const keyOf = (release: string, by: By, prefix: string) => `${release} ${by} ${prefix}`;

function readList(release: string, by: By, prefix: string): List {
  const key = keyOf(release, by, prefix);
  const begun = lists.get(key);
  if (begun !== undefined) return begun;
  const arrival = namesCall(by, prefix)
    .ask(undefined, release)
    .then((answer) => {
      const funders: readonly NamedFunder[] = answer.isFound ? answer.body.data : [];
      list.funders = funders;
      drawSoon();
      return funders;
    });
  const list: List = { funders: undefined, arrival };
  lists.set(key, list);
  return list;
}

/** Draws the components that wait for lists. */
const draws = new Set<() => void>();

/** Lists that arrive within this many milliseconds are drawn together: a page of rows may need a hundred. */
const drawEvery = 50;

let isDrawing = false;

function drawSoon(): void {
  if (isDrawing) return;
  isDrawing = true;
  setTimeout(() => {
    isDrawing = false;
    for (const draw of draws) draw();
  }, drawEvery);
}

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
