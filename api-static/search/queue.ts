// Bounds searches: how many run, how many wait, and how long one may take. Clients take turns; the others are refused.
import { Refusal } from "../contract/errors.ts";

export type SearchBounds = {
  /** Searches that may run at once. */
  readonly running: number;
  /** Searches that may wait for a turn. */
  readonly waiting: number;
  /** Seconds after which a search is stopped, waiting included. */
  readonly seconds: number;
};

/** For callers that limit themselves, such as the verification of a release: they wait without a limit. */
export const unlimitedBounds: SearchBounds = {
  running: 2,
  waiting: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
};

/** The client that sent a search. */
export type SearchClient = {
  /** The network of the client's address: its searches share one turn. */
  readonly network: string;
  /** Aborted when nobody waits for the result any more. */
  readonly gone?: AbortSignal | undefined;
  /** Seconds after which its searches are stopped, instead of those of the queue. */
  readonly seconds?: number;
};

/** The client of a search closed its connection, so nobody waits for the result. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** A search. It stops early, and rejects, when its signal is aborted. */
type RunSearch<Result> = (signal: AbortSignal) => Promise<Result>;

/** Resolves when the search may start, and rejects if it is refused. */
type Turn = PromiseWithResolvers<void>;

/** The queue for the searches of a whole server process, on all its open releases. */
export class SearchQueue {
  /** Counts of searches that were refused because too many waited, that timed out, and whose client went away. */
  readonly ended = { shed: 0, timedOut: 0, abandoned: 0 };
  readonly bounds: SearchBounds;
  /** How many searches of each client run. */
  readonly #running = new Map<string, number>();
  #helping = 0;
  /** The waiting searches of each client. Of those with the fewest running ones, the first has the next turn; then it is the last. */
  readonly #waiting = new Map<string, Turn[]>();

  constructor(bounds: SearchBounds = unlimitedBounds) {
    this.bounds = bounds;
  }

  get running(): number {
    return this.#running.values().reduce((sum, count) => sum + count, 0);
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, turns) => sum + turns.length, 0);
  }

  /**
   * Runs a search when its turn comes. A search that is given up keeps its place until it has really ended.
   * @throws Refusal `overloaded` if too many wait, or `timeout` at the time limit; ClientGone
   */
  run<Result>(search: RunSearch<Result>, client?: SearchClient): Promise<Result> {
    return this.#bound((signal) => this.#takeTurn(search, signal, client), client);
  }

  /** Runs the searches of one request, one after another, each in a turn of its own, within one time limit. @throws as `run` does */
  runEach<Result>(searches: readonly RunSearch<Result>[], client?: SearchClient): Promise<Result[]> {
    return this.#bound(async (signal) => {
      const results: Result[] = [];
      for (const search of searches) results.push(await this.#takeTurn(search, signal, client));
      return results;
    }, client);
  }

  /** Ends work at the time limit, or when its client has gone. */
  async #bound<Result>(work: RunSearch<Result>, client: SearchClient | undefined): Promise<Result> {
    const seconds = client?.seconds ?? this.bounds.seconds;
    if (client?.gone?.aborted) throw this.#abandon();
    const ending = new AbortController();
    const { signal } = ending;
    const leave = () => ending.abort(this.#abandon());
    client?.gone?.addEventListener("abort", leave, { once: true });
    const timer = Number.isFinite(seconds)
      ? setTimeout(() => ending.abort(this.#timeOut(seconds)), seconds * 1000)
      : undefined;
    try {
      return await Promise.race([work(signal), whenAborted(signal)]);
    } finally {
      clearTimeout(timer);
      client?.gone?.removeEventListener("abort", leave);
    }
  }

  async #takeTurn<Result>(
    search: RunSearch<Result>,
    signal: AbortSignal,
    { network = "" }: Partial<SearchClient> = {},
  ): Promise<Result> {
    signal.throwIfAborted();
    const turn = this.#enter(network, signal);
    if (turn !== undefined) await turn; // a search that need not wait starts at once
    try {
      return await search(signal);
    } finally {
      this.#count(network, -1);
      this.#startNext(network);
    }
  }

  /** Takes a place for a part of a running search, if one is free; returns the function that gives it back. */
  help(): (() => void) | undefined {
    if (!this.#hasPlace()) return undefined;
    this.#helping += 1;
    return () => {
      this.#helping -= 1;
      this.#startNext();
    };
  }

  #hasPlace(): boolean {
    return this.running + this.#helping < this.bounds.running;
  }

  /** Counts a search that starts, or that ends. */
  #count(network: string, change: 1 | -1): void {
    const running = (this.#running.get(network) ?? 0) + change;
    if (running > 0) this.#running.set(network, running);
    else this.#running.delete(network);
  }

  /** Takes a place; waits for it if none is free. */
  #enter(network: string, signal: AbortSignal): Promise<void> | undefined {
    if (this.#hasPlace()) {
      this.#count(network, 1);
      return undefined;
    }
    if (this.waiting >= this.bounds.waiting) this.#makeRoom(network);
    const turn: Turn = Promise.withResolvers();
    this.#waiting.set(network, [...(this.#waiting.get(network) ?? []), turn]);
    const onAbort = () => this.#remove(network, turn) && turn.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    return turn.promise;
  }

  /** @param last the client whose search has just ended: another one comes before it */
  #startNext(last?: string): void {
    const running = (network: string) => (this.#running.get(network) ?? 0) + (network === last ? 1 : 0);
    while (this.#hasPlace() && this.#waiting.size > 0) {
      const network = this.#waiting
        .keys()
        .reduce((next, other) => (running(other) < running(next) ? other : next));
      const turns = this.#waiting.get(network) ?? [];
      const turn = turns.shift();
      this.#waiting.delete(network);
      if (turns.length > 0) this.#waiting.set(network, turns);
      this.#count(network, 1);
      turn?.resolve();
    }
  }

  /** Removes a turn that is waiting; returns whether it was. */
  #remove(network: string, turn: Turn): boolean {
    const turns = this.#waiting.get(network);
    const index = turns?.indexOf(turn) ?? -1;
    if (turns === undefined || index < 0) return false;
    turns.splice(index, 1);
    if (turns.length === 0) this.#waiting.delete(network);
    return true;
  }

  /**
   * Refuses the newest search of the client with the most waiting ones.
   * @throws Refusal if that client would then have fewer than this one
   */
  #makeRoom(network: string): void {
    const own = this.#waiting.get(network)?.length ?? 0;
    const [[largest, turns = []] = []] = [...this.#waiting].toSorted(([, a], [, b]) => b.length - a.length);
    const newest = turns.at(-1);
    if (largest === undefined || newest === undefined || turns.length < own + 2) throw this.#shed();
    this.#remove(largest, newest);
    newest.reject(this.#shed());
  }

  #shed(): Refusal {
    this.ended.shed += 1;
    const message = "too many searches are running and waiting; try again in a few seconds";
    return new Refusal({ code: "overloaded", message, retryAfter: this.bounds.seconds });
  }

  #timeOut(seconds: number): Refusal {
    this.ended.timedOut += 1;
    const message = `the search was stopped at its time limit of ${seconds} seconds`;
    return new Refusal({ code: "timeout", message, retryAfter: this.bounds.seconds });
  }

  #abandon(): ClientGone {
    this.ended.abandoned += 1;
    return new ClientGone("the client went away");
  }
}

/** Rejects when the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
