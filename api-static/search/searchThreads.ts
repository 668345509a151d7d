// Keeps worker threads that search columns, so that the event loop never scans.
import { Worker } from "node:worker_threads";
import type { Columns } from "../release/columns.ts";
import type { ColumnAnswer, ColumnRequest } from "./columnSearch.ts";

/** What a thread is sent: a release that was closed, or a search with what the thread needs if the release is new to it. */
export type ThreadMessage =
  | { readonly closed: number }
  | {
      readonly number: number;
      readonly release: number;
      readonly opened: Pick<Columns, "file" | "header" | "held"> | undefined;
      readonly request: ColumnRequest;
    };

export type ThreadAnswer = { readonly found: ColumnAnswer } | { readonly failure: string };

type Thread = {
  readonly worker: Worker;
  /** The number of the search that is given up, for the thread to see while it runs. */
  readonly stopped: Int32Array;
  readonly releases: Set<number>;
};

export class SearchThreads {
  readonly #count: number;
  readonly #threads = new Set<Thread>();
  readonly #free: Thread[] = [];
  readonly #waiting: ((thread: Thread) => void)[] = [];
  readonly #releases = new WeakMap<Columns, number>();
  #lastRelease = 0;
  #lastJob = 0;

  /** @param count threads, at most; further searches wait */
  constructor(count = 2) {
    this.#count = count;
  }

  /** Starts all threads, so that no search waits for a thread to start. */
  startAll(): void {
    while (this.#threads.size < this.#count) this.#free.push(this.#startOne());
  }

  /**
   * Finds records in a thread.
   * @param signal ends the search, which then throws its reason
   */
  async find(columns: Columns, request: ColumnRequest, signal?: AbortSignal): Promise<ColumnAnswer> {
    const thread = this.#free.pop() ?? (await this.#wait());
    try {
      signal?.throwIfAborted();
      const answer = await this.#run(thread, columns, request, signal);
      signal?.throwIfAborted();
      if ("found" in answer) return answer.found;
      throw new Error(`a search failed: ${answer.failure}`);
    } finally {
      this.#release(thread);
    }
  }

  /** Makes every thread drop a release. */
  close(columns: Columns): void {
    const release = this.#releases.get(columns);
    if (release === undefined) return;
    for (const { worker, releases } of this.#threads)
      if (releases.delete(release)) worker.postMessage({ closed: release } satisfies ThreadMessage);
  }

  #wait(): Promise<Thread> | Thread {
    if (this.#threads.size < this.#count) return this.#startOne();
    const { promise, resolve } = Promise.withResolvers<Thread>();
    this.#waiting.push(resolve);
    return promise;
  }

  #startOne(): Thread {
    const stopped = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL("./searchThread.ts", import.meta.url), { workerData: stopped });
    worker.unref(); // a thread without a search does not keep the process alive
    const thread = { worker, stopped, releases: new Set<number>() };
    this.#threads.add(thread);
    worker.on("error", () => {
      this.#threads.delete(thread);
      if (this.#free.includes(thread)) this.#free.splice(this.#free.indexOf(thread), 1);
    });
    return thread;
  }

  async #run(
    thread: Thread,
    columns: Columns,
    request: ColumnRequest,
    signal: AbortSignal | undefined,
  ): Promise<ThreadAnswer> {
    const { worker, stopped, releases } = thread;
    const number = ++this.#lastJob;
    const release = this.#releases.get(columns) ?? ++this.#lastRelease;
    this.#releases.set(columns, release);
    const { file, header, held } = columns;
    const opened = releases.has(release) ? undefined : { file, header, held };
    releases.add(release);
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const stop = () => Atomics.store(stopped, 0, number);
    worker.ref();
    worker.once("message", resolve).once("error", reject);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      worker.postMessage({ number, release, opened, request } satisfies ThreadMessage);
      return await promise;
    } catch (error) {
      this.#threads.delete(thread);
      void worker.terminate();
      throw error;
    } finally {
      worker.off("message", resolve).off("error", reject);
      signal?.removeEventListener("abort", stop);
      worker.unref();
    }
  }

  /** Gives a thread to the search that waits longest, if any. A thread that failed is replaced when one is needed. */
  #release(thread: Thread): void {
    const next = this.#waiting.shift();
    if (this.#threads.has(thread)) {
      if (next === undefined) this.#free.push(thread);
      else next(thread);
    } else if (next !== undefined) next(this.#startOne());
  }
}

/** The threads of a process that sets none up: of a sync, or of a test. */
export const commonThreads = new SearchThreads();
