// Ranks likely funders as plainly as possible, from the grants alone. Tests compare the night and the server with it.
import {
  kinLinksMax,
  kinMax,
  popularMax,
  recentYears,
  weights,
} from "../../api-static/contract/answers/likelyFunders.ts";
import { findPeers } from "./peersOracle.ts";

/** A pair of a funder and a recipient, with the times of its filings. */
export type Giving = { readonly funder: string; readonly recipient: string; readonly filed: readonly Date[] };

/** What is known of a recipient. */
export type Place = { readonly state: string | null; readonly cause: string | null };

export type Ranked = { readonly funder: string; readonly score: number };

const yearBefore = (date: Date, years: number) =>
  new Date(
    Date.UTC(date.getUTCFullYear() - years, date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()),
  );

/** A function that ranks funders for a recipient by the filings up to a time, and the most frequent funders of a state or major group. */
export function learn(all: readonly Giving[], places: ReadonlyMap<string, Place>, until: Date) {
  const giving = all
    .map((each) => ({ ...each, filed: each.filed.filter((time) => time <= until) }))
    .filter(({ filed }) => filed.length > 0);
  const { peersOf } = findPeers(
    giving.map(({ funder, recipient }) => [funder, recipient] as const),
    kinLinksMax,
    kinMax,
  );
  const since = yearBefore(until, recentYears);
  const byFunder = Map.groupBy(giving, ({ funder }) => funder);
  const active = [...byFunder].flatMap(([funder, pairs]) => {
    const recent = pairs.filter(({ filed }) => filed.some((time) => time > since)).length;
    return recent === 0 ? [] : [{ funder, pairs, recent }];
  });
  const kindsOf = ({ state, cause }: Place) => [
    state,
    cause?.slice(0, 1) ?? null,
    cause?.slice(0, 2) ?? null,
  ];
  const count = (pairs: readonly Giving[], kind: number, value: string | null) =>
    value === null
      ? 0
      : pairs.filter(({ recipient }) => {
          const kinds = kindsOf(places.get(recipient) ?? { state: null, cause: null });
          return kind === 0 ? kinds[0] === value : kinds.slice(1).includes(value);
        }).length;
  const popular = (kind: number, value: string | null) =>
    active
      .map(({ funder, pairs }) => ({ funder, pairs: count(pairs, kind, value) }))
      .filter(({ pairs }) => pairs > 0)
      .toSorted((a, b) => b.pairs - a.pairs || Number(a.funder) - Number(b.funder))
      .slice(0, popularMax)
      .map(({ funder }) => funder);
  const giversOf = (recipient: string) =>
    giving.filter((each) => each.recipient === recipient).map(({ funder }) => funder);
  const rank = (recipient: string, place: Place, hasKin = true): Ranked[] => {
    const givers = giversOf(recipient);
    const kin = new Map<string, number>();
    for (const giver of hasKin ? givers : [])
      for (const { peer, score } of peersOf(giver))
        kin.set(peer, (kin.get(peer) ?? 0) + Math.round(score * 1e6));
    const kinds = kindsOf(place);
    const sought = new Set([...kin.keys(), ...kinds.flatMap((value, kind) => popular(kind, value))]);
    return active
      .filter(({ funder }) => sought.has(funder) && !givers.includes(funder) && funder !== recipient)
      .map(({ funder, pairs, recent }) => {
        const share = (counted: number) => (counted + weights.known) / (pairs.length + weights.of);
        const [inState = 0, inGroup = 0, inCause = 0] = kinds.map((value, kind) => count(pairs, kind, value));
        const factor = 1 + (weights.kin * (kin.get(funder) ?? 0)) / 1e6;
        return {
          funder,
          score: Math.round(1000 * recent * share(inState) * share((inGroup + inCause) / 2) * factor),
        };
      })
      .toSorted((a, b) => b.score - a.score || Number(a.funder) - Number(b.funder));
  };
  return { giversOf, rank, popular };
}
