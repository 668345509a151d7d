// Keeps the worker thread that finds organizations, so that a keystroke never waits for a search in grants.
import { Worker } from "node:worker_threads";
import type { Columns, ColumnsHeader } from "../../release/columns.ts";
import { SearchQueue } from "../queue.ts";
import type { FoundOrganization, OrganizationQuery } from "./organizationQuery.ts";

/** A message to the thread: a closed release, or queries about one. */
export type NameTask =
  | { readonly closed: number }
  | {
      readonly number: number;
      readonly release: number;
      readonly file: number;
      readonly header: ColumnsHeader;
      readonly queries: readonly OrganizationQuery[];
    };

/** What the index says about an organization. The list has its name and place. */
export type IndexedOrganization = Omit<FoundOrganization, "name" | "city" | "state">;

export type IndexedOrganizations = {
  readonly total: number;
  readonly organizations: readonly IndexedOrganization[];
};

export type NameAnswer = { readonly found: readonly IndexedOrganizations[] } | { readonly failure: string };

/** One thread for all releases: a task takes a few milliseconds, and the index about 62 bytes per organization. */
export class NameThreads {
  readonly queue: SearchQueue;
  readonly #stopped = new Int32Array(new SharedArrayBuffer(4));
  readonly #releases = new WeakMap<Columns, number>();
  #worker: Worker | undefined;
  #lastRelease = 0;
  #lastTask = 0;

  /** @param queue has one place */
  constructor(
    queue = new SearchQueue({
      running: 1,
      waiting: Number.POSITIVE_INFINITY,
      seconds: Number.POSITIVE_INFINITY,
    }),
  ) {
    this.queue = queue;
  }

  /** Answers queries in turn of the queue. @param signal ends the task, which then throws its reason */
  async find(
    columns: Columns,
    queries: readonly OrganizationQuery[],
    signal: AbortSignal,
  ): Promise<readonly IndexedOrganizations[]> {
    signal.throwIfAborted();
    const worker = this.start();
    const number = ++this.#lastTask;
    const release = this.#releases.get(columns) ?? ++this.#lastRelease;
    this.#releases.set(columns, release);
    const { promise, resolve, reject } = Promise.withResolvers<NameAnswer>();
    const onExit = () => reject(new Error("the thread that finds organizations ended"));
    const stop = () => Atomics.store(this.#stopped, 0, number);
    worker.ref();
    worker.on("message", resolve).once("error", reject).once("exit", onExit);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const { file, header } = columns;
      worker.postMessage({ number, release, file, header, queries } satisfies NameTask);
      const answer = await promise;
      signal.throwIfAborted();
      if ("failure" in answer) throw new Error(`a search for organizations failed: ${answer.failure}`);
      return answer.found;
    } finally {
      worker.off("message", resolve).off("error", reject).off("exit", onExit);
      signal.removeEventListener("abort", stop);
      worker.unref();
    }
  }

  /** Starts the thread, so that no query waits for it to start. A thread that failed is replaced. */
  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const workerData = { stopped: this.#stopped };
    const worker = new Worker(new URL("./nameThread.ts", import.meta.url), { workerData });
    worker.unref(); // a thread without a task does not keep the process alive
    worker.on("error", () => undefined); // `exit` follows
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }

  /** Makes the thread drop a release whose queries have ended. */
  close(columns: Columns): void {
    const release = this.#releases.get(columns);
    if (release !== undefined) this.#worker?.postMessage({ closed: release } satisfies NameTask);
  }
}

/** The thread of a process that sets none up: of a sync, or of a test. */
export const commonNameThreads = new NameThreads();
