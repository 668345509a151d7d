// Owns the scan: the positions of all records that meet the filters, however many, a bounded list at a time.
import { setTimeout } from "node:timers/promises";
import { Refusal } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { Search, Span } from "./search.ts";

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

/**
 * Lists of positions in result order. Each list is a short search of its own over a window of rows that begins where the
 * last one ended: between two of them no session is taken, however long the caller takes. Windows grow where matches
 * are rare.
 * @throws as a search does, before there is a list; a later window that is refused is asked for again
 */
export async function scanMatches(
  search: Pick<Search, "findSpan" | "findWithin">,
  filters: Filters,
  signal?: AbortSignal,
  bounds = usualBounds,
): Promise<Lists> {
  const span = await search.findSpan(filters, signal);
  let isBegun = false;
  const ask = (window: Span) => search.findWithin(filters, window, bounds.listMax, signal);
  const lists = readWindows(span, bounds.listMax, (window) =>
    isBegun ? persist(() => ask(window), bounds, signal) : ask(window),
  );
  const first = await lists.next();
  isBegun = true;
  return resume(first, lists);
}

type Matches = { readonly rows: readonly number[]; readonly positions: readonly number[] };

async function* readWindows(span: Span, listMax: number, ask: (window: Span) => Promise<Matches>): Lists {
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
