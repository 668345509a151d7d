// Formats metrics for node_exporter's textfile collector: of the current release and the last sync, of the last publish and pull.
import { join } from "node:path";
import { Gauge, Registry } from "@prometheus-io/client";
import type { RuleFigures } from "../../api-static/contract/answers/matches.ts";
import type { FoundRelease } from "../releases/current.ts";
import { releaseMoment } from "../releases/folders.ts";
import { sizesOf } from "../releases/manifest.ts";
import type { Report } from "./report.ts";
import type { RunRecord } from "./run.ts";

/** Where the metrics of a data folder are. */
export function metricsPath(data: string): string {
  return join(data, "metrics.prom");
}

/**
 * The text of the file.
 * @param current the current release
 * @param report of the current release
 */
export function formatMetrics(
  run: RunRecord,
  current: FoundRelease | undefined,
  report: Report | undefined,
): Promise<string> {
  const registry = new Registry();
  addRun(registry, "sync", run, run.last_success_at === null ? 0 : secondsOf(run.last_success_at));
  if (current !== undefined) {
    const start = secondsOf(releaseMoment(current.id));
    add(registry, "grants_release", {
      timestamp_seconds: ["Unix time at which the sync of the current release started.", start],
      part_bytes: ["Size of the current release by part.", byLabel("part", sizesOf(current.manifest))],
    });
  }
  if (report !== undefined) {
    addReport(registry, report);
    addCost(registry, report, run);
  }
  return registry.metrics();
}

/**
 * The text of the file of a publish or a pull.
 * @param release that the bucket or the data folder now has; undefined if it failed
 * @param previous text of the file, whose last success is kept after a failure
 */
export function formatTransferMetrics(
  name: "publish" | "pull",
  run: EndedRun,
  release: string | undefined,
  previous: string,
): Promise<string> {
  const registry = new Registry();
  const before = (metric: string) =>
    Number(new RegExp(`^grants_${name}_${metric} (.+)$`, "m").exec(previous)?.[1] ?? 0);
  const isDone = release !== undefined;
  const lastSuccess = isDone ? secondsOf(run.ended_at) : before("last_success_timestamp_seconds");
  const moment = isDone ? secondsOf(releaseMoment(release)) : before("release_timestamp_seconds");
  addRun(registry, name, run, lastSuccess);
  add(registry, `grants_${name}`, {
    release_timestamp_seconds: [
      `Unix time of the release of the last successful ${name}.`,
      lastSuccess > 0 ? moment : [],
    ],
  });
  return registry.metrics();
}

type EndedRun = Pick<RunRecord, "exit_code" | "started_at" | "ended_at">;

function addRun(registry: Registry, command: string, run: EndedRun, lastSuccess: number): void {
  const start = secondsOf(run.started_at);
  const end = secondsOf(run.ended_at);
  const codes = "0 done or nothing new, 1 unexpected, 2 wrong input or setting, 3 refused, 4 locked";
  add(registry, `grants_${command}_last`, {
    success_timestamp_seconds: [
      `Unix time at which a ${command} last succeeded; 0 if none did.`,
      lastSuccess,
    ],
    run_timestamp_seconds: [`Unix time at which the last ${command} ended.`, end],
    run_exit_code: [`Exit code of the last ${command}: ${codes}.`, run.exit_code],
    run_duration_seconds: [`Duration of the last ${command}.`, end - start],
  });
}

function addReport(registry: Registry, report: Report): void {
  const { totals, rows, years, null_shares, pages, changes, matches } = report;
  const rejected = Object.entries(rows.rejected_by_reason).map(
    ([reason, count]): Sample => [{ outcome: "rejected", reason }, count],
  );
  const changed = (["added", "changed", "removed", "same"] as const).map(
    (change): Sample => [{ change }, changes[`funders_${change}`] ?? 0],
  );
  const byRule = (figureOf: (rule: RuleFigures) => number | null) =>
    (matches?.rules ?? []).flatMap((rule): Sample[] => {
      const value = figureOf(rule);
      return value === null ? [] : [[{ rule: rule.rule }, value]];
    });
  const newest = secondsOf(totals.newest_created_at);
  add(registry, "grants_release", {
    records: ["Grants in the current release.", totals.records],
    funders: ["Funders in the current release.", totals.funders],
    recipients: ["Recipients with an EIN in the current release.", totals.recipients],
    amount_dollars: ["Sum of all amounts, rounded to a float.", Number(totals.amount)],
    newest_created_timestamp_seconds: ["Newest created_at in the current release, as Unix time.", newest],
    rows: [
      "Rows of the warehouse by outcome; the reason is empty for accepted rows.",
      [[{ outcome: "accepted", reason: "" }, rows.accepted], ...rejected],
    ],
    year_records: [
      "Grants by transaction year.",
      byLabel("year", Object.fromEntries(years.map(({ year, records }) => [year, records]))),
    ],
    null_ratio: ["Share of grants whose column is null.", byLabel("column", null_shares)],
    pages: [
      "Page files, linked from the previous release or written.",
      byLabel("origin", { linked: pages.linked, written: pages.files - pages.linked }),
    ],
    changed_funders: ["Funders compared with the previous release.", changed],
    matched_records: ["Grants with a likely recipient.", matches?.matched ?? []],
    match_served: [
      "1 if the matches of the rule are part of the release.",
      byRule(({ served }) => Number(served)),
    ],
    match_records: ["Grants without an EIN that the rule matched.", byRule(({ records }) => records)],
    match_precision_low_ratio: [
      "Lower bound of the rule's precision.",
      byRule(({ precision }) => precision.low),
    ],
    match_agreement_ratio: ["Agreement with filed EINs.", byRule(({ agreement }) => agreement.share)],
  });
}

/** The cost of building the current release. If its record is lost, the report has the steps before verification. */
function addCost(registry: Registry, report: Report, { built }: RunRecord): void {
  const cost = built?.release === report.release ? built : undefined;
  const reported = Object.fromEntries(report.steps.map(({ name, seconds }) => [name, seconds]));
  add(registry, "grants_sync", {
    step_duration_seconds: [
      "Duration of each step of the sync that built the current release.",
      byLabel("step", cost?.step_seconds ?? reported),
    ],
    peak_memory_bytes: [
      "Peak memory of the sync that built the current release.",
      cost?.peak_memory_bytes ?? report.peak_memory_bytes,
    ],
  });
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** The help text of each metric, and its value, or a value for each set of labels. A metric without values is left out. */
type Metrics = Readonly<Record<string, readonly [help: string, values: number | readonly Sample[]]>>;

function byLabel(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => [{ [label]: key }, value]);
}

/** Adds metrics whose names start with a prefix. */
function add(registry: Registry, prefix: string, metrics: Metrics): void {
  for (const [name, [help, values]] of Object.entries(metrics)) {
    const samples: readonly Sample[] = typeof values === "number" ? [[{}, values]] : values;
    if (samples.length === 0) continue;
    const labelNames = Object.keys(samples[0]?.[0] ?? {});
    const gauge = new Gauge({ name: `${prefix}_${name}`, help, labelNames, registers: [registry] });
    for (const [labels, value] of samples) gauge.set(labels, value);
  }
}

function secondsOf(moment: string): number {
  return Date.parse(moment) / 1000;
}
