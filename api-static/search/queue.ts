// Owns the bounds on searches: how many run, how many wait, how long one may take, and what becomes of the others.
import PQueue from "p-queue";
import { Refusal } from "../contract/errors.ts";

export type SearchBounds = {
  /** Searches that run at once. */
  readonly running: number;
  /** Searches that wait for their turn. */
  readonly waiting: number;
  /** Seconds from the moment a search is asked, waiting included, until it is stopped. */
  readonly seconds: number;
};

/** For callers that bound themselves, as the verification of a release does: they wait as long as it takes. */
export const patientBounds: SearchBounds = {
  running: 2,
  waiting: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
};

/** Why a search ended whose client went away: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** One for the whole server, whatever releases it has open. */
export class SearchQueue {
  /** Searches refused because too many waited, stopped by the time limit, and stopped as their client went away. */
  readonly ended = { shed: 0, timedOut: 0, abandoned: 0 };
  readonly #bounds: SearchBounds;
  readonly #queue: PQueue;

  constructor(bounds: SearchBounds = patientBounds) {
    this.#bounds = bounds;
    this.#queue = new PQueue({ concurrency: bounds.running });
  }

  get running(): number {
    return this.#queue.pending;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs a search when its turn comes. Its place is taken until it has really ended, also after it was given up.
   * @param search stops early, and rejects, when its signal is aborted
   * @param client aborted when the one who asked went away
   * @throws Refusal `overloaded` at once, or `timeout` at the time limit; ClientGone
   */
  async run<Result>(search: (signal: AbortSignal) => Promise<Result>, client?: AbortSignal): Promise<Result> {
    const { running, waiting, seconds } = this.#bounds;
    if (client?.aborted) throw this.#abandon();
    if (this.running >= running && this.waiting >= waiting) throw this.#shed();

    const ending = new AbortController();
    const leave = () => ending.abort(this.#abandon());
    client?.addEventListener("abort", leave, { once: true });
    const timer = Number.isFinite(seconds)
      ? setTimeout(() => ending.abort(this.#timeOut()), seconds * 1000)
      : undefined;
    try {
      return await this.#takeTurn(search, ending.signal);
    } finally {
      clearTimeout(timer);
      client?.removeEventListener("abort", leave);
    }
  }

  async #takeTurn<Result>(
    search: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    // The queue frees the place of a running task at its abort, not at its end: it hears only of those that wait.
    const waiting = new AbortController();
    let isRunning = false;
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    const onAbort = () => {
      if (!isRunning) waiting.abort(signal.reason);
      stop(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const start = () => {
      isRunning = true;
      return search(signal);
    };
    const found = this.#queue.add(start, { signal: waiting.signal });
    return Promise.race([found, stopped]);
  }

  #shed(): Refusal {
    this.ended.shed += 1;
    const message = "too many searches are running and waiting; try again in a few seconds";
    return new Refusal({ code: "overloaded", message, retryAfter: this.#bounds.seconds });
  }

  #timeOut(): Refusal {
    this.ended.timedOut += 1;
    const message = `the search was stopped at its time limit of ${this.#bounds.seconds} seconds`;
    return new Refusal({ code: "timeout", message, retryAfter: this.#bounds.seconds });
  }

  #abandon(): ClientGone {
    this.ended.abandoned += 1;
    return new ClientGone("the client went away");
  }
}
