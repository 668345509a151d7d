// Runs in a worker thread: works on blocks of one order after the other, and reports the result of each.
import { on } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { type BlockOrder, openWork, type ThreadMessage, type ThreadOrder } from "./blocks.ts";

const { module } = workerData as { module: string };
const send = (message: ThreadMessage<unknown>) => parentPort?.postMessage(message);

if (parentPort !== null)
  for await (const [message] of on(parentPort, "message")) {
    const { run, order } = message as ThreadOrder<BlockOrder>;
    for (const result of await openWork(module, order)) send({ run, result });
    send({ run, isEnd: true });
  }
