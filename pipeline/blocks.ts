// Runs work in blocks on several worker threads, each of which takes blocks until none is left; little work runs in this thread.
import { Worker } from "node:worker_threads";

/** Heap space for the buffers of each page, so that the garbage collector frees them while they are young. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };

/** Page files that take about as long as the start of a thread. */
const fewPages = 300;

/** What every worker receives, in addition to the input of its work. */
export type BlockOrder = {
  readonly blocks: number;
  /** Number of blocks taken so far. */
  readonly next: SharedArrayBuffer;
};

/** What the module of a kind of work exports. */
export type BlockModule<Order extends BlockOrder, Result> = {
  /** Works on each block; yields its result. */
  work(order: Order, blocks: Iterable<number>): Iterable<Result>;
};

/** A new order, of which no block is taken yet. */
export function newBlockOrder(blocks: number): BlockOrder {
  return { blocks, next: new SharedArrayBuffer(4) };
}

/** The number of worker threads for some page files: 0 if starting a thread costs more than it saves. */
export function countWorkers(pages: number, threads: number): number {
  return pages <= fewPages ? 0 : threads;
}

/**
 * Runs the work of a module on `count` worker threads, or in this thread if `count` is 0, and waits until it has ended.
 * @param module URL of a `BlockModule`
 * @param keep receives the result of each block
 * @throws the first error of a worker, after the other workers are stopped
 */
export async function runBlocks<Order extends BlockOrder, Result>(
  module: URL,
  order: Order,
  count: number,
  keep: (result: Result) => void,
): Promise<void> {
  if (count === 0) {
    for (const result of await openWork<Order, Result>(module.href, order)) keep(result);
    return;
  }
  const script = new URL("./blockThread.ts", import.meta.url);
  const workers = Array.from(
    { length: Math.min(count, order.blocks) },
    () => new Worker(script, { workerData: { module: module.href, order }, resourceLimits }),
  );
  const ends = workers.map(async (worker) => {
    worker.on("message", keep);
    const code = await new Promise<number>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", resolve);
    });
    if (code !== 0) throw new Error(`a worker of ${module.pathname.split("/").at(-1)} ended with ${code}`);
  });
  try {
    await Promise.all(ends);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** The results of a module's work on the blocks that this thread takes. */
export async function openWork<Order extends BlockOrder, Result>(
  module: string,
  order: Order,
): Promise<Iterable<Result>> {
  const { work } = (await import(module)) as BlockModule<Order, Result>;
  return work(order, takeBlocks(order));
}

/** Takes blocks that no other thread has taken, until none is left. */
function* takeBlocks({ blocks, next }: BlockOrder): Generator<number> {
  const counter = new Int32Array(next);
  for (let block = Atomics.add(counter, 0, 1); block < blocks; block = Atomics.add(counter, 0, 1))
    yield block;
}
