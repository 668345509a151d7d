// Runs our server in a separate process.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../api-static/server/main.ts", import.meta.url));

export class BenchServer {
  readonly #child: ChildProcess;
  readonly origin: string;

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
    // The log goes to a pipe, as for a service. This process does not read it, because it would take time from the server's core.
    const reader = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
      env: {
        ...process.env,
        DATA: data,
        HOST: "127.0.0.1",
        PORT: "0",
        METRICS_PORT: "0",
        WORKERS: "1",
        SEARCH_SECONDS: "600",
        ...settings,
      },
      stdio: ["ignore", reader.stdin, "pipe"],
    });
    reader.stdin.destroy(); // the server has its own end: `cat` ends with it
    process.once("exit", () => child.kill());
    return new BenchServer(child, await readOrigin(child));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resident memory in bytes, now and at its peak; undefined outside Linux. */
  async readMemory(): Promise<{ now: number; peak: number } | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => undefined);
    if (status === undefined) return undefined;
    const read = (name: string) => 1024 * Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]);
    return { now: read("VmRSS"), peak: read("VmHWM") };
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode === null && this.#child.kill("SIGTERM")) await ended;
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
