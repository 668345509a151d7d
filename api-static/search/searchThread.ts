// Runs in a worker thread: finds records in the columns of releases and reads their lines, one search after another.
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { Columns } from "../release/columns.ts";
import { Records } from "../release/records.ts";
import { ColumnSearch } from "./columnSearch.ts";
import type { ScanJob } from "./scan.ts";
import type { ThreadData, ThreadMessage, ThreadTask } from "./searchThreads.ts";

const { stopped, sharedRows } = workerData as ThreadData;
const releases = new Map<number, { readonly search: ColumnSearch; readonly records: Records }>();
let running = 0; // the number of the task

/**
 * Added to the nice value of this thread, so that the first thread answers other requests in between. Only Linux has a priority
 * for each thread; elsewhere the call would lower the whole process.
 */
const niceness = 5;
if (process.platform === "linux") {
  try {
    setPriority(Math.min(getPriority() + niceness, 19));
  } catch {
    // A sandbox may deny it. Searches then have the same priority as other requests.
  }
}

/** Ends a task that was given up: the first thread has then written its number. */
function checkpoint(): void {
  if (Atomics.load(stopped, 0) === running) throw new Error("the search was given up");
}

/** @param moved memory that is moved to the first thread, not copied */
function post(message: ThreadMessage, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

parentPort?.on("message", (task: ThreadTask) => {
  if ("closed" in task) releases.delete(task.closed);
  else {
    const message = run(task);
    post(message, "found" in message ? ownMemory(message.found?.lines) : []);
  }
});

/** The memory of lines, unless it is part of a pool. */
function ownMemory(lines: Uint8Array | undefined): ArrayBuffer[] {
  const memory = lines?.buffer;
  return memory instanceof ArrayBuffer && memory.byteLength === lines?.byteLength ? [memory] : [];
}

function run({ number, release, opened, work }: Exclude<ThreadTask, { closed: number }>): ThreadMessage {
  running = number;
  try {
    if (opened !== undefined) {
      const columns = new Columns(opened.file, opened.header, opened.held);
      const records = new Records(opened.files);
      const askHelp = (job: ScanJob) => post({ helpWith: job });
      releases.set(release, {
        records,
        search: new ColumnSearch(columns, records, { checkpoint, askHelp, sharedRows }),
      });
    }
    const open = releases.get(release);
    if (open === undefined) throw new Error("the release is not open in this thread");
    if ("job" in work) {
      open.search.help(work.job);
      return { found: undefined };
    }
    const found = open.search.find(work.request);
    const lines = work.request.isReading ? open.records.readLines(found.positions, checkpoint) : undefined;
    return { found: { ...found, lines } };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
