// Runs in a worker thread: works on blocks of one order after the other, and reports the result of each.
import { on } from "node:events";
import { parentPort } from "node:worker_threads";
import { openWork, type ThreadMessage, type ThreadOrder } from "./blocks.ts";

const send = (message: ThreadMessage) => parentPort?.postMessage(message);

if (parentPort !== null)
  for await (const [message] of on(parentPort, "message")) {
    const { run, module, order } = message as ThreadOrder;
    for await (const result of await openWork(module, order)) send({ run, result });
    send({ run, isEnd: true });
  }
