// Owns load by wrk, which costs less than what it measures, and the cores on which processes run.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./load.lua", import.meta.url));

/** What is measured runs on the first core, load comes from the second. */
const hasCores = cpus().length > 1 && spawnSync("taskset", ["-V"]).status === 0;

export const isWrkInstalled = spawnSync("wrk", ["-v"]).error === undefined;

export type WrkFigures = {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

export type WrkLoad = {
  readonly origin: string;
  /** File with a path a line. */
  readonly paths: string;
  readonly connections: number;
  readonly seconds: number;
  /** Milliseconds that a connection waits between two requests on average; whole, 0 for none. */
  readonly pause: number;
};

/** Asks for pages as a client that takes gzip. @throws Error when any answer was not a 200, or none came */
export async function runWrk({ origin, paths, connections, seconds, pause }: WrkLoad): Promise<WrkFigures> {
  const wrk = [
    "wrk",
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "-H",
    "Accept-Encoding: gzip",
    "-s",
    script,
  ];
  const [program = "", ...rest] = [...(hasCores ? ["taskset", "-c", "1"] : []), ...wrk];
  const child = spawn(program, [...rest, origin, "--", paths, String(pause)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text));
  await once(child, "close");
  const result = /^RESULT (.*)$/m.exec(said)?.[1];
  if (result === undefined) throw new Error(`wrk said: ${said}`);
  const { requests, microseconds, p50, p99, errors } = JSON.parse(result) as Record<string, number>;
  if (!requests || !microseconds || errors !== 0)
    throw new Error(`wrk had ${requests} answers and ${errors} errors of ${origin}`);
  return { perSecond: requests / (microseconds / 1e6), p50: (p50 ?? 0) / 1000, p99: (p99 ?? 0) / 1000 };
}

/** Puts a process and its children on the first core, where there is another one for the load. */
export function pin(pid: number | undefined): void {
  if (!hasCores || pid === undefined) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  for (const one of [String(pid), ...children.filter((child) => child !== "")])
    spawnSync("taskset", ["-acp", "0", one]);
}
