// Measures a whole process: wall time, CPU time and peak memory, as the operating system accounts for them.
import { spawn, spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

export type Measured = {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** Preloaded into the measured process; at exit it writes its resource usage, including that of ended children. */
const probe = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from "node:fs";
  process.on("exit", () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())));
`)}`;

/** True if processes can be pinned to cores, and there is more than one. */
export const hasCores = cpus().length > 1 && spawnSync("taskset", ["-V"]).status === 0;

/**
 * Runs a script of the project with Node.js and measures it.
 * @param cores the cores that it runs on, as for taskset; all of them if absent
 * @throws Error with the output of a process that does not exit with 0
 */
export async function measure(
  script: string,
  values: string[],
  env: Record<string, string>,
  cores?: string,
): Promise<Measured> {
  const usagePath = join(tmpdir(), `bench-usage-${process.pid}.json`);
  const start = performance.now();
  const pinned = cores !== undefined && hasCores ? ["taskset", "-c", cores] : [];
  const [program = "", ...rest] = [...pinned, process.execPath, "--import", probe, script, ...values];
  const child = spawn(program, rest, {
    env: { ...process.env, ...env, BENCH_USAGE: usagePath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += text));
  child.stderr.on("data", (text) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  const seconds = (performance.now() - start) / 1000;
  if (code !== 0) throw new Error(`${script} exited with ${code}: ${stderr}`);
  const usage = JSON.parse(await readFile(usagePath, "utf8")) as NodeJS.ResourceUsage;
  await rm(usagePath);
  const cpuSeconds = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
  return { seconds, cpuSeconds, peakBytes: usage.maxRSS * 1024, stdout, stderr };
}
