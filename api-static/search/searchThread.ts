// Runs in a worker thread, one task after another: finds records and reads their lines, adds them up in groups, or finds organizations.
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { Columns } from "../release/columns.ts";
import { Records } from "../release/records.ts";
import { ColumnSearch } from "./columnSearch.ts";
import { GroupSearch, newThreadSums, type ThreadSums } from "./groupSearch.ts";
import { NameIndex } from "./names/nameIndex.ts";
import { NameSearch } from "./names/nameSearch.ts";
import type { ScanJob } from "./scan.ts";
import type { Found, OpenedFiles, ThreadData, ThreadMessage, ThreadTask, Work } from "./searchThreads.ts";

const { stopped, sharedRows, niceness } = workerData as ThreadData;
const releases = new Map<number, OpenRelease>();
let sums: ThreadSums | undefined;
let running = 0; // the number of the task

/** Files that are open in this thread. */
type OpenRelease = {
  readonly answer: (work: Work) => Found;
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
  else run(task);
});

function run({ number, release, opened, work }: Extract<ThreadTask, { number: number }>): void {
  running = number;
  try {
    if (opened !== undefined) releases.set(release, open(opened));
    const files = releases.get(release);
    if (files === undefined) throw new Error("the release is not open in this thread");
    const found = files.answer(work);
    post({ found }, found !== undefined && "lines" in found ? ownMemory(found.lines) : []);
  } catch (error) {
    post({ failure: error instanceof Error ? error.message : String(error) });
  }
}

/** The memory of lines, unless it is part of a pool. */
function ownMemory({ buffer, byteLength }: Buffer): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function open({ file, header, held, grants }: OpenedFiles): OpenRelease {
  const columns = new Columns(file, header, held);
  return grants === undefined ? openNames(columns) : openGrants(columns, grants);
}

function openGrants(columns: Columns, grants: NonNullable<OpenedFiles["grants"]>): OpenRelease {
  const records = new Records(grants.files);
  const { buffer, byteOffset, byteLength } = grants.funders;
  const funders = Buffer.from(buffer, byteOffset, byteLength);
  const askHelp = (job: ScanJob) => post({ helpWith: job });
  const search = new ColumnSearch(columns, records, { checkpoint, askHelp, sharedRows });
  let groups: GroupSearch | undefined;
  const answer = (work: Work): Found => {
    if ("job" in work) {
      search.help(work.job);
      return undefined;
    }
    if ("request" in work) {
      const found = search.find(work.request);
      const lines = work.request.isReading ? records.readLines(found.positions, checkpoint) : Buffer.alloc(0);
      return { ...found, lines };
    }
    if ("query" in work) throw new TypeError("these are not the files of names");
    sums ??= newThreadSums();
    groups ??= new GroupSearch(columns, { funders, records }, search, { sums, checkpoint });
    return groups.find(work.grouped);
  };
  return { answer, dropGroups: () => groups?.drop() };
}

function openNames(columns: Columns): OpenRelease {
  const index = new NameIndex(columns);
  const search = new NameSearch(index, checkpoint);
  const answer = (work: Work): Found => {
    if (!("query" in work)) throw new TypeError("these are the files of names");
    const { total, best } = search.find(work.query);
    const organizations = best.map(({ id, score, match }) => ({
      ...index.read(id),
      match,
      score: Math.round(1000 * score) / 10,
    }));
    return { total, organizations };
  };
  return { answer, dropGroups: () => undefined };
}
