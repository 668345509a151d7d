// Owns `metrics.prom`: the figures of the current release and of the last run, for node_exporter's textfile collector.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exitCodes } from "../failure.ts";
import type { Progress } from "../progress.ts";
import { findCurrent } from "../releases/current.ts";
import { releaseFolder, releaseMoment } from "../releases/folders.ts";
import { type Report, readReport } from "./report.ts";

/** A sync that ran, whatever came of it. */
export type Run = {
  readonly exitCode: number;
  readonly start: Date;
  readonly end: Date;
  /** Steps and memory of a run that made a release. */
  readonly progress: Progress | undefined;
};

/** What a run needs from outside to be recorded. */
export type RunContext = {
  readonly data: string;
  readonly progress: Progress;
  readonly clock: () => Date;
  /** The exit code that a failure ends with. */
  readonly exitCodeOf: (error: unknown) => number;
};

const successName = "grants_sync_last_success_timestamp_seconds";
/** Figures of the run that made the current release; they stay until another makes one. */
const keptNames = ["grants_sync_step_duration_seconds", "grants_sync_peak_memory_bytes"] as const;

/**
 * Does a sync's work and writes what came of it; a run that found another at work leaves the file to that one.
 * A file that cannot be written is noted after a success, and passed over after a failure, which says more.
 */
export async function recordRun<Result extends { readonly isNew: boolean }>(
  context: RunContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const { data, progress, clock } = context;
  const start = clock();
  try {
    const result = await work();
    const run = {
      exitCode: exitCodes.done,
      start,
      end: clock(),
      progress: result.isNew ? progress : undefined,
    };
    await writeMetrics(data, run).catch((error: unknown) => {
      progress.note(`warning: ${metricsPath(data)} was not written: ${messageOf(error)}`);
    });
    return result;
  } catch (error) {
    const exitCode = context.exitCodeOf(error);
    const run = { exitCode, start, end: clock(), progress: undefined };
    if (exitCode !== exitCodes.locked) await writeMetrics(data, run).catch(() => {});
    throw error;
  }
}

/** Where the figures of a data folder stand. */
export function metricsPath(data: string): string {
  return join(data, "metrics.prom");
}

