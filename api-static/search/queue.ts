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
const unlimitedBounds: SearchBounds = {
  running: 2,
  waiting: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
};

/** The client that sent a search. */
export type SearchClient = {
  /** The network of the client's address: its searches share one turn. */
  readonly network: string;
  /** Aborted when nobody waits for the result any more. */
  readonly gone: AbortSignal;
  /** Seconds after which its searches are stopped, instead of those of the queue. */
  readonly seconds?: number;
};

/** The client of a search closed its connection, so nobody waits for the result. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Resolves when the search may start, and rejects if it is refused. */
type Turn = PromiseWithResolvers<void>;

/** The queue for the searches of a whole server process, on all its open releases. */
export class SearchQueue {
  /** Counts of searches that were refused because too many waited, that timed out, and whose client went away. */
  readonly ended = { shed: 0, timedOut: 0, abandoned: 0 };
  readonly bounds: SearchBounds;
  #running = 0;
  #helping = 0;
  /** The waiting searches of each client. The first client has the next turn, and is the last one after it. */
  readonly #waiting = new Map<string, Turn[]>();

  constructor(bounds: SearchBounds = unlimitedBounds) {
    this.bounds = bounds;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, turns) => sum + turns.length, 0);
  }

  /**
   * Runs a search when its turn comes. A search that is given up keeps its place until it has really ended.
   * @param search stops early, and rejects, when its signal is aborted
   * @throws Refusal `overloaded` if too many wait, or `timeout` at the time limit; ClientGone
   */
  async run<Result>(
    search: (signal: AbortSignal) => Promise<Result>,
    client?: SearchClient,
  ): Promise<Result> {
    const seconds = client?.seconds ?? this.bounds.seconds;
    if (client?.gone.aborted) throw this.#abandon();
    const ending = new AbortController();
    const { signal } = ending;
    const leave = () => ending.abort(this.#abandon());
    client?.gone.addEventListener("abort", leave, { once: true });
    const timer = Number.isFinite(seconds)
      ? setTimeout(() => ending.abort(this.#timeOut(seconds)), seconds * 1000)
      : undefined;
    try {
      const turn = this.#enter(client?.network ?? "", signal);
      if (turn !== undefined) await turn; // a search that need not wait starts at once
      const running = search(signal).finally(() => this.#leave());
      return await Promise.race([running, whenAborted(signal)]);
    } finally {
      clearTimeout(timer);
      client?.gone.removeEventListener("abort", leave);
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
    return this.#running + this.#helping < this.bounds.running;
  }

  /** Takes a place; waits for it if none is free. */
  #enter(network: string, signal: AbortSignal): Promise<void> | undefined {
    if (this.#hasPlace()) {
      this.#running += 1;
      return undefined;
    }
    if (this.waiting >= this.bounds.waiting) this.#makeRoom(network);
    const turn: Turn = Promise.withResolvers();
    this.#waiting.set(network, [...(this.#waiting.get(network) ?? []), turn]);
    const onAbort = () => this.#remove(network, turn) && turn.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    return turn.promise;
  }

  #leave(): void {
    this.#running -= 1;
    this.#startNext();
  }

  #startNext(): void {
    for (const [network, turns] of this.#waiting) {
      if (!this.#hasPlace()) return;
      const [turn] = turns;
      if (turn === undefined || !this.#remove(network, turn)) return;
      if (turns.length > 0) {
        this.#waiting.delete(network);
        this.#waiting.set(network, turns);
      }
      this.#running += 1;
      turn.resolve();
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
