// Runs the server on several cores: one process starts the workers, replaces those that die, ends all of them, and adds up
// their metrics.
import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry, type Registry } from "@prometheus-io/client";
import type { Log } from "./observe/log.ts";

/** Workers that are replaced within a minute. If more die, the server ends, so that its process manager notices. */
const maxReplacements = 5;
const replacementWindow = 60_000;

/** Milliseconds after their grace period when workers that have not ended are killed. */
const killDelay = 3_000;

/** Messages between workers and the first process. */
type Message =
  | { readonly kind: "started"; readonly line: string }
  | { readonly kind: "metrics"; readonly id: number; readonly text?: string };

export type Workers = {
  readonly count: number;
  /** Milliseconds that running requests of a worker have to finish after a signal. */
  readonly endGrace: number;
  readonly log: Log;
  /** Called with the line for people once every worker listens. */
  readonly announce: (line: string) => void;
};

/** Starts the workers and supervises them; ends this process when they have ended. */
export function superviseWorkers(settings: Workers): void {
  const supervisor = new Supervisor(settings);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => supervisor.end(0));
}

class Supervisor {
  readonly #settings: Workers;
  readonly #registry = new AggregatorRegistry();
  readonly #deaths: number[] = [];
  #listening = 0;
  #isStarted = false;
  #exitCode: number | undefined;

  constructor(settings: Workers) {
    this.#settings = settings;
    cluster.on("message", (worker, message: Message) => this.#onMessage(worker, message));
    cluster.on("exit", (worker, code, signal: string | null) => this.#onExit(worker, code, signal));
    cluster.fork(); // the others start when it listens, so that a wrong setting is reported once
  }

  /** Ends the workers with a signal, then this process with the code. */
  end(code: number): void {
    if (this.#exitCode !== undefined) return;
    this.#exitCode = code;
    for (const worker of workers()) worker.process.kill("SIGTERM");
    if (workers().length === 0) process.exit(code);
    setTimeout(() => {
      for (const worker of workers()) worker.process.kill("SIGKILL");
    }, this.#settings.endGrace + killDelay).unref();
  }

  #onMessage(worker: Worker, message: Message): void {
    if (message.kind === "started") this.#onStarted(message.line);
    if (message.kind === "metrics") void this.#sendMetrics(worker, message.id);
  }

  #onStarted(line: string): void {
    const { count, announce } = this.#settings;
    this.#listening += 1;
    if (this.#isStarted || this.#exitCode !== undefined) return;
    if (this.#listening === 1) for (let started = 1; started < count; started++) cluster.fork();
    if (this.#listening < count) return;
    this.#isStarted = true;
    announce(`${line} with ${count} workers`);
  }

  async #sendMetrics(worker: Worker, id: number): Promise<void> {
    const text = await this.#registry.clusterMetrics().catch(() => undefined); // a worker died in the meantime
    if (worker.isConnected()) worker.send({ kind: "metrics", id, text });
  }

  #onExit(worker: Worker, code: number, signal: string | null): void {
    if (this.#exitCode !== undefined) {
      if (workers().length === 0) process.exit(this.#exitCode);
      return;
    }
    if (this.#isStarted) this.#replace(worker, code, signal);
    else this.#failAtStart(worker, code, signal);
  }

  /** Ends with the worker's exit code. The worker has printed its own message, unless it was killed. */
  #failAtStart(worker: Worker, code: number | null, signal: string | null): void {
    if (signal !== null)
      this.#settings.log.error("a worker died while it started", { worker: worker.process.pid, signal });
    this.end(code || 1);
  }

  #replace(worker: Worker, code: number, signal: string | null): void {
    const { log } = this.#settings;
    const now = performance.now();
    this.#deaths.push(now);
    while ((this.#deaths[0] ?? now) < now - replacementWindow) this.#deaths.shift();
    const fields = { worker: worker.process.pid, code, signal };
    if (this.#deaths.length > maxReplacements) {
      log.error(`more than ${maxReplacements} workers died within a minute; the server ends`, fields);
      this.end(1);
    } else {
      log.error("a worker died; a new one starts", fields);
      cluster.fork();
    }
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker): worker is Worker => worker?.isDead() === false,
  );
}

/** In a worker: reports to the first process that it listens. */
export function announceStart(line: string): void {
  const message: Message = { kind: "started", line };
  process.send?.(message);
}

/** In a worker: adds its metrics to the sum; returns a function that gets the sum of all workers. */
export function shareMetrics(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry(); // from here on it answers the first process
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  process.on("message", (message: Message) => {
    if (message.kind !== "metrics") return;
    const request = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.text === undefined) request?.reject(new Error("the workers' metrics are not available"));
    else request?.resolve(message.text);
  });
  let id = 0;
  return () => {
    const request = Promise.withResolvers<string>();
    id += 1;
    waiting.set(id, request);
    process.send?.({ kind: "metrics", id } satisfies Message);
    return request.promise;
  };
}
