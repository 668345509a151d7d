// Runs our server in a separate process, with one client that keeps its connection.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { fileURLToPath } from "node:url";
import { href } from "../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import type { TimedAnswer } from "./peers/process.ts";

const script = fileURLToPath(new URL("../../api-static/server/main.ts", import.meta.url));

export class BenchServer {
  readonly #child: ChildProcess;
  readonly origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child;
    this.origin = origin;
  }

  /**
   * Starts the server on a free port.
   * @param data folder of the releases
   * @param settings that differ from those of the benchmark
   * @throws Error if it exits before it listens
   */
  static async start(data: string, settings: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
      env: {
        ...process.env,
        DATA: data,
        HOST: "127.0.0.1",
        PORT: "0",
        WORKERS: "1",
        SEARCH_SECONDS: "600",
        ...settings,
      },
      stdio: ["ignore", "ignore", "pipe"], // the log is written and discarded
    });
    process.once("exit", () => child.kill());
    return new BenchServer(child, await readOrigin(child));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Requests a page; the time includes reading and parsing it. */
  async answer(request: HistoryRequest): Promise<TimedAnswer> {
    const url = `${this.origin}${href(request)}`;
    const start = performance.now();
    const { status, text } = await this.#read(url);
    if (status !== 200) throw new Error(`${url} returned ${status}: ${text}`);
    const body = JSON.parse(text) as { total: number; data: { id: number }[] };
    const milliseconds = performance.now() - start;
    return { total: body.total, ids: body.data.map(({ id }) => id), milliseconds };
  }

  /** Milliseconds of a round trip without work: the cost of HTTP alone. */
  async measureRoundTrip(): Promise<number> {
    const start = performance.now();
    await this.#read(`${this.origin}/healthz`);
    return performance.now() - start;
  }

  /** Resident memory in bytes, now and at its peak; undefined outside Linux. */
  async readMemory(): Promise<{ now: number; peak: number } | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => undefined);
    if (status === undefined) return undefined;
    const read = (name: string) => 1024 * Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]);
    return { now: read("VmRSS"), peak: read("VmHWM") };
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode === null && this.#child.kill("SIGTERM")) await ended;
  }

  #read(url: string): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      get(url, { agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
        );
      }).on("error", reject);
    });
  }
}

/** Waits for the line with the address that the server listens on, e.g., "http://127.0.0.1:41231". */
function readOrigin(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr?.on("data", (text: Buffer) => {
      output += text;
      const origin = /http:\/\/[\d.]+:\d+/.exec(output)?.[0];
      if (origin !== undefined) resolve(origin);
    });
    child.once("exit", (code) =>
      reject(new Error(`the server exited with ${code} before it listened: ${output}`)),
    );
  });
}
