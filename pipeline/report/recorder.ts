// Records how each sync, publish and pull ended, and writes metrics of the last ones and of the current release.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type SyncEntry, type SyncResultName, syncsKept } from "../../api-static/contract/answers/report.ts";
import { runPath } from "../../api-static/release/chain.ts";
import { exitCodes } from "../base/failure.ts";
import { replaceFile } from "../base/files.ts";
import type { Progress } from "../base/progress.ts";
import { type FoundRelease, findCurrent } from "../releases/current.ts";
import { refusedFolder, releaseFolder, releaseMoment } from "../releases/folders.ts";
import { formatMetrics, formatTransferMetrics, metricsPath } from "./metrics.ts";
import { type Report, readReport } from "./report.ts";
import { type BuildCost, type RunRecord, readRun } from "./run.ts";

/** What recording a run needs from outside. */
export type RunContext = {
  readonly data: string;
  readonly progress: Progress;
  readonly clock: () => Date;
  /** The exit code that a failure ends with. */
  readonly exitCodeOf: (error: unknown) => number;
};

/** What is recorded of a sync that succeeded. */
export type Recorded = { readonly isNew: boolean; readonly release: string; readonly report?: Report };

/**
 * Does a sync's work and records how it ended, except when another sync is running: that one records itself.
 * @param follow the work that follows a sync, such as a publish: if it fails, the record has its exit code
 */
export async function recordRun<Result extends Recorded, Outcome>(
  context: RunContext,
  work: () => Promise<Result>,
  follow: (result: Result) => Promise<Outcome>,
): Promise<Outcome> {
  const start = context.clock();
  const result = await recordSync(context, start, work);
  try {
    return await follow(result);
  } catch (error) {
    await correctRun(context.data, start, context.exitCodeOf(error)).catch(() => {});
    throw error;
  }
}

/** Records that a run failed after its sync, unless another sync was recorded since. */
async function correctRun(data: string, start: Date, exit_code: number): Promise<void> {
  const run = (await readRun(data)) as RunRecord | undefined;
  if (run?.started_at !== start.toISOString()) return;
  await saveRun(data, { ...run, exit_code }, await findCurrent(data));
}

async function recordSync<Result extends Recorded>(
  context: RunContext,
  start: Date,
  work: () => Promise<Result>,
): Promise<Result> {
  const { data, progress, clock } = context;
  return recordEnd(context, metricsPath(data), work, async (exitCode, result) => {
    if (exitCode === exitCodes.locked) return;
    const built = result?.isNew ? measureBuild(result.release, progress) : undefined;
    const refused = exitCode === exitCodes.refused ? readReport(refusedFolder(data)) : undefined;
    const report = result?.report ?? (await refused?.catch(() => undefined));
    await writeRun(data, { exitCode, start, end: clock(), built, report });
  });
}

/** Does work and writes how it ended. If that fails, a success warns and a failure reports only its own error. */
async function recordEnd<Result>(
  { progress, exitCodeOf }: RunContext,
  path: string,
  work: () => Promise<Result>,
  write: (exitCode: number, result?: Result) => Promise<void>,
): Promise<Result> {
  try {
    const result = await work();
    await write(exitCodes.done, result).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      progress.note(`warning: the metrics in "${path}" were not updated: ${message}`);
    });
    return result;
  } catch (error) {
    await write(exitCodeOf(error)).catch(() => {});
    throw error;
  }
}

function measureBuild(release: string, { steps }: Progress): BuildCost {
  return {
    release,
    step_seconds: Object.fromEntries(steps.map(({ name, seconds }) => [name, seconds])),
    peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
  };
}

type Ended = {
  readonly exitCode: number;
  readonly start: Date;
  readonly end: Date;
  readonly built: BuildCost | undefined;
  /** Of the release that the sync built, published or refused. */
  readonly report: Report | undefined;
};

async function writeRun(data: string, ended: Ended): Promise<void> {
  const { exitCode, start, end, built } = ended;
  const previous = await readRun(data);
  const current = await findCurrent(data).catch(() => undefined);
  const lastSuccess = previous?.last_success_at ?? (current ? releaseMoment(current.id) : null);
  const run: RunRecord = {
    exit_code: exitCode,
    started_at: start.toISOString(),
    ended_at: end.toISOString(),
    last_success_at: exitCode === exitCodes.done ? end.toISOString() : lastSuccess,
    built: built ?? previous?.built ?? null,
    syncs: [describeSync(ended), ...(previous?.syncs ?? [])].slice(0, syncsKept),
  };
  await saveRun(data, run, current);
}

async function saveRun(data: string, run: RunRecord, current: FoundRelease | undefined): Promise<void> {
  await replaceFile(runPath(data), `${JSON.stringify(run, null, 2)}\n`);
  await writeMetrics(data, run, current);
}

/** Writes the metrics again, after a rollback made another release current. Without a sync there are none. */
export async function refreshMetrics(data: string): Promise<void> {
  const run = await readRun(data);
  if (run !== undefined) await writeMetrics(data, run as RunRecord, await findCurrent(data));
}

async function writeMetrics(data: string, run: RunRecord, current: FoundRelease | undefined): Promise<void> {
  const report = current && (await readReport(releaseFolder(data, current.id)).catch(() => undefined));
  await replaceFile(metricsPath(data), await formatMetrics(run, current, report));
}

function describeSync({ exitCode, start, end, built, report }: Ended): SyncEntry {
  return {
    started_at: start.toISOString().replace(/\.\d+Z$/, "Z"),
    seconds: Math.round((end.getTime() - start.getTime()) / 100) / 10,
    result: resultOf(exitCode, built !== undefined),
    release: built?.release ?? null,
    records: report?.rows.accepted ?? null,
    rejected: report?.rows.rejected ?? null,
  };
}

function resultOf(exitCode: number, isNew: boolean): SyncResultName {
  if (exitCode === exitCodes.done) return isNew ? "published" : "nothing_new";
  return exitCode === exitCodes.refused ? "refused" : "failed";
}

/** The line to print, and the release that the bucket or the data folder then has. */
export type Transferred = { readonly line: string; readonly release: string };

/** Where the metrics of a data folder's last publish or pull are: a sync may write its own at the same time. */
export function transferMetricsPath(data: string, name: "publish" | "pull"): string {
  return join(data, `${name}.prom`);
}

/** Does a publish or a pull and records how it ended, except when a pull finds the data folder locked; returns the line to print. */
export async function recordTransfer(
  name: "publish" | "pull",
  context: RunContext,
  work: () => Promise<Transferred>,
): Promise<string> {
  const path = transferMetricsPath(context.data, name);
  const started_at = context.clock().toISOString();
  const { line } = await recordEnd(context, path, work, async (exit_code, transferred) => {
    if (name === "pull" && exit_code === exitCodes.locked) return;
    const ended = { exit_code, started_at, ended_at: context.clock().toISOString() };
    const previous = await readFile(path, "utf8").catch(() => "");
    await replaceFile(path, await formatTransferMetrics(name, ended, transferred?.release, previous));
  });
  return line;
}
