// Owns the scan: the positions of all records that meet the filters, however many, a bounded list at a time.
import { setTimeout } from "node:timers/promises";
import { Refusal } from "../errors.ts";
import type { Filters } from "../request.ts";
import type { Search, Span } from "./search.ts";

/** Most positions of a list. */
const listMax = 2 ** 15;

/** Seconds during which a scan that has begun asks again when it is refused: its client has half of a file. */
const patience = 60;

type Lists = AsyncGenerator<readonly number[], void>;

/**
 * Lists of positions in result order. Each list is a short search of its own over a window of rows that begins where the
 * last one ended: between two of them no session is taken, however long the caller takes. Windows grow where matches
 * are rare.
 * @throws as a search does, before there is a list; a later window that is refused is asked for again
 */
export async function scanMatches(search: Search, filters: Filters, signal?: AbortSignal): Promise<Lists> {
  const span = await search.findSpan(filters, signal);
  let isBegun = false;
  const ask = (window: Span) => search.findWithin(filters, window, listMax, signal);
  const lists = readWindows(span, (window) => (isBegun ? persist(() => ask(window), signal) : ask(window)));
  const first = await lists.next();
  isBegun = true;
  return resume(first, lists);
}

type Matches = { readonly rows: readonly number[]; readonly positions: readonly number[] };

async function* readWindows(span: Span, ask: (window: Span) => Promise<Matches>): Lists {
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

async function persist<Result>(ask: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  for (let left = patience; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || left === 0) throw error;
      await setTimeout(1_000, undefined, signal === undefined ? {} : { signal });
    }
  }
}
