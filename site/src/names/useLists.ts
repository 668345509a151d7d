// Follows lists of names that a component needs.
import { useEffect, useState } from "preact/hooks";
import type { NamedFunder } from "../api/client.ts";
import { useStatus } from "../api/useStatus.ts";
import { findList, readList } from "./namesFiles.ts";

/** Lists that arrive within this many milliseconds are drawn together: a page of rows may need a hundred. */
const drawEvery = 50;

export type Lists = {
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
    hasNames: found === undefined && failure === undefined ? undefined : release !== undefined,
    find: (prefix) => (release === undefined ? undefined : findList(release, by, prefix)),
  };
}
