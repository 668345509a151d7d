// Generates load with wrk, which costs less than the server it measures, and pins processes to cores.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./load.lua", import.meta.url));

/** The measured process runs on the first core, the load on the second. */
const hasCores = cpus().length > 1 && spawnSync("taskset", ["-V"]).status === 0;

export const isWrkInstalled = spawnSync("wrk", ["-v"]).error === undefined;

export type WrkResults = {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

export type WrkLoad = {
  readonly origin: string;
  /** File with one path per line. */
  readonly paths: string;
  readonly connections: number;
  readonly seconds: number;
  /** Average pause of a connection between two requests, in whole milliseconds. */
  readonly pause: number;
};

/** Requests pages with gzip. @throws Error if a response is not 200, or if there is no response */
export async function runWrk({ origin, paths, connections, seconds, pause }: WrkLoad): Promise<WrkResults> {
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
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text));
  await once(child, "close");
  const result = /^RESULT (.*)$/m.exec(output)?.[1];
  if (result === undefined) throw new Error(`cannot read the output of wrk: ${output}`);
  const { requests, microseconds, p50, p99, errors } = JSON.parse(result) as Record<string, number>;
  if (!requests || !microseconds || errors !== 0)
    throw new Error(`wrk got ${requests} responses and ${errors} errors from ${origin}`);
  return { perSecond: requests / (microseconds / 1e6), p50: (p50 ?? 0) / 1000, p99: (p99 ?? 0) / 1000 };
}

/** Pins a process and its children to the first core if there is a second one for the load. */
export function pin(pid: number | undefined): void {
  if (!hasCores || pid === undefined) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  for (const one of [String(pid), ...children.filter((child) => child !== "")])
    spawnSync("taskset", ["-acp", "0", one]);
}
