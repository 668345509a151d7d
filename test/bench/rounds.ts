// Owns how a suite is asked: in rounds, one request at a time, each with a bound on the time it may take in all.
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import type { TimedAnswer } from "./peers/process.ts";
import { median } from "./statistics.ts";
import type { Case } from "./suite.ts";

export type Rounds = {
  /** Rounds whose times do not count: caches fill, statements are prepared. */
  readonly warm: number;
  readonly measured: number;
  /** Milliseconds after which a request is given up. */
  readonly limit: number;
  /** Milliseconds of one request's times over all rounds after which it is asked no more. */
  readonly budget: number;
};

/** What came of one case. */
export type Timing = {
  /** Milliseconds of each measured answer; the limit alone where there was none in time. */
  readonly times: readonly number[];
  /** Total and ids; undefined where no answer came in time. */
  readonly answer: Pick<TimedAnswer, "total" | "ids"> | undefined;
};

/**
 * Asks every case once a round, and returns their timings in the order of the cases. A slow request is asked in
 * fewer rounds, at least once; its last time then counts even if the round was one to warm up.
 * @param answer the answer, or undefined when it was given up after the limit
 */
export async function measureRounds(
  cases: readonly Case[],
  answer: (request: HistoryRequest, limit: number) => Promise<TimedAnswer | undefined>,
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
      // A request that was given up once would be given up again.
      draft.spent += found === undefined ? Number.POSITIVE_INFINITY : draft.last;
      if (round >= warm) draft.times.push(draft.last);
    }
  }
  return drafts.map(({ times, last, answer: found }) => ({
    times: times.length > 0 ? times : [last],
    answer: found,
  }));
}

/** Milliseconds that half of a case's answers took at most. */
export function middleOf(timing: Timing): number {
  return median(timing.times);
}
