// Runs in a worker thread: reports each result of a module's work.
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadData, ThreadMessage, ThreadModule } from "./threads.ts";

const { module, input } = workerData as ThreadData;
const { work } = (await import(module)) as ThreadModule<unknown, unknown>;
for await (const result of work(input)) parentPort?.postMessage({ result });
parentPort?.postMessage("done" satisfies ThreadMessage<unknown>);
