// Finds names of funders, by EIN for the rows that are shown and by words that someone types, in static files of the release.

import { useEffect, useState } from "preact/hooks";
import { einPrefix } from "../../../api-static/contract/names.ts";
import type { NamedFunder } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import { findFunders, isNameOf, listsOf } from "./findFunders.ts";
import { findList, readList } from "./namesFiles.ts";

export type Name = { readonly name: string; readonly city: string | null; readonly state: string | null };

export type Names = {
  /** True if the release has names: cells of funders then reserve two lines. */
  readonly hasNames: boolean;
  /** True once it is known whether the release has names; rows drawn before may move. */
  readonly isKnown: boolean;
  /** The name of a funder; undefined if it is unknown or has not arrived. */
  readonly nameOf: (ein: string) => Name | undefined;
  /** True once the file that would name the funder has arrived, or is known to be missing. */
  readonly isLookedUp: (ein: string) => boolean;
};

/** The names of funders; the component renders again when they arrive. */
export function useNames(eins: readonly string[]): Names {
  const { hasNames, find } = useLists("eins", eins.map(einPrefix));
  return {
    hasNames: hasNames ?? false,
    isKnown: hasNames !== undefined,
    nameOf: (ein) => find(einPrefix(ein))?.find((funder) => funder.ein === ein),
    isLookedUp: (ein) => find(einPrefix(ein)) !== undefined,
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
    const reading = listsOf(text).map((prefix) => readList(release, "words", prefix));
    const lists = await Promise.race([Promise.all(reading), late]);
    return findFunders(lists ?? [], text).find((funder) => isNameOf(text, funder));
  };
}

/** Lists that arrive within this many milliseconds are drawn together: a page of rows may need a hundred. */
const drawEvery = 50;

export type Lists = {
  /** The release, if it has names. */
  readonly release: string | undefined;
  /** True if the release has names, false if not; undefined until its status is known. */
  readonly hasNames: boolean | undefined;
  /** The lists that have arrived, by prefix. */
  readonly find: (prefix: string) => readonly NamedFunder[] | undefined;
};

/** The lists of prefixes; the component renders again as they arrive. */
export function useLists(by: "eins" | "words", prefixes: readonly string[]): Lists {
  const { found, failure } = useStatus();
  const [, setRound] = useState(0);
  const release = found !== undefined && found.body.organizations > 0 ? found.body.release : undefined;
  const wanted = [...new Set(prefixes)].sort().join(" ");
  useEffect(() => {
    const missing = wanted.split(" ").filter((prefix) => prefix !== "");
    if (release === undefined || missing.every((prefix) => findList(release, by, prefix))) return undefined;
    let drawing: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const draw = () => {
      drawing = undefined;
      setRound((round) => round + 1);
    };
    const arrive = () => {
      if (!isLeft) drawing ??= setTimeout(draw, drawEvery);
    };
    for (const prefix of missing) readList(release, by, prefix).then(arrive, arrive);
    return () => {
      isLeft = true;
      clearTimeout(drawing);
    };
  }, [release, by, wanted]);
  return {
    release,
    hasNames: found === undefined && failure === undefined ? undefined : release !== undefined,
    find: (prefix) => (release === undefined ? undefined : findList(release, by, prefix)),
  };
}
