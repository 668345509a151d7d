// Finds the names of organizations by EIN, for the rows that are shown: up to a hundred in one call.
import { useEffect, useState } from "preact/hooks";
import { namesMax } from "../../../api-static/contract/limits.ts";
import { namesCall } from "../api/calls.ts";
import { useStatus } from "../api/useCall.ts";

export type Name = { readonly name: string; readonly city: string | null; readonly state: string | null };

export type Names = {
  /** True if the release has names: cells of funders then reserve two lines. Also true until it is known. */
  readonly hasNames: boolean;
  /** The name of an organization; undefined if it is unknown or has not arrived. */
  readonly nameOf: (ein: string) => Name | undefined;
  /** True once all the names have arrived, or are known to be missing. */
  readonly isComplete: boolean;
};

/** The names of organizations; the component renders again when they arrive. */
export function useNames(eins: readonly string[]): Names {
  const { found, failure } = useStatus();
  const [, setRound] = useState(0);
  const release = found !== undefined && found.body.organizations > 0 ? found.body.release : undefined;
  const isKnown = found !== undefined || failure !== undefined;
  const wanted = [...new Set(eins)].sort().join();
  const isLookedUp = (ein: string) => names.get(keyOf(release, ein)) !== undefined;
  useEffect(() => {
    if (release === undefined || wanted === "") return undefined;
    const all = wanted.split(",");
    askOnce(release, all);
    if (all.every(isLookedUp)) return undefined;
    const draw = () => setRound((round) => round + 1);
    draws.add(draw);
    return () => void draws.delete(draw);
  }, [release, wanted]);
  return {
    hasNames: !isKnown || release !== undefined,
    nameOf: (ein) => names.get(keyOf(release, ein)) ?? undefined,
    isComplete: isKnown && (release === undefined || eins.every(isLookedUp)),
  };
}

/** Every name that the page has asked for, each once; undefined until the answer arrives, null if it does not have the name. */
const names = new Map<string, Name | null | undefined>();

const keyOf = (release: string | undefined, ein: string) => `${release} ${ein}`;

/** Draws the components that wait for names. */
const draws = new Set<() => void>();

/** Asks for the names that the page has not asked for yet. */
function askOnce(release: string, wanted: readonly string[]): void {
  const eins = wanted.filter((ein) => !names.has(keyOf(release, ein)));
  for (let start = 0; start < eins.length; start += namesMax) {
    const batch = eins.slice(start, start + namesMax);
    for (const ein of batch) names.set(keyOf(release, ein), undefined);
    void namesCall(batch)
      .ask(undefined, release)
      .then((answer) => {
        const found = new Map(answer.isFound ? answer.body.data.map((each) => [each.ein, each]) : []);
        for (const ein of batch) names.set(keyOf(release, ein), found.get(ein) ?? null);
        for (const draw of draws) draw();
      });
  }
}
