// Runs in a worker thread: finds records in the columns of releases, one search after another.
import { parentPort, workerData } from "node:worker_threads";
import { Columns } from "../release/columns.ts";
import { ColumnSearch } from "./columnSearch.ts";
import type { ThreadAnswer, ThreadMessage } from "./searchThreads.ts";

const stopped = workerData as Int32Array;
const searches = new Map<number, ColumnSearch>();
let job = 0;

/** Ends a search that was given up: the first thread then writes its number. */
function checkpoint(): void {
  if (Atomics.load(stopped, 0) === job) throw new Error("the search was given up");
}

parentPort?.on("message", (message: ThreadMessage) => {
  if ("closed" in message) {
    searches.delete(message.closed);
    return;
  }
  parentPort?.postMessage(answer(message));
});

function answer({
  number,
  release,
  opened,
  request,
}: Exclude<ThreadMessage, { closed: number }>): ThreadAnswer {
  job = number;
  try {
    if (opened !== undefined) {
      const columns = new Columns(opened.file, opened.header, opened.held);
      searches.set(release, new ColumnSearch(columns, checkpoint));
    }
    const search = searches.get(release);
    if (search === undefined) throw new Error("the release is not open in this thread");
    return { found: search.find(request) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
