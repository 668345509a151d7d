// Runs in a worker thread: finds records in the columns of releases and reads their lines, or groups them, one search after another.
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { Columns } from "../release/columns.ts";
import { Records } from "../release/records.ts";
import { ColumnSearch } from "./columnSearch.ts";
import { GroupSearch, newThreadSums, type ThreadSums } from "./groupSearch.ts";
import type { ScanJob } from "./scan.ts";
import type { OpenedFiles, ThreadData, ThreadMessage, ThreadTask } from "./searchThreads.ts";

const { stopped, sharedRows, niceness } = workerData as ThreadData;
const releases = new Map<number, OpenRelease>();
let sums: ThreadSums | undefined;
let running = 0; // the number of the task

/** A release that is open in this thread. */
type OpenRelease = {
  readonly search: ColumnSearch;
  readonly records: Records;
  /** For totals and groups. */
  readonly openGroups: () => GroupSearch;
  readonly dropGroups: () => void;
};

/** Only Linux has a priority for each thread; elsewhere the call would lower the whole process. */
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
  else if ("dropped" in task) releases.get(task.dropped)?.dropGroups();
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

function run({ number, release, opened, work }: Extract<ThreadTask, { number: number }>): ThreadMessage {
  running = number;
  try {
    if (opened !== undefined) releases.set(release, open(opened));
    const found = releases.get(release);
    if (found === undefined) throw new Error("the release is not open in this thread");
    const { search, records, openGroups } = found;
    if ("job" in work) {
      search.help(work.job);
      return { found: undefined };
    }
    if ("grouped" in work) return { found: openGroups().find(work.grouped) };
    const answer = search.find(work.request);
    const lines = work.request.isReading ? records.readLines(answer.positions, checkpoint) : undefined;
    return { found: { ...answer, lines } };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function open({ file, header, held, files, ...opened }: OpenedFiles): OpenRelease {
  const columns = new Columns(file, header, held);
  const records = new Records(files);
  const { buffer, byteOffset, byteLength } = opened.funders;
  const funders = Buffer.from(buffer, byteOffset, byteLength);
  const askHelp = (job: ScanJob) => post({ helpWith: job });
  const search = new ColumnSearch(columns, records, { checkpoint, askHelp, sharedRows });
  let groups: GroupSearch | undefined;
  const openGroups = () => {
    sums ??= newThreadSums();
    groups ??= new GroupSearch(columns, { funders, records }, search, { sums, checkpoint });
    return groups;
  };
  return { search, records, openGroups, dropGroups: () => groups?.drop() };
}
