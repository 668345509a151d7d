// Finds peers by comparing every two lists, as plainly as possible. Tests compare the pipeline and the server with it.
import { maxLinks, maxPeers, minShared } from "../../api-static/contract/answers/peers.ts";

/** A link between something that has peers and its counterpart. */
export type Link = readonly [ein: string, counterpart: string];

export type Peer = {
  readonly peer: string;
  readonly shared: number;
  readonly counterparts: number;
  readonly score: number;
};

/**
 * The EINs with counterparts, those with the most first, and a function that finds the peers of one. Repeated links count once.
 * @param linksMax links of counterparts that count @param peersMax peers of one
 */
export function findPeers(
  links: readonly Link[],
  linksMax = maxLinks,
  peersMax = maxPeers,
): { eins: string[]; peersOf: (ein: string) => Peer[] } {
  const lists = collect(links);
  const linked = collect(links.map(([ein, counterpart]) => [counterpart, ein]));
  const weigh = (counterparts: Iterable<string>) => {
    let sum = 0;
    for (const counterpart of counterparts) {
      const count = linked.get(counterpart)?.size ?? 0;
      if (count <= linksMax) sum += Math.floor(1_000_000_000 / count);
    }
    return sum;
  };
  const isCounted = (counterpart: string) => (linked.get(counterpart)?.size ?? 0) <= linksMax;
  const peersOf = (ein: string) => {
    const list = lists.get(ein) ?? new Set();
    const found: Peer[] = [];
    for (const [peer, other] of lists) {
      const shared = [...list.intersection(other)].filter(isCounted);
      if (peer === ein || shared.length < minShared) continue;
      const cosine = weigh(shared) / Math.sqrt(weigh(list) * weigh(other));
      const score = Math.round(cosine * 1e6) / 1e6;
      found.push({ peer, shared: shared.length, counterparts: other.size, score });
    }
    found.sort((a, b) => b.score - a.score || b.shared - a.shared || Number(a.peer) - Number(b.peer));
    return found.slice(0, peersMax);
  };
  const eins = [...lists].toSorted(([, one], [, other]) => other.size - one.size).map(([ein]) => ein);
  return { eins, peersOf };
}

function collect(links: readonly Link[]): Map<string, Set<string>> {
  const lists = new Map<string, Set<string>>();
  for (const [ein, counterpart] of links) {
    const list = lists.get(ein) ?? new Set();
    lists.set(ein, list.add(counterpart));
  }
  return lists;
}
