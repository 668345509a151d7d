// Owns the running of work by blocks of records on several workers, each of which takes blocks until none is left.
import { parentPort, Worker, workerData } from "node:worker_threads";

/** Room for what a worker makes and drops with each page: with less, its buffers are collected among the old. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };

/** What every worker is told, besides what its work needs. */
export type BlockOrder = {
  readonly blocks: number;
  /** Counter of blocks that are taken. */
  readonly next: SharedArrayBuffer;
};

/** The part of an order that hands out blocks. */
export function newBlockOrder(blocks: number): BlockOrder {
  return { blocks, next: new SharedArrayBuffer(4) };
}

/**
 * Runs a worker script on as many workers, to their end.
 * @param keep told what a worker says of each block
 * @throws what a worker threw, after the others are stopped
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

/** In a worker: what it was told. */
export function readOrder<Order extends BlockOrder>(): Order {
  return workerData as Order;
}

/** In a worker: does the work on blocks until none is left, and says what came of each. */
export function takeBlocks<Result>(order: BlockOrder, work: (block: number) => Result): void {
  const counter = new Int32Array(order.next);
  for (let block = Atomics.add(counter, 0, 1); block < order.blocks; block = Atomics.add(counter, 0, 1)) {
    parentPort?.postMessage(work(block));
  }
}
