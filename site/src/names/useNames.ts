// Finds the names of funders by EIN, for the rows that are shown, in files of the release.
import { useEffect, useState } from "preact/hooks";
import { einPrefix } from "../../../api-static/contract/names.ts";
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
  const { hasNames, find } = useLists(eins.map(einPrefix));
  const isLookedUp = (ein: string) => find(einPrefix(ein)) !== undefined;
  return {
    hasNames: hasNames ?? true,
    nameOf: (ein) => find(einPrefix(ein))?.find((funder) => funder.ein === ein),
    isLookedUp,
    isComplete: hasNames === false || (hasNames === true && eins.every(isLookedUp)),
  };
}

type Lists = {
  /** True if the release has names, false if not; undefined until its status is known. */
  readonly hasNames: boolean | undefined;
  /** The lists that have arrived, by prefix. */
  readonly find: (prefix: string) => readonly NamedFunder[] | undefined;
};

/** The lists of prefixes; the component renders again as they arrive. */
function useLists(prefixes: readonly string[]): Lists {
  const { found, failure } = useStatus();
  const [, setRound] = useState(0);
  const release = found !== undefined && found.body.organizations > 0 ? found.body.release : undefined;
  const wanted = [...new Set(prefixes)].sort().join(" ");
  useEffect(() => {
    if (release === undefined || wanted === "") return undefined;
    const read = wanted.split(" ").map((prefix) => readList(release, prefix));
    if (read.every((list) => list !== undefined)) return undefined;
    const draw = () => setRound((round) => round + 1);
    draws.add(draw);
    return () => void draws.delete(draw);
  }, [release, wanted]);
  return {
    hasNames: found === undefined && failure === undefined ? undefined : release !== undefined,
    find: (prefix) => (release === undefined ? undefined : lists.get(keyOf(release, prefix))),
  };
}

/** Every list that the page has asked for, each once; undefined until it arrives, empty if there is no answer. */
const lists = new Map<string, readonly NamedFunder[] | undefined>();

const keyOf = (release: string, prefix: string) => `${release} ${prefix}`;

/** The list, if it has arrived; the first call for it asks. */
function readList(release: string, prefix: string): readonly NamedFunder[] | undefined {
  const key = keyOf(release, prefix);
  if (lists.has(key)) return lists.get(key);
  lists.set(key, undefined);
  void namesCall(prefix)
    .ask(undefined, release)
    .then((answer) => {
      lists.set(key, answer.isFound ? answer.body.data : []);
      drawSoon();
    });
  return undefined;
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
