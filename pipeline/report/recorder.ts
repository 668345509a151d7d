// Records how each sync ended, and writes the metrics of the last one and of the current release.
import { type SyncEntry, type SyncResultName, syncsKept } from "../../api-static/contract/syncs.ts";
import { runPath } from "../../api-static/release/syncHistory.ts";
import { exitCodes } from "../base/failure.ts";
import { replaceFile } from "../base/files.ts";
import type { Progress } from "../base/progress.ts";
import { type FoundRelease, findCurrent } from "../releases/current.ts";
import { refusedFolder, releaseFolder, releaseMoment } from "../releases/folders.ts";
import { formatMetrics, metricsPath } from "./metrics.ts";
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
 * Does a sync's work and records how it ended, except when another sync is running: that one records itself. If the
 * record cannot be written, a successful sync warns and a failed one reports only its own error.
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
  try {
    const result = await work();
    const built = result.isNew ? measureBuild(result.release, progress) : undefined;
    const { report } = result;
    const ended = { exitCode: exitCodes.done, start, end: clock(), built, report };
    await writeRun(data, ended).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      progress.note(`warning: the metrics in "${metricsPath(data)}" were not updated: ${message}`);
    });
    return result;
  } catch (error) {
    const exitCode = context.exitCodeOf(error);
    if (exitCode !== exitCodes.locked) {
      const refused = exitCode === exitCodes.refused ? readReport(refusedFolder(data)) : undefined;
      const report = await refused?.catch(() => undefined);
      await writeRun(data, { exitCode, start, end: clock(), built: undefined, report }).catch(() => {});
    }
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
