// Records how each publish and each pull ended. Each has its own file of metrics, because a sync may write its own at the same time.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { exitCodes } from "../base/failure.ts";
import { replaceFile } from "../base/files.ts";
import { formatTransferMetrics } from "./metrics.ts";
import type { RunContext } from "./recorder.ts";

export type TransferName = "publish" | "pull";

/** The line to print, and the release that the bucket or the data folder then has. */
export type Transferred = { readonly line: string; readonly release: string };

/** Where the metrics of a data folder's last publish or pull are. */
export function transferMetricsPath(data: string, name: TransferName): string {
  return join(data, `${name}.prom`);
}

/**
 * Does the work of a publish or a pull, and records how it ended; returns the line to print. A pull that finds the data folder
 * locked is not recorded. If the metrics cannot be written, a success warns and a failure reports only its own error.
 */
export async function recordTransfer(
  name: TransferName,
  { data, progress, clock, exitCodeOf }: RunContext,
  work: () => Promise<Transferred>,
): Promise<string> {
  const path = transferMetricsPath(data, name);
  const start = clock();
  const write = async (exit_code: number, release?: string) => {
    const ended = { exit_code, started_at: start.toISOString(), ended_at: clock().toISOString() };
    const previous = await readFile(path, "utf8").catch(() => "");
    await replaceFile(path, await formatTransferMetrics(name, ended, release, previous));
  };
  try {
    const { line, release } = await work();
    await write(exitCodes.done, release).catch((error: Error) =>
      progress.note(`warning: the metrics in "${path}" were not updated: ${error.message}`),
    );
    return line;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    if (name === "publish" || exitCode !== exitCodes.locked) await write(exitCode).catch(() => {});
    throw error;
  }
}
