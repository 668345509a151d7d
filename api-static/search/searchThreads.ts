// Keeps worker threads that search columns, so that the event loop never scans.
import type { Columns } from "../release/columns.ts";
import type { RecordFiles, Records } from "../release/records.ts";
import type { ColumnAnswer, ColumnRequest } from "./columnSearch.ts";
import type { FoundGroups, GroupsRequest } from "./groupSearch.ts";
import type { IndexedOrganizations, OrganizationQuery } from "./names/task.ts";
import { type SearchBounds, SearchQueue, unlimitedBounds } from "./queue.ts";
import { failJob, type ScanJob } from "./scan.ts";
import { TaskThread, type TaskThreadData } from "./taskThread.ts";

/** Data passed to a thread when it starts. */
export type ThreadData = TaskThreadData & {
  readonly sharedRows: number;
  /** Added to the nice value of the thread. */
  readonly niceness: number;
};

/**
 * Added to the nice value of threads, so that the event loop answers other requests in between: to that of threads for searches,
 * and of threads for totals and groups, which give way to searches too.
 */
const searchNiceness = 5;
export const groupNiceness = 10;

/** A scan of this many rows is shared by two threads. The second one starts a few tenths of a millisecond later. */
const manyRows = 1_000_000;

/** Open files of a release, which threads share. */
export type SearchedFiles = {
  readonly columns: Columns;
  readonly records: Records;
  /** The release's table of funders; threads copy it, unless its memory is shared. */
  readonly funders: Buffer;
};

/** The open file of organizations' names. Each thread that answers queries reads it into its memory. */
export type NameFiles = { readonly columns: Columns };

/** A search, and whether the lines of its records are read as well. */
export type ThreadRequest = ColumnRequest & { readonly isReading?: boolean };

/** A page of a search, or the next matches of a walk. The lines of the records are empty unless the request asks for them. */
export type FoundPage = ColumnAnswer & { readonly lines: Buffer };

/** A search, a request for totals or groups, a query for organizations, or a part in the scan of another thread's search. */
export type Work =
  | { readonly request: ThreadRequest }
  | { readonly grouped: GroupsRequest }
  | { readonly query: OrganizationQuery }
  | { readonly job: ScanJob };

/** What a thread finds; nothing for a part in a scan. */
export type Found = FoundPage | FoundGroups | IndexedOrganizations | undefined;

/** Open files, as they are sent to a thread. */
export type OpenedFiles = Pick<Columns, "file" | "header" | "held"> & {
  /** Undefined for names. */
  readonly grants: { readonly files: RecordFiles; readonly funders: Uint8Array } | undefined;
};

/** A message to a thread: a release that is closed or whose kept groups are dropped, or work, with the files of a new release. */
export type ThreadTask =
  | { readonly closed: number }
  | { readonly dropped: number }
  | {
      readonly number: number;
      readonly release: number;
      readonly opened: OpenedFiles | undefined;
      readonly work: Work;
    };

type TaskEnd = { readonly found: Found } | { readonly failure: string };

/** A message from a thread: how its task ended, or, before that, a scan in which another thread can take part. */
export type ThreadMessage = TaskEnd | { readonly helpWith: ScanJob };

type Thread = { readonly tasks: TaskThread<ThreadMessage>; readonly releases: Set<number> };

export class SearchThreads {
  readonly queue: SearchQueue;
  readonly #data: Omit<ThreadData, keyof TaskThreadData>;
  readonly #threads = new Set<Thread>();
  readonly #free: Thread[] = [];
  readonly #helping = new Set<Promise<unknown>>();
  readonly #releases = new WeakMap<NameFiles | SearchedFiles, number>();
  #lastRelease = 0;
  /** True if the last search failed. */
  isFailing = false;

  /**
   * @param queue has a place for each thread
   * @param options `sharedRows`: rows from which a second thread takes part in a scan, if one is idle
   */
  constructor(queue = new SearchQueue(), { sharedRows = manyRows, niceness = searchNiceness } = {}) {
    this.queue = queue;
    this.#data = { sharedRows, niceness };
  }

