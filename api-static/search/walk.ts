// Walks through all records that match the filters: finds their positions, in lists of bounded length.
import { setTimeout } from "node:timers/promises";
import { Refusal } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { SearchClient } from "./queue.ts";
import type { FoundMatches, Search, WalkPlace } from "./search.ts";

export type WalkBounds = {
  /** Positions in a list, at most. */
  readonly maxLength: number;
  /** Milliseconds before a search that was refused is tried again. */
  readonly pause: number;
};

const defaultBounds: WalkBounds = { maxLength: 2 ** 15, pause: 1_000 };

/** The positions or the JSON of some matches, and the texts of likely recipients, as a search finds them. */
export type MatchList = Omit<FoundMatches, "next">;

type Lists = AsyncGenerator<MatchList, void>;

/**
 * Lists of positions in result order. Each list is found by a search of its own, from the row at which the last one ended, so
 * nothing is held while the caller works on a list.
 * @throws as a search does, before the first list
 */
export async function walkMatches(
  search: Pick<Search, "walk">,
  filters: Filters,
  client: SearchClient,
  { maxLength, pause }: WalkBounds = defaultBounds,
): Promise<Lists> {
  const find = (after: WalkPlace) => search.walk(filters, maxLength, after, client);
  return readLists(await find(0), (after) => persist(() => find(after), client, pause));
}

/** Repeats a search that is refused until the client has gone: it has a part of a file, and shall get the rest. */
export async function persist<Found>(
  find: () => Promise<Found>,
  client: SearchClient,
  pause = defaultBounds.pause,
): Promise<Found> {
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await setTimeout(pause, undefined, { signal: client.gone });
    }
  }
}

async function* readLists(first: FoundMatches, find: (after: WalkPlace) => Promise<FoundMatches>): Lists {
  for (let found = first; ; found = await find(found.next)) {
    if ((found.json ?? found.positions).length > 0) yield found;
    if (found.next === undefined) return;
  }
}