/** Writes the figures aside, then renames them: whoever reads sees the old ones or the new ones, whole. */
async function writeMetrics(data: string, run: Run): Promise<void> {
  const path = metricsPath(data);
  const previous = await readFile(path, "utf8").catch(() => "");
  const current = await findCurrent(data).catch(() => undefined);
  const report = current && (await readReport(releaseFolder(data, current.id)).catch(() => undefined));
  const draft = `${path}.next`; // one name, so that the next run replaces what a killed one left; not ".prom", the collector passes it over
  try {
    await writeFile(draft, formatMetrics(run, current?.id, report, previous), { flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

type Labels = Readonly<Record<string, string>>;
type Family = {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly (readonly [Labels, number])[];
};

/**
 * The text of the file.
 * @param current id of the current release
 * @param report of the current release
 * @param previous the file as it was, which tells the last success and the steps of the run that made the release
 */
export function formatMetrics(
  run: Run,
  current: string | undefined,
  report: Report | undefined,
  previous: string,
): string {
  const families = [
    ...runFamilies(run, current, previous),
    ...(current === undefined ? [] : [releaseFamily(current)]),
    ...(report === undefined ? [] : [...releaseFamilies(report), ...costFamilies(report, run, previous)]),
  ];
  return families.map(formatFamily).join("");
}

function runFamilies(run: Run, current: string | undefined, previous: string): Family[] {
  const end = run.end.getTime() / 1000;
  const released = current === undefined ? 0 : secondsOf(releaseMoment(current));
  const success = run.exitCode === exitCodes.done ? end : (findSample(previous, successName) ?? released);
  return [
    gauge(successName, "Unix time at which a sync last ended well; 0 when none did.", success),
    gauge("grants_sync_last_run_timestamp_seconds", "Unix time at which the last sync ended.", end),
    gauge(
      "grants_sync_last_run_exit_code",
      "Exit code of the last sync: 0 done or nothing new, 1 unexpected, 2 input at fault, 3 refused.",
      run.exitCode,
    ),
    gauge(
      "grants_sync_last_run_duration_seconds",
      "Time that the last sync took.",
      end - run.start.getTime() / 1000,
    ),
  ];
}

function releaseFamily(id: string): Family {
  const name = "grants_release_timestamp_seconds";
  return gauge(
    name,
    "Unix time at which the sync of the current release began.",
    secondsOf(releaseMoment(id)),
  );
}

function releaseFamilies(report: Report): Family[] {
  const { rows, totals, pages, changes } = report;
  const rejected = Object.entries(rows.rejected_by_reason);
  const made = pages.files - pages.linked;
  return [
    {
      name: "grants_release_rows",
      help: "Rows of the warehouse by what became of them; the reason is empty for accepted ones.",
      samples: [
        [{ outcome: "accepted", reason: "" }, rows.accepted],
        ...rejected.map(([reason, count]) => [{ outcome: "rejected", reason }, count] as const),
      ],
    },
    gauge("grants_release_records", "Grants of the current release.", totals.records),
    gauge("grants_release_funders", "Funders of the current release.", totals.funders),
    gauge("grants_release_recipients", "Recipients with an EIN of the current release.", totals.recipients),
    gauge("grants_release_amount_dollars", "Sum of all amounts, rounded to a float.", Number(totals.amount)),
    gauge(
      "grants_release_newest_created_timestamp_seconds",
      "Newest created_at of the current release, as Unix time.",
      secondsOf(totals.newest_created_at),
    ),
    labelled("grants_release_year_records", "Grants by transaction year.", "year", yearEntries(report)),
    labelled(
      "grants_release_null_ratio",
      "Share of grants whose column is null.",
      "column",
      report.null_shares,
    ),
    labelled("grants_release_pages", "Page files, linked from the release before or written.", "origin", {
      linked: pages.linked,
      written: made,
    }),
    labelled("grants_release_changed_funders", "Funders against the release before.", "change", {
      added: changes.funders_added ?? 0,
      changed: changes.funders_changed ?? 0,
      removed: changes.funders_removed ?? 0,
      same: changes.funders_same ?? 0,
    }),
  ];
}

function yearEntries(report: Report): Record<string, number> {
  return Object.fromEntries(report.years.map(({ year, records }) => [String(year), records]));
}

/** What the current release took; of a run that made none, the figures of before stay. */
function costFamilies(report: Report, run: Run, previous: string): Family[] {
  const [stepName, memoryName] = keptNames;
  const isSame =
    findSample(previous, "grants_release_timestamp_seconds") === secondsOf(releaseMoment(report.release));
  const keptSteps = isSame ? findLabelled(previous, stepName) : [];
  const madeSteps = (run.progress?.steps ?? report.steps).map(
    ({ name, seconds }) => [name, seconds] as const,
  );
  const steps = run.progress === undefined && keptSteps.length > 0 ? keptSteps : madeSteps;
  const keptMemory = isSame ? findSample(previous, memoryName) : undefined;
  const memory = run.progress === undefined ? keptMemory : process.resourceUsage().maxRSS * 1024;
  const written = report.steps.map((step) => [step.name, step.written_bytes] as const);
  return [
    labelled(
      stepName,
      "Time by step of the sync that made the current release.",
      "step",
      Object.fromEntries(steps),
    ),
    labelled(
      "grants_sync_step_written_bytes",
      "Bytes of the release written by step.",
      "step",
      Object.fromEntries(written),
    ),
    gauge(
      memoryName,
      "Most memory that the sync of the current release held.",
      memory ?? report.peak_memory_bytes,
    ),
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, samples: [[{}, value]] };
}

function labelled(
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Family {
  return { name, help, samples: Object.entries(values).map(([key, value]) => [{ [label]: key }, value]) };
}

/** Labels come from constants of ours, years and step names: nothing in them needs an escape. */
function formatFamily({ name, help, samples }: Family): string {
  const lines = samples.map(([labels, value]) => {
    const list = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${list.length === 0 ? "" : `{${list.join(",")}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

function findSample(text: string, name: string): number | undefined {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  const value = Number(line?.slice(name.length + 1));
  return line === undefined || Number.isNaN(value) ? undefined : value;
}

function findLabelled(text: string, name: string): (readonly [string, number])[] {
  return text.split("\n").flatMap((line) => {
    const [, found, label, value] = /^(\w+)\{\w+="([^"]*)"\} (\S+)$/.exec(line) ?? [];
    return found === name && label !== undefined ? [[label, Number(value)] as const] : [];
  });
}

function secondsOf(moment: string): number {
  return Date.parse(moment) / 1000;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
