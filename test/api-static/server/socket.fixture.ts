// Sends raw HTTP requests for the server's tests, and starts the real server as a separate process.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  createListener,
  type Listener,
  type ListenerContext,
} from "../../../api-static/server/http/listener.ts";
import { inherited } from "../../inherited.ts";
import { repository, type Served } from "./release.fixture.ts";

/** A response as received: not decompressed, and no redirect followed. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Answers a release over a socket of its own for the tests of a file. Returns how to ask it. */
export function useSocket(
  served: () => Served,
): (path: string, headers?: Record<string, string>, method?: string) => Promise<RawAnswer> {
  let listening: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    listening = await listen(served().app.handle);
  });
  afterAll(() => listening.server.close());
  return (path, headers, method) => askRaw(listening.port, path, headers, method);
}

/** The server's own sockets in this process, on any free port. */
export async function listen(
  handle: ListenerContext["handle"],
  bounds: Partial<ListenerContext> = {},
): Promise<{ server: Listener; port: number }> {
  const clock = () => new Date("2026-11-20T23:00:00Z");
  const ignore = () => undefined;
  const server = createListener({
    handle,
    connections: 1_000,
    responseSeconds: 5,
    clock,
    onFailure: ignore,
    onRefusal: ignore,
    ...bounds,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends a request over a new connection. */
export function askRaw(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: "127.0.0.1", port, path, method, headers, agent: false },
      async (response) => {
        const chunks: Buffer[] = [];
        try {
          for await (const chunk of response) chunks.push(chunk as Buffer);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          });
        } catch (error) {
          reject(error);
        }
      },
    );
    asking.on("error", reject);
    asking.end();
  });
}

/** Sends bytes unchanged and returns everything received until the server closes the connection or sends nothing for `silence` milliseconds. */
export function sendBytes(port: number, bytes: string | Buffer, silence = 300): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(silence, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => undefined); // a reset counts as a response
    socket.on("close", () => resolve(received));
  });
}

export type ServerProcess = {
  readonly child: ChildProcess;
  /** Its output so far, of both streams. */
  output(): string;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
};

/** Starts the real server with these settings. @param checkout the folder that has its files */
export function startServer(environment: Record<string, string>, checkout = repository): ServerProcess {
  const child = spawn(process.execPath, [join(checkout, "api-static/server/main.ts")], {
    env: { ...inherited(), METRICS_PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, output: () => text, ended };
}

/** Gives a test file a function that starts servers, which are killed after each test. */
export function useServers(): typeof startServer {
  let running: ServerProcess[] = [];
  afterEach(async () => {
    for (const { child, ended } of running) {
      child.kill("SIGKILL");
      await ended;
    }
    running = [];
  });
  return (environment) => {
    const server = startServer(environment);
    running.push(server);
    return server;
  };
}

/** The port that a server started with PORT=0 prints. */
export async function readPort(server: ServerProcess): Promise<number> {
  const [, port] = await until(() => /http:\/\/127\.0\.0\.1:(\d+)/.exec(server.output()) ?? undefined);
  return Number(port);
}

/** The port of a server's metrics, which it prints. */
export async function readMetricsPort(server: ServerProcess): Promise<number> {
  const printed = /metrics at http:\/\/127\.0\.0\.1:(\d+)/;
  const [, port] = await until(() => printed.exec(server.output()) ?? undefined);
  return Number(port);
}

/** The metrics of a server process. */
export async function readMetrics(server: ServerProcess): Promise<string> {
  return (await askRaw(await readMetricsPort(server), "/metrics")).body.toString();
}

/** Files that a process holds open; 0 if the system does not list them. */
export function countOpenFiles({ child }: ServerProcess): number {
  try {
    return readdirSync(`/proc/${child.pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Waits until `look` returns something; throws after 30 seconds, because a busy machine starts processes slowly. */
export async function until<Value>(
  look: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(20)) {
    const value = await look();
    if (value !== undefined) return value;
  }
  throw new Error("the expected result did not come within 30 seconds");
}
