// Decides whether a file is read synchronously or in the thread pool, by the duration of recent reads.

/**
 * Maximum average duration of synchronous reads in milliseconds. The page cache takes about 0.01 ms and a fast disk 0.1 ms. The
 * thread pool adds 0.02 ms, but several of its threads read while the event loop serves other requests.
 */
const maxAverage = 0.05;

/** Maximum milliseconds that a single read counts for, because a busy machine may interrupt any of them. */
const maxCounted = 0.2;

/** The average covers about this many reads. */
const averaged = 8;

/** While the thread pool reads, one read in this many is synchronous, to notice when the page cache has the files again. */
const trialInterval = 32;

export type Pace = Pick<ReadPace, "isQuick" | "time">;

export class ReadPace {
  readonly #now: () => number;
  #average = 0;
  #untilTrial = trialInterval;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True if the next read should be synchronous. */
  isQuick(): boolean {
    if (this.#average <= maxAverage) return true;
    this.#untilTrial = this.#untilTrial === 0 ? trialInterval : this.#untilTrial - 1;
    return this.#untilTrial === 0;
  }

  /** Makes a synchronous read and measures it. */
  time<Result>(read: () => Result): Result {
    const start = this.#now();
    const result = read();
    const taken = Math.min(this.#now() - start, maxCounted);
    this.#average += (taken - this.#average) / averaged;
    return result;
  }
}
