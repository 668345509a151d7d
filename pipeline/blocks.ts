// Runs work in blocks on several worker threads, each of which takes blocks until none is left.
import { parentPort, Worker, workerData } from "node:worker_threads";

/** Heap space for the buffers of each page, so that the garbage collector frees them while they are young. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };

/** What every worker receives, in addition to the input of its work. */
export type BlockOrder = {
  readonly blocks: number;
  /** Number of blocks taken so far. */
  readonly next: SharedArrayBuffer;
};

/** A new order, of which no block is taken yet. */
export function newBlockOrder(blocks: number): BlockOrder {
  return { blocks, next: new SharedArrayBuffer(4) };
}

/**
 * Runs a script on `count` worker threads, and waits until all of them have ended.
 * @param keep receives the result of each block
 * @throws the first error of a worker, after the other workers are stopped
 */
export async function runBlocks<Result>(
  script: URL,
  order: BlockOrder,
  count: number,
  keep: (result: Result) => void,
): Promise<void> {
  const workers = Array.from(
    { length: Math.min(count, order.blocks) },
    () => new Worker(script, { workerData: order, resourceLimits }),
  );
  const ends = workers.map(async (worker) => {
    worker.on("message", keep);
    const code = await new Promise<number>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", resolve);
    });
    if (code !== 0) throw new Error(`a worker of ${script.pathname.split("/").at(-1)} ended with ${code}`);
  });
  try {
    await Promise.all(ends);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** In a worker: the order that it received. */
export function readOrder<Order extends BlockOrder>(): Order {
  return workerData as Order;
}

/** In a worker: takes blocks until none is left, and reports the result of each. */
export function takeBlocks<Result>(order: BlockOrder, work: (block: number) => Result): void {
  const counter = new Int32Array(order.next);
  for (let block = Atomics.add(counter, 0, 1); block < order.blocks; block = Atomics.add(counter, 0, 1)) {
    parentPort?.postMessage(work(block));
  }
}
