// Runs a suite in rounds, one request at a time, each with a bound on its total time.
import type { TimedAnswer } from "./peers/process.ts";
import { median } from "./statistics.ts";

export type Rounds = {
  /** Warm-up rounds, which do not count: caches fill, statements are prepared. */
  readonly warm: number;
  readonly measured: number;
  /** Milliseconds after which a request is aborted. */
  readonly limit: number;
  /** Total milliseconds of one request over all rounds, after which it is not repeated. */
  readonly budget: number;
};

/** The result of one case. */
export type Timing = {
  /** Milliseconds of each measured answer; only the limit if no answer came in time. */
  readonly times: readonly number[];
  /** Total and ids; undefined if no answer came in time. */
  readonly answer: Pick<TimedAnswer, "total" | "ids"> | undefined;
};

/**
 * Sends every case once per round; returns the timings in the order of the cases. A slow request takes part in
 * fewer rounds, at least one; its last time then counts even if it was a warm-up.
 * @param answer returns the answer, or undefined if the request was aborted at the limit
 */
export async function measureRounds<Request>(
  cases: readonly { readonly request: Request }[],
  answer: (request: Request, limit: number) => Promise<TimedAnswer | undefined>,
  { warm, measured, limit, budget }: Rounds,
): Promise<Timing[]> {
  const drafts = cases.map(() => ({
    spent: 0,
    last: limit,
    times: [] as number[],
    answer: undefined as Timing["answer"],
  }));
  for (let round = 0; round < warm + measured; round++) {
    for (const [index, { request }] of cases.entries()) {
      const draft = drafts[index];
      if (draft === undefined || draft.spent > budget) continue;
      const found = await answer(request, limit);
      if (found !== undefined) draft.answer = { total: found.total, ids: found.ids };
      draft.last = found?.milliseconds ?? limit;
      // A request that was aborted once would be aborted again.
      draft.spent += found === undefined ? Number.POSITIVE_INFINITY : draft.last;
      if (round >= warm) draft.times.push(draft.last);
    }
  }
  return drafts.map(({ times, last, answer: found }) => ({
    times: times.length > 0 ? times : [last],
    answer: found,
  }));
}

/** The median time of a case, in milliseconds. */
export function medianOf(timing: Timing): number {
  return median(timing.times);
}
