// Runs in a worker thread: finds organizations by name, one task after another.
import { parentPort, workerData } from "node:worker_threads";
import { Columns } from "../../release/columns.ts";
import type { TaskThreadData } from "../taskThread.ts";
import { NameIndex } from "./nameIndex.ts";
import { NameSearch } from "./nameSearch.ts";
import type { NameAnswer, NameTask } from "./nameThreads.ts";
import type { OrganizationQuery } from "./organizationQuery.ts";

/** Indexes in memory: the current release's, and one other release's that clients still read. */
const maxHeld = 2;

const { stopped } = workerData as TaskThreadData;
const held = new Map<number, { readonly index: NameIndex; readonly search: NameSearch }>();
let running = 0; // the number of the task

/** Ends a task that was given up: the first thread has then written its number. */
function checkpoint(): void {
  if (Atomics.load(stopped, 0) === running) throw new Error("the search was given up");
}

parentPort?.on("message", (task: NameTask) => {
  if ("closed" in task) {
    held.delete(task.closed);
    return;
  }
  running = task.number;
  parentPort?.postMessage(answer(task));
});

function answer({ release, file, header, query }: Exclude<NameTask, { closed: number }>): NameAnswer {
  try {
    const { index, search } = open(release, new Columns(file, header));
    return { found: find(index, search, query) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function find(index: NameIndex, search: NameSearch, query: OrganizationQuery) {
  const { total, best } = search.find(query);
  const organizations = best.map(({ id, score, match }) => ({
    ...index.read(id),
    ...{ match, score: Math.round(1000 * score) / 10 },
  }));
  return { total, organizations };
}

/** The index of a release; reads it into memory if it is not there. */
function open(release: number, columns: Columns) {
  const known = held.get(release);
  held.delete(release);
  for (const oldest of [...held.keys()].slice(0, Math.max(0, held.size + 1 - maxHeld))) held.delete(oldest);
  const index = known?.index ?? new NameIndex(columns);
  const opened = known ?? { index, search: new NameSearch(index, checkpoint) };
  held.set(release, opened); // the last is the most recently used
  return opened;
}
