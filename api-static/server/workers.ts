// Runs the server on several cores: one process starts the workers, replaces those that die, and ends all of them.
import cluster, { type Worker } from "node:cluster";
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "./observe/log.ts";

/** Workers that are replaced within a minute. If more die, the server ends, so that its process manager notices. */
const maxReplacements = 5;
const replacementWindow = 60_000;

/** Milliseconds after their grace period when workers that have not ended are killed. */
const killDelay = 3_000;

/** Workers of two versions would give different answers, so the old ones go on alone. */
const codeChanged = "the server's files have changed since it started; restart it";

/** A worker's message to the first process once it listens, with the line for people. */
type Message = { readonly kind: "started"; readonly line: string };

export type Workers = {
  readonly count: number;
  /** The real path of the program, so that workers start from this version's folder even if a symlink to it has moved. */
  readonly program: string;
  /** Milliseconds that running requests of a worker have to finish after a signal. */
  readonly endGrace: number;
  readonly log: Log;
  /** Called with the line for people once every worker listens. */
  readonly onStarted: (line: string) => void;
};

/** Starts the workers and supervises them; ends this process when they have ended. */
export function superviseWorkers(settings: Workers): void {
  const supervisor = new Supervisor(settings);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => supervisor.end(0));
}

class Supervisor {
  readonly #settings: Workers;
  readonly #code = digestCode();
  readonly #deaths: number[] = [];
  #listening = 0;
  #isStarted = false;
  #exitCode: number | undefined;

  constructor(settings: Workers) {
    this.#settings = settings;
    cluster.setupPrimary({ exec: settings.program, args: [this.#code] });
    cluster.on("message", (_worker, message: Message) => {
      if (message.kind === "started") this.#onStarted(message.line);
    });
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

  #onStarted(line: string): void {
    const { count, onStarted } = this.#settings;
    this.#listening += 1;
    if (this.#isStarted || this.#exitCode !== undefined) return;
    if (this.#listening === 1) for (let started = 1; started < count; started++) cluster.fork();
    if (this.#listening < count) return;
    this.#isStarted = true;
    onStarted(`${line} with ${count} workers`);
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
    const fields = { worker: worker.process.pid, code, signal };
    if (digestCode() !== this.#code) {
      log.error(`a worker died; none replaces it: ${codeChanged}`, { ...fields, left: workers().length });
      if (workers().length === 0) this.end(1);
      return;
    }
    const now = performance.now();
    this.#deaths.push(now);
    while ((this.#deaths[0] ?? now) < now - replacementWindow) this.#deaths.shift();
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

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** A short digest of the code and of the list of installed packages. A file that is missing counts as a change. */
function digestCode(): string {
  try {
    const names = readdirSync(join(checkout, "api-static"), { recursive: true, encoding: "utf8" });
    const sources = names.filter((name) => name.endsWith(".ts")).map((name) => join("api-static", name));
    const paths = [...sources.sort(), "package.json", join("node_modules", ".package-lock.json")];
    const digests = paths.map((path) => `${path} ${hash("sha256", readFileSync(join(checkout, path)))}`);
    return hash("sha256", digests.join("\n")).slice(0, 16);
  } catch {
    return "incomplete"; // it is being installed, or was removed
  }
}

/** In a worker: checks that it runs the files that the first process started with. @throws Error if not */
export function checkCode(): void {
  if (digestCode() !== process.argv[2]) throw new Error(`a worker does not start: ${codeChanged}`);
}

/** In a worker: reports to the first process that it listens. */
export function announceStart(line: string): void {
  const message: Message = { kind: "started", line };
  process.send?.(message);
}
