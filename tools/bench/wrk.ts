// Generates load with wrk, which costs less than the server it measures, and pins processes to cores.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hasCores } from "./process.ts";

const script = fileURLToPath(new URL("./load.lua", import.meta.url));

export const isWrkInstalled = spawnSync("wrk", ["-v"]).error === undefined;

export type WrkResults = {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time for each response, of the measured process and its children; NaN if none is measured. */
  readonly cpuMicroseconds: number;
};

export type WrkLoad = {
  readonly origin: string;
  /** File with one path per line. */
  readonly paths: string;
  readonly connections: number;
  readonly seconds: number;
  /** Average pause of a connection between two requests, in whole milliseconds. */
  readonly pause: number;
  /** True to request responses that are not compressed. */
  readonly isPlain?: boolean;
  /** Threads of wrk; 1 if absent. */
  readonly threads?: number;
  /** The cores that wrk runs on, as for taskset; the second core if absent. */
  readonly cores?: string;
  /** The process whose processor time is measured. */
  readonly measured?: number | undefined;
};

/** Requests pages, with gzip unless the load says otherwise. @throws Error if a response is not 200, or if there is no response */
export async function runWrk(load: WrkLoad): Promise<WrkResults> {
  const {
    origin,
    paths,
    connections,
    seconds,
    pause,
    isPlain = false,
    threads = 1,
    cores = "1",
    measured,
  } = load;
  const wrk = [
    "wrk",
    `-t${threads}`,
    `-c${connections}`,
    `-d${seconds}s`,
    "--timeout",
    "20s", // on a busy machine, the first responses take long
    "-H",
    `Accept-Encoding: ${isPlain ? "identity" : "gzip"}`,
    "-s",
    script,
  ];
  const [program = "", ...rest] = [...(hasCores ? ["taskset", "-c", cores] : []), ...wrk];
  const cpuBefore = readCpuSeconds(measured);
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
  return {
    perSecond: requests / (microseconds / 1e6),
    p50: (p50 ?? 0) / 1000,
    p99: (p99 ?? 0) / 1000,
    cpuMicroseconds: ((readCpuSeconds(measured) - cpuBefore) * 1e6) / requests,
  };
}

/** Processor time of a process and its children so far, which Linux counts in hundredths of a second. */
function readCpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return Number.NaN;
  const ticks = familyOf(pid).map((one) => {
    const [, fields = ""] = readFileSync(`/proc/${one}/stat`, "utf8").split(") ");
    const [user, system] = fields.split(" ").slice(11, 13);
    return Number(user) + Number(system);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / 100;
}

/** A process and its children. */
function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return [pid, ...children.filter((child) => child.trim() !== "").map(Number)];
}

/** Pins a process and its children to cores: the first one if absent, if there is a second one for the load. */
export function pin(pid: number | undefined, cores = "0"): void {
  if (!hasCores || pid === undefined) return;
  for (const one of familyOf(pid)) spawnSync("taskset", ["-acp", cores, String(one)]);
}
