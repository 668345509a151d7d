// Keeps the worker thread that finds organizations, so that a keystroke never waits for a search in grants.
import type { Columns, ColumnsHeader } from "../../release/columns.ts";
import { SearchQueue, unlimitedBounds } from "../queue.ts";
import { TaskThread } from "../taskThread.ts";
import type { FoundOrganization, OrganizationQuery } from "./organizationQuery.ts";

/** A message to the thread: a closed release, or a query about one. */
export type NameTask =
  | { readonly closed: number }
  | {
      readonly number: number;
      readonly release: number;
      readonly file: number;
      readonly header: ColumnsHeader;
      readonly query: OrganizationQuery;
    };

/** What the index says about an organization. The list has its name and place. */
export type IndexedOrganization = Omit<FoundOrganization, "name" | "city" | "state">;

export type IndexedOrganizations = {
  readonly total: number;
  readonly organizations: readonly IndexedOrganization[];
};

export type NameAnswer = { readonly found: IndexedOrganizations } | { readonly failure: string };

/** One thread for all releases: a task takes a few milliseconds, and the index about 62 bytes per organization. */
export class NameThreads {
  readonly queue: SearchQueue;
  readonly #releases = new WeakMap<Columns, number>();
  #thread: TaskThread<NameAnswer> | undefined;
  #lastRelease = 0;

  /** @param queue has one place */
  constructor(queue = new SearchQueue({ ...unlimitedBounds, running: 1 })) {
    this.queue = queue;
  }

  /** Answers a query in a turn of the queue. @param signal ends the task, which then throws its reason */
  async find(columns: Columns, query: OrganizationQuery, signal: AbortSignal): Promise<IndexedOrganizations> {
    signal.throwIfAborted();
    const release = this.#releases.get(columns) ?? ++this.#lastRelease;
    this.#releases.set(columns, release);
    const { file, header } = columns;
    const task = (number: number): NameTask => ({ number, release, file, header, query });
    const answer = await this.start().run(task, signal);
    signal.throwIfAborted();
    if ("failure" in answer) throw new Error(`a search for organizations failed: ${answer.failure}`);
    return answer.found;
  }

  /** The thread, started before the first query so that none waits for it; a new one if it ended. */
  start(): TaskThread<NameAnswer> {
    this.#thread ??= new TaskThread(new URL("./nameThread.ts", import.meta.url), {}, () => {
      this.#thread = undefined;
    });
    return this.#thread;
  }

  /** Makes the thread drop a release whose queries have ended. */
  close(columns: Columns): void {
    const release = this.#releases.get(columns);
    if (release !== undefined) this.#thread?.tell({ closed: release } satisfies NameTask);
  }
}

/** The thread of a process that sets none up: of a sync, or of a test. */
export const commonNameThreads = new NameThreads();
