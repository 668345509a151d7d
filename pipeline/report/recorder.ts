// Records how each sync ended, and refreshes the metrics made from that.
import { exitCodes } from "../failure.ts";
import { replaceFile } from "../files.ts";
import type { Progress } from "../progress.ts";
import { findCurrent } from "../releases/current.ts";
import { releaseFolder, releaseMoment } from "../releases/folders.ts";
import { formatMetrics, metricsPath } from "./metrics.ts";
import { readReport } from "./report.ts";
import { type BuildCost, type RunRecord, readRun, runPath } from "./run.ts";

/** What recording a run needs from outside. */
export type RunContext = {
  readonly data: string;
  readonly progress: Progress;
  readonly clock: () => Date;
  /** The exit code that a failure ends with. */
  readonly exitCodeOf: (error: unknown) => number;
};

/**
 * Does a sync's work and records how it ended, except when another sync is running: that one records itself. If the
 * record cannot be written, a successful sync warns and a failed one reports only its own error.
 */
export async function recordRun<Result extends { readonly isNew: boolean; readonly release: string }>(
  context: RunContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const { data, progress, clock } = context;
  const start = clock();
  try {
    const result = await work();
    const built = result.isNew ? measureBuild(result.release, progress) : undefined;
    await writeRun(data, { exitCode: exitCodes.done, start, end: clock(), built }).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      progress.note(`warning: the metrics in "${metricsPath(data)}" were not updated: ${message}`);
    });
    return result;
  } catch (error) {
    const exitCode = context.exitCodeOf(error);
    if (exitCode !== exitCodes.locked)
      await writeRun(data, { exitCode, start, end: clock(), built: undefined }).catch(() => {});
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
};

async function writeRun(data: string, { exitCode, start, end, built }: Ended): Promise<void> {
  const previous = await readRun(data);
  const current = await findCurrent(data).catch(() => undefined);
  const report = current && (await readReport(releaseFolder(data, current.id)).catch(() => undefined));
  const lastSuccess = previous?.last_success_at ?? (current ? releaseMoment(current.id) : null);
  const run: RunRecord = {
    exit_code: exitCode,
    started_at: start.toISOString(),
    ended_at: end.toISOString(),
    last_success_at: exitCode === exitCodes.done ? end.toISOString() : lastSuccess,
    built: built ?? previous?.built ?? null,
  };
  await replaceFile(runPath(data), `${JSON.stringify(run, null, 2)}\n`);
  await replaceFile(metricsPath(data), await formatMetrics(run, current?.id, report));
}
