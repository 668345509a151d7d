// Owns the scan: the positions of all records that meet the filters, however many, a bounded list at a time.
import { setTimeout } from "node:timers/promises";
import { Refusal } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { SearchTurn, Span } from "./turn.ts";

export type ScanBounds = {
  /** Most positions of a list: finding the next one costs some milliseconds however short the list is. */
  readonly listMax: number;
  /** Times that a scan which has begun asks again when it is refused: its client has half of a file. */
  readonly retries: number;
  /** Milliseconds before it does. */
  readonly pause: number;
};

const usualBounds: ScanBounds = { listMax: 2 ** 15, retries: 60, pause: 1_000 };

type Lists = AsyncGenerator<readonly number[], void>;

/** What a scan needs of `Search`. */
export type ScannedSearch = {
  takeTurn<Result>(
    work: (turn: Pick<SearchTurn, "findSpan" | "findWithin">) => Promise<Result>,
    client?: AbortSignal,
  ): Promise<Result>;
};

/**
 * Lists of positions in result order. The first list is found in one turn. Each later list takes a turn of its own, over a
 * window of rows that starts where the previous one ended: no session is taken between two lists, however slow the caller is.
 * Windows grow where matches are rare.
 * @throws as a search does, before there is a list; a later window that is refused is asked for again
 */
export async function scanMatches(
  search: ScannedSearch,
  filters: Filters,
  signal?: AbortSignal,
  bounds = usualBounds,
): Promise<Lists> {
  const { listMax } = bounds;
  const { first, rest } = await search.takeTurn(async (turn) => {
    let ask: Ask = (window) => turn.findWithin(filters, window, listMax);
    const rest = readWindows(await turn.findSpan(filters), listMax, (window) => ask(window));
    const first = await rest.next();
    ask = (window) =>
      persist(
        () => search.takeTurn((later) => later.findWithin(filters, window, listMax), signal),
        bounds,
        signal,
      );
    return { first, rest };
  }, signal);
  return resume(first, rest);
}

type Matches = { readonly rows: readonly number[]; readonly positions: readonly number[] };

type Ask = (window: Span) => Promise<Matches>;

async function* readWindows(span: Span, listMax: number, ask: Ask): Lists {
  for (let [from, width] = [span.from, listMax]; from < span.to; ) {
    const to = Math.min(from + width, span.to);
    const { rows, positions } = await ask({ from, to });
    const next = rows.length < listMax ? to : (rows.at(-1) ?? from) + 1;
    width = 2 * (next - from);
    from = next;
    if (positions.length > 0) yield positions;
  }
}

async function* resume(first: IteratorResult<readonly number[], void>, rest: Lists): Lists {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

async function persist<Result>(
  ask: () => Promise<Result>,
  { retries, pause }: ScanBounds,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let left = retries; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || left === 0) throw error;
      await setTimeout(pause, undefined, signal === undefined ? {} : { signal });
    }
  }
}
