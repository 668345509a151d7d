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
  const threads = new BlockThreads<Order, Result>(module, count);
  try {
    await threads.run(order, keep);
  } finally {
    await threads.close();
  }
}

/** An order that threads work on. */
type Run<Result> = {
  readonly keep: (result: Result) => void;
  readonly end: PromiseWithResolvers<void>;
  /** Threads that have not finished it. */
  threads: number;
};

/** What a thread receives. */
export type ThreadOrder<Order> = { readonly run: number; readonly order: Order };
/** What a thread sends: a result, or that the last one was sent. */
export type ThreadMessage<Result> =
  | { readonly run: number; readonly result: Result }
  | { readonly run: number; readonly isEnd: true };

/** Worker threads that work on one order after the other, so that only the first order waits for them to start. */
export class BlockThreads<Order extends BlockOrder, Result> {
  readonly #module: URL;
  readonly #count: number;
  readonly #workers: Worker[] = [];
  readonly #runs = new Map<number, Run<Result>>();
  #lastRun = 0;
  #failure: { readonly error: unknown } | undefined;

  /**
   * @param module URL of a `BlockModule`
   * @param count of threads; without any, this thread works
   */
  constructor(module: URL, count: number) {
    this.#module = module;
    this.#count = count;
  }

  /**
   * Works on an order, and waits until all of its blocks are done. A thread that finds no block left goes on with the order of the
   * next call.
   * @param keep receives the result of each block
   * @throws the first error of a thread
   */
  async run(order: Order, keep: (result: Result) => void): Promise<void> {
    if (this.#count === 0) {
      for (const result of await openWork<Order, Result>(this.#module.href, order)) keep(result);
      return;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    while (this.#workers.length < Math.min(this.#count, order.blocks)) this.#workers.push(this.#start());
    if (this.#workers.length === 0) return;
    this.#lastRun += 1;
    const run = { keep, end: Promise.withResolvers<void>(), threads: this.#workers.length };
    this.#runs.set(this.#lastRun, run);
    const message: ThreadOrder<Order> = { run: this.#lastRun, order };
    for (const worker of this.#workers) worker.postMessage(message);
    await run.end.promise;
  }

  /** Stops the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const script = new URL("./blockThread.ts", import.meta.url);
    const worker = new Worker(script, { workerData: { module: this.#module.href }, resourceLimits });
    worker.on("message", (message: ThreadMessage<Result>) => this.#receive(message));
    worker.once("error", (error) => this.#fail(error));
    const name = this.#module.pathname.split("/").at(-1);
    worker.once("exit", (code) => this.#fail(new Error(`a worker of ${name} ended with ${code}`)));
    return worker;
  }

  #receive(message: ThreadMessage<Result>): void {
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
