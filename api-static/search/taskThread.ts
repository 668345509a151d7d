// Runs one task after another in a worker thread, and notices if the thread ends, however it ends.
import { Worker } from "node:worker_threads";

/** Data passed to every thread when it starts: the number of the task that is given up, for the thread to see while it runs. */
export type TaskThreadData = { readonly stopped: Int32Array };

/** A thread that has one task at a time. */
export class TaskThread<Message> {
  readonly #worker: Worker;
  readonly #stopped = new Int32Array(new SharedArrayBuffer(4));
  readonly #onEnd: () => void;
  #lastTask = 0;
  #isOver = false;

  /**
   * @param module URL of the module that runs in the thread
   * @param onEnd called once, when the thread has failed or ended: it takes no further task
   */
  constructor(module: URL, data: object, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = new Worker(module, { workerData: { ...data, stopped: this.#stopped } });
    this.#worker.unref(); // a thread without a task does not keep the process alive
    this.#worker.on("error", () => this.#end()).once("exit", () => this.#end());
  }

  /** Sends a message that has no answer. */
  tell(message: object): void {
    this.#worker.postMessage(message);
  }

  /**
   * Runs a task; returns the message that ends it. A thread that fails is ended.
   * @param task the message to the thread, with the number of the task
   * @param signal tells the thread to give up the task; its end is still awaited
   * @param isEnd handles a message from the thread; false if the task goes on
   * @throws Error if the task cannot be sent, or the thread ends first
   */
  async run(
    task: (number: number) => object,
    signal?: AbortSignal,
    isEnd: (message: Message) => boolean = () => true,
  ): Promise<Message> {
    const number = ++this.#lastTask;
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const hear = (message: Message) => {
      if (isEnd(message)) resolve(message);
    };
    const onExit = (code: number) => reject(new Error(`a worker thread ended with ${code} in a task`));
    const stop = () => Atomics.store(this.#stopped, 0, number);
    const worker = this.#worker;
    worker.ref();
    worker.on("message", hear).once("messageerror", reject).once("error", reject).once("exit", onExit);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      worker.postMessage(task(number));
      return await promise;
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      worker.off("message", hear).off("messageerror", reject).off("error", reject).off("exit", onExit);
      signal?.removeEventListener("abort", stop);
      worker.unref();
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
    void this.#worker.terminate();
  }
}
