// Runs work in blocks on several worker threads, each of which takes blocks until none is left; little work runs in this thread.
import { Worker } from "node:worker_threads";

/** Megabytes of heap for the young objects of a thread: room for the buffers of each page, so that they are freed while they are young. */
const youngMegabytesDefault = 64;

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
  work(order: Order, blocks: Iterable<number>): Iterable<Result> | AsyncIterable<Result>;
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
  await withThreads(new BlockThreads(count), (threads) => threads.run(module, order, keep));
}

/** Runs work on threads, and stops them when it has ended. */
export async function withThreads<Result>(
  threads: BlockThreads,
  work: (threads: BlockThreads) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(threads);
  } finally {
    await threads.close();
  }
}

/** An order that threads work on. */
type Run = {
  readonly keep: (result: unknown) => void;
  readonly end: PromiseWithResolvers<void>;
  /** Threads that have not finished it. */
  threads: number;
};

/** What a thread receives. */
export type ThreadOrder = { readonly run: number; readonly module: string; readonly order: BlockOrder };
/** What a thread sends: a result, or that the last one was sent. */
export type ThreadMessage =
  | { readonly run: number; readonly result: unknown }
  | { readonly run: number; readonly isEnd: true };

/** Worker threads that work on one order after the other, of any kind, so that only the first order waits for them to start. */
export class BlockThreads {
  readonly #count: number;
  readonly #youngMegabytes: number;
  readonly #workers: Worker[] = [];
  readonly #runs = new Map<number, Run>();
  #lastRun = 0;
  #failure: { readonly error: unknown } | undefined;

  /**
   * @param count of threads; without any, this thread works
   * @param youngMegabytes of heap for the young objects of each thread
   */
  constructor(count: number, youngMegabytes = youngMegabytesDefault) {
    this.#count = count;
    this.#youngMegabytes = youngMegabytes;
  }

  /**
   * Works on an order, and waits until all of its blocks are done. A thread that finds no block left goes on with the order of the
   * next call.
   * @param module URL of a `BlockModule`
   * @param keep receives the result of each block
   * @throws the first error of a thread
   */
  async run<Order extends BlockOrder, Result>(
    module: URL,
    order: Order,
    keep: (result: Result) => void,
  ): Promise<void> {
    if (this.#count === 0) {
      for await (const result of await openWork(module.href, order)) keep(result as Result);
      return;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    while (this.#workers.length < Math.min(this.#count, order.blocks)) this.#workers.push(this.#start());
    if (this.#workers.length === 0) return;
    this.#lastRun += 1;
    const end = Promise.withResolvers<void>();
    const run = { keep: (result: unknown) => keep(result as Result), end, threads: this.#workers.length };
    this.#runs.set(this.#lastRun, run);
    const message: ThreadOrder = { run: this.#lastRun, module: module.href, order };
    for (const worker of this.#workers) worker.postMessage(message);
    await run.end.promise;
  }

  /** Stops the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const script = new URL("./blockThread.ts", import.meta.url);
    const resourceLimits = { maxYoungGenerationSizeMb: this.#youngMegabytes };
    const worker = new Worker(script, { resourceLimits });
    worker.on("message", (message: ThreadMessage) => this.#receive(message));
    worker.once("error", (error) => this.#fail(error));
    worker.once("exit", (code) => this.#fail(new Error(`a worker thread ended with ${code}`)));
    return worker;
  }

  #receive(message: ThreadMessage): void {
    const run = this.#runs.get(message.run);
    if (run === undefined) return;
    if ("result" in message) {
      run.keep(message.result);
      return;
    }
    run.threads -= 1;
    if (run.threads > 0) return;
    this.#runs.delete(message.run);
    run.end.resolve();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { end } of this.#runs.values()) end.reject(error);
    this.#runs.clear();
  }
}

/** The results of a module's work on the blocks that this thread takes. */
export async function openWork(
  module: string,
  order: BlockOrder,
): Promise<Iterable<unknown> | AsyncIterable<unknown>> {
  const { work } = (await import(module)) as BlockModule<BlockOrder, unknown>;
  return work(order, takeBlocks(order));
}

/** Takes blocks that no other thread has taken, until none is left. */
function* takeBlocks({ blocks, next }: BlockOrder): Generator<number> {
  const counter = new Int32Array(next);
  for (let block = Atomics.add(counter, 0, 1); block < blocks; block = Atomics.add(counter, 0, 1))
    yield block;
}
