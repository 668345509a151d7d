// Runs the work of a module in worker threads.
import { Worker } from "node:worker_threads";
import { allOrNone } from "./parallel.ts";

/** What a module exports that runs in a thread: work that yields its results. */
export type ThreadModule<Input, Result> = {
  work(input: Input): Iterable<Result> | AsyncIterable<Result>;
};

/** Megabytes of heap for the young objects of a thread: room for the buffers of each page, so that they are freed while they are young. */
const defaultYoungMegabytes = 64;

/** What a thread receives when it starts. */
export type ThreadData = { readonly module: string; readonly input: unknown };

/** What a thread sends: each result, then that the work is done. */
export type ThreadMessage<Result> = { readonly result: Result } | "done";

/** Runs a module's work in a worker thread, and waits until it has ended. The signal stops it. */
async function runInThread<Input, Result>(
  module: URL,
  input: Input,
  onResult: (result: Result) => void,
  youngMegabytes: number,
  signal: AbortSignal,
): Promise<void> {
  const workerData: ThreadData = { module: module.href, input };
  const resourceLimits = { maxYoungGenerationSizeMb: youngMegabytes };
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData, resourceLimits });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop);
  const exit = Promise.withResolvers<number>();
  let failure: { readonly error: unknown } | undefined;
  let isDone = false;
  worker.on("error", (error) => {
    failure ??= { error };
  });
  worker.once("exit", exit.resolve);
  worker.on("message", (message: ThreadMessage<Result>) => {
    try {
      if (message === "done") isDone = true;
      else if (failure === undefined) onResult(message.result);
    } catch (error) {
      failure = { error };
      stop();
    }
  });
  const code = await exit.promise;
  signal.removeEventListener("abort", stop);
  if (failure !== undefined) throw failure.error;
  signal.throwIfAborted();
  if (code !== 0 || !isDone) throw new Error(`a worker thread ended with ${code} before its work was done`);
}

/**
 * Runs a module's work on the same input in several threads, or in this thread if `threads` is 0, and waits until all have ended.
 * @param module URL of a `ThreadModule`
 * @param onResult receives each result
 * @throws the first error of the work or of `onResult`, after the other threads are stopped
 */
export async function runInThreads<Input, Result>(
  module: URL,
  input: Input,
  threads: number,
  onResult: (result: Result) => void,
  youngMegabytes = defaultYoungMegabytes,
): Promise<void> {
  if (threads === 0) {
    const { work } = (await import(module.href)) as ThreadModule<Input, Result>;
    for await (const result of work(input)) onResult(result);
    return;
  }
  const run = (signal: AbortSignal) => runInThread(module, input, onResult, youngMegabytes, signal);
  await allOrNone(...Array.from({ length: threads }, () => run));
}

/** Work in numbered blocks, which threads take one by one. */
export type Blocks = {
  readonly count: number;
  /** Number of blocks taken so far. */
  readonly taken: SharedArrayBuffer;
};

/** Blocks of which none is taken yet. */
export function shareBlocks(count: number): Blocks {
  return { count, taken: new SharedArrayBuffer(4) };
}

/** Takes blocks that no other thread has taken, until none is left. */
export function* takeBlocks({ count, taken }: Blocks): Generator<number> {
  const counter = new Int32Array(taken);
  for (let block = Atomics.add(counter, 0, 1); block < count; block = Atomics.add(counter, 0, 1)) yield block;
}

/** Lets no thread take another block. */
export function endBlocks({ count, taken }: Blocks): void {
  Atomics.store(new Int32Array(taken), 0, count);
}
