// Decides whether a file is read at once or in the thread pool, by how long reads have taken.

/**
 * Milliseconds that a read at once may take on average. The page cache takes about 0.01 ms and a fast disk 0.1 ms. The thread pool
 * adds 0.02 ms, but meanwhile the event loop serves other requests, and several threads read.
 */
const maxAverage = 0.05;

/** A single read counts for at most this many milliseconds, because a busy machine may interrupt any of them. */
const maxCounted = 0.2;

/** Reads that the average is taken over, about. */
const averaged = 8;

/** While the thread pool reads, one read of so many is at once, to notice when the page cache has the files again. */
const trialInterval = 32;

export class ReadPace {
  readonly #now: () => number;
  #average = 0;
  #untilTrial = trialInterval;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True if the next read should be at once. */
  isQuick(): boolean {
    if (this.#average <= maxAverage) return true;
    this.#untilTrial = this.#untilTrial === 0 ? trialInterval : this.#untilTrial - 1;
    return this.#untilTrial === 0;
  }

  /** Reads at once and notes how long it took. */
  time<Result>(read: () => Result): Result {
    const start = this.#now();
    const result = read();
    const taken = Math.min(this.#now() - start, maxCounted);
    this.#average += (taken - this.#average) / averaged;
    return result;
  }
}
