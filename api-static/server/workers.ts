// Owns the server on several cores: one process that starts the workers, replaces those that died, ends them all, and adds
// up their figures.
import cluster, { type Worker } from "node:cluster";
import { AggregatorRegistry, type Registry } from "@prometheus-io/client";
import type { Log } from "./observe/log.ts";

/** Workers that are replaced within a minute: when more of them die it is no accident, and who started the server is to know. */
const replacementsMax = 5;
const replacementsWindow = 60_000;

/** Milliseconds beyond their own patience after which workers that do not end are killed. */
const endReserve = 3_000;

/** What workers and the first process tell each other. */
type Message =
  | { readonly kind: "started"; readonly line: string }
  | { readonly kind: "figures"; readonly id: number; readonly text?: string };

export type Workers = {
  readonly count: number;
  /** Milliseconds that a worker gives running requests after a signal. */
  readonly endPatience: number;
  readonly log: Log;
  /** Told the line for people once every worker listens. */
  readonly say: (line: string) => void;
};

/** Starts the workers and watches over them; ends this process when they have ended. */
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
    cluster.fork(); // the others follow when it listens: what is wrong with the settings is said once
  }

  /** Ends the workers as a signal would, then this process with the code. */
  end(code: number): void {
    if (this.#exitCode !== undefined) return;
    this.#exitCode = code;
    for (const worker of workers()) worker.process.kill("SIGTERM");
    if (workers().length === 0) process.exit(code);
    setTimeout(() => {
      for (const worker of workers()) worker.process.kill("SIGKILL");
    }, this.#settings.endPatience + endReserve).unref();
  }

  #onMessage(worker: Worker, message: Message): void {
    if (message.kind === "started") this.#onStarted(message.line);
    if (message.kind === "figures") void this.#sendFigures(worker, message.id);
  }

  #onStarted(line: string): void {
    const { count, say } = this.#settings;
    this.#listening += 1;
    if (this.#isStarted || this.#exitCode !== undefined) return;
    if (this.#listening === 1) for (let started = 1; started < count; started++) cluster.fork();
    if (this.#listening < count) return;
    this.#isStarted = true;
    say(`${line} with ${count} workers`);
  }

  async #sendFigures(worker: Worker, id: number): Promise<void> {
    const text = await this.#registry.clusterMetrics().catch(() => undefined); // one of them died meanwhile
    if (worker.isConnected()) worker.send({ kind: "figures", id, text });
  }

  #onExit(worker: Worker, code: number, signal: string | null): void {
    if (this.#exitCode !== undefined) {
      if (workers().length === 0) process.exit(this.#exitCode);
      return;
    }
    if (this.#isStarted) this.#replace(worker, code, signal);
    else this.#failAtStart(worker, code, signal);
  }

  /** Ends with the worker's code, whose message stands above; killed workers have none. */
  #failAtStart(worker: Worker, code: number | null, signal: string | null): void {
    if (signal !== null)
      this.#settings.log.error({ worker: worker.process.pid, signal }, "a worker died at its start");
    this.end(code || 1);
  }

  #replace(worker: Worker, code: number, signal: string | null): void {
    const { log } = this.#settings;
    const now = performance.now();
    this.#deaths.push(now);
    while ((this.#deaths[0] ?? now) < now - replacementsWindow) this.#deaths.shift();
    const how = { worker: worker.process.pid, code, signal };
    if (this.#deaths.length > replacementsMax) {
      log.error(how, `more than ${replacementsMax} workers died within a minute; the server ends`);
      this.end(1);
    } else {
      log.error(how, "a worker died; another one starts");
      cluster.fork();
    }
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker): worker is Worker => worker?.isDead() === false,
  );
}

/** In a worker: tells the first process that it listens. */
export function announceStart(line: string): void {
  const message: Message = { kind: "started", line };
  process.send?.(message);
}

/** In a worker: makes its figures part of the sum, and returns how to ask for the sum of all. */
export function shareFigures(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry(); // it answers the first process from here on
  const asked = new Map<number, PromiseWithResolvers<string>>();
  process.on("message", (message: Message) => {
    if (message.kind !== "figures") return;
    const waiting = asked.get(message.id);
    asked.delete(message.id);
    if (message.text === undefined) waiting?.reject(new Error("the workers' figures did not come"));
    else waiting?.resolve(message.text);
  });
  let id = 0;
  return () => {
    const answer = Promise.withResolvers<string>();
    id += 1;
    asked.set(id, answer);
    process.send?.({ kind: "figures", id } satisfies Message);
    return answer.promise;
  };
}
