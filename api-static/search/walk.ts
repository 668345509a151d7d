// Walks through all records that match the filters: finds their positions, in lists of bounded length.
import { setTimeout } from "node:timers/promises";
import { Refusal } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { SearchTurn, Span } from "./turn.ts";

export type WalkBounds = {
  /** Positions in a list, at most. Finding a list takes some milliseconds, however short it is. */
  readonly maxLength: number;
  /** Milliseconds before a window that was refused is searched again. */
  readonly pause: number;
};

const defaultBounds: WalkBounds = { maxLength: 2 ** 15, pause: 1_000 };

type Lists = AsyncGenerator<readonly number[], void>;

/** What a walk needs from `Search`. */
export type WalkedSearch = {
  takeTurn<Result>(
    work: (turn: Pick<SearchTurn, "findSpan" | "findWithin">) => Promise<Result>,
    client?: AbortSignal,
  ): Promise<Result>;
};

/**
 * Lists of positions in result order. The first list is found in one turn. Each later list takes a separate turn, over a
 * window of rows that starts where the last one ended, so no session is held while the caller works on a list. Windows
 * double while they succeed. After the first list, the client has part of a file: a window that is refused is then searched
 * again until `signal` is aborted, and at half its width if it took too long.
 * @throws as a search does, before the first list
 */
export async function walkMatches(
  search: WalkedSearch,
  filters: Filters,
  signal: AbortSignal,
  bounds = defaultBounds,
): Promise<Lists> {
  const { maxLength } = bounds;
  const { first, rest } = await search.takeTurn(async (turn) => {
    let find: Find = (window) => turn.findWithin(filters, window, maxLength);
    const rest = readWindows(await turn.findSpan(filters), bounds, (window) => find(window), signal);
    const first = await rest.next();
    find = (window) => search.takeTurn((later) => later.findWithin(filters, window, maxLength), signal);
    return { first, rest };
  }, signal);
  return resume(first, rest);
}

type Matches = { readonly rows: readonly number[]; readonly positions: readonly number[] };

type Find = (window: Span) => Promise<Matches>;

async function* readWindows(
  span: Span,
  { maxLength, pause }: WalkBounds,
  find: Find,
  signal: AbortSignal,
): Lists {
  let isStarted = false;
  for (let [from, width] = [span.from, maxLength]; from < span.to; ) {
    const to = Math.min(from + width, span.to);
    const found = await find({ from, to }).catch((error: unknown) => {
      if (isStarted && error instanceof Refusal) return error;
      throw error;
    });
    if (found instanceof Refusal) {
      if (found.error.code === "timeout") width = Math.max(1, Math.floor((to - from) / 2));
      await setTimeout(pause, undefined, { signal });
      continue;
    }
    const { rows, positions } = found;
    const next = rows.length < maxLength ? to : (rows.at(-1) ?? from) + 1;
    width = 2 * (next - from);
    from = next;
    if (positions.length === 0) continue;
    isStarted = true;
    yield positions;
  }
}

async function* resume(first: IteratorResult<readonly number[], void>, rest: Lists): Lists {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
