// Runs in a worker thread: works on blocks, and reports the result of each.
import { parentPort, workerData } from "node:worker_threads";
import { type BlockOrder, openWork } from "./blocks.ts";

const { module, order } = workerData as { module: string; order: BlockOrder };
for (const result of await openWork(module, order)) parentPort?.postMessage(result);