  /** Starts all threads, so that no search waits for a thread to start. */
  startAll(): void {
    while (this.#threads.size < this.queue.bounds.running) this.#free.push(this.#startOne());
  }

  /**
   * Finds records in a thread. Call it in a turn of the queue, so that a thread is free.
   * @param signal ends the search, which then throws its reason
   */
  async find(files: SearchedFiles, request: ThreadRequest, signal?: AbortSignal): Promise<FoundPage> {
    return withBuffer((await this.#answer(files, { request }, signal)) as FoundPage);
  }

  /** Finds totals or groups in a thread, as `find` does. */
  async group(files: SearchedFiles, grouped: GroupsRequest, signal?: AbortSignal): Promise<FoundGroups> {
    return withBuffer((await this.#answer(files, { grouped }, signal)) as FoundGroups);
  }

  /** Finds organizations in a thread, as `find` does. */
  async findNames(
    files: NameFiles,
    query: OrganizationQuery,
    signal?: AbortSignal,
  ): Promise<IndexedOrganizations> {
    return (await this.#answer(files, { query }, signal)) as IndexedOrganizations;
  }

  async #answer(files: NameFiles | SearchedFiles, work: Work, signal?: AbortSignal): Promise<Found> {
    const thread = this.#free.pop() ?? this.#startOne();
    try {
      signal?.throwIfAborted();
      const end = await this.#run(thread, files, work, signal);
      signal?.throwIfAborted();
      if ("failure" in end) throw new Error(`a search failed: ${end.failure}`);
      this.isFailing = false;
      return end.found;
    } catch (error) {
      this.isFailing ||= signal?.aborted !== true;
      throw error;
    } finally {
      this.#release(thread);
    }
  }

  /** Makes every thread drop a release whose searches have ended. */
  async close(files: NameFiles | SearchedFiles): Promise<void> {
    await Promise.all(this.#helping);
    const release = this.#releases.get(files);
    if (release === undefined) return;
    for (const { tasks, releases } of this.#threads)
      if (releases.delete(release)) tasks.tell({ closed: release } satisfies ThreadTask);
  }

  /** Makes every thread drop the groups of a release that it keeps for the next page of an export. */
  dropGroups(files: SearchedFiles): void {
    const release = this.#releases.get(files);
    if (release === undefined) return;
    for (const { tasks, releases } of this.#threads)
      if (releases.has(release)) tasks.tell({ dropped: release } satisfies ThreadTask);
  }

  /** Gives an idle thread a part in a scan. If all are busy, the search scans alone. */
  #help(files: SearchedFiles, job: ScanJob): void {
    const leave = this.queue.help();
    if (leave === undefined) return;
    const thread = this.#free.pop() ?? this.#startOne();
    const ended = this.#run(thread, files, { job })
      .catch(() => failJob(job))
      .finally(() => {
        this.#helping.delete(ended);
        this.#release(thread);
        leave();
      });
    this.#helping.add(ended);
  }

  #startOne(): Thread {
    const tasks = new TaskThread<ThreadMessage>(
      new URL("./searchThread.ts", import.meta.url),
      this.#data,
      () => {
        this.#threads.delete(thread);
        if (this.#free.includes(thread)) this.#free.splice(this.#free.indexOf(thread), 1);
      },
    );
    const thread = { tasks, releases: new Set<number>() };
    this.#threads.add(thread);
    return thread;
  }

  async #run(
    { tasks, releases }: Thread,
    files: NameFiles | SearchedFiles,
    work: Work,
    signal?: AbortSignal,
  ): Promise<TaskEnd> {
    const release = this.#releases.get(files) ?? ++this.#lastRelease;
    this.#releases.set(files, release);
    const opened = releases.has(release) ? undefined : describe(files);
    releases.add(release);
    const task = (number: number): ThreadTask => ({ number, release, opened, work });
    const end = await tasks.run(task, signal, (message) => {
      if (!("helpWith" in message)) return true;
      this.#help(files as SearchedFiles, message.helpWith);
      return false;
    });
    if (opened !== undefined && "failure" in end) releases.delete(release); // the thread may not have opened it
    return end as TaskEnd;
  }

  /** A thread that failed is replaced when one is needed. */
  #release(thread: Thread): void {
    if (this.#threads.has(thread)) this.#free.push(thread);
  }
}

function describe(files: NameFiles | SearchedFiles): OpenedFiles {
  const { file, header, held } = files.columns;
  const grants = "records" in files ? { files: files.records.files, funders: files.funders } : undefined;
  return { file, header, held, grants };
}

/** Lines that were sent have lost the methods of a buffer. */
function withBuffer<Answer extends { readonly lines: Uint8Array }>(found: Answer): Answer {
  const { buffer, byteOffset, byteLength } = found.lines;
  return { ...found, lines: Buffer.from(buffer, byteOffset, byteLength) };
}

/** Threads by what they find. Each kind has a queue of its own: no search waits for totals, and no keystroke for a search. */
export type ThreadPools = Readonly<Record<"search" | "totals" | "names", SearchThreads>>;

/** Starts the threads of a server: half as many for totals and groups as for searches, and one for names. */
export function startThreads(bounds: SearchBounds): ThreadPools {
  const start = (running: number, niceness: number) => {
    const threads = new SearchThreads(new SearchQueue({ ...bounds, running }), { niceness });
    threads.startAll();
    return threads;
  };
  return {
    search: start(bounds.running, searchNiceness),
    totals: start(Math.max(1, Math.floor(bounds.running / 2)), groupNiceness),
    names: start(1, 0),
  };
}

const searches = new SearchThreads();

/** The threads of a process that sets none up: of a sync, or of a test. */
export const commonThreads: ThreadPools = {
  search: searches,
  totals: searches,
  names: new SearchThreads(new SearchQueue({ ...unlimitedBounds, running: 1 }), { niceness: 0 }),
};
