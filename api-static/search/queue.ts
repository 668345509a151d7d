// Bounds searches: how many run, how many wait, and how long one may take. The others are refused.
import PQueue from "p-queue";
import { Refusal } from "../contract/errors.ts";

export type SearchBounds = {
  /** Searches that may run at once. */
  readonly running: number;
  /** Searches that may wait for a turn. */
  readonly waiting: number;
  /** Seconds after which a search is stopped, waiting included. */
  readonly seconds: number;
};

/** For callers that limit themselves, such as the verification of a release: they wait as long as it takes. */
const unlimitedBounds: SearchBounds = {
  running: 2,
  waiting: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
};

/** The client of a search closed its connection, so nobody waits for the result. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** The queue for the searches of a whole server process, on all its open releases. */
export class SearchQueue {
  /** Counts of searches that were refused because too many waited, that timed out, and whose client went away. */
  readonly ended = { shed: 0, timedOut: 0, abandoned: 0 };
  readonly #bounds: SearchBounds;
  readonly #queue: PQueue;

  constructor(bounds: SearchBounds = unlimitedBounds) {
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
   * Runs a search when its turn comes. A search that is given up keeps its place until it has really ended.
   * @param search stops early, and rejects, when its signal is aborted
   * @param client aborted when the client closes its connection
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
      return await this.#runInTurn(search, ending.signal);
    } finally {
      clearTimeout(timer);
      client?.removeEventListener("abort", leave);
    }
  }

  async #runInTurn<Result>(
    search: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    // p-queue frees the place of an aborted task before the task ends, so it gets the signal only while the task waits.
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
