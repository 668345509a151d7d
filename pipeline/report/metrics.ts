// Formats metrics for node_exporter's textfile collector: of the current release and the last sync, of the last publish and pull.
import { join } from "node:path";
import { Gauge, Registry } from "@prometheus-io/client";
import type { RuleFigures } from "../../api-static/contract/matches.ts";
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
    add(
      registry,
      "grants_release_timestamp_seconds",
      "Unix time at which the sync of the current release started.",
      secondsOf(releaseMoment(current.id)),
    );
    add(
      registry,
      "grants_release_part_bytes",
      "Size of the current release by part.",
      byLabel("part", sizesOf(current.manifest)),
    );
  }
  if (report !== undefined) {
    addTotals(registry, report);
    addDistributions(registry, report);
    addMatches(registry, report);
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
  const releaseName = `grants_${name}_release_timestamp_seconds`;
  const before = (metric: string) => Number(new RegExp(`^${metric} (.+)$`, "m").exec(previous)?.[1] ?? 0);
  const isDone = release !== undefined;
  const lastSuccess = isDone ? secondsOf(run.ended_at) : before(lastSuccessName(name));
  addRun(registry, name, run, lastSuccess);
  if (lastSuccess > 0)
    add(
      registry,
      releaseName,
      `Unix time of the release of the last successful ${name}.`,
      isDone ? secondsOf(releaseMoment(release)) : before(releaseName),
    );
  return registry.metrics();
}

type EndedRun = Pick<RunRecord, "exit_code" | "started_at" | "ended_at">;

function lastSuccessName(command: string): string {
  return `grants_${command}_last_success_timestamp_seconds`;
}

function addRun(registry: Registry, command: string, run: EndedRun, lastSuccess: number): void {
  const [start, end] = [secondsOf(run.started_at), secondsOf(run.ended_at)];
  const lastRun = `grants_${command}_last_run`;
  add(
    registry,
    lastSuccessName(command),
    `Unix time at which a ${command} last succeeded; 0 if none did.`,
    lastSuccess,
  );
  add(registry, `${lastRun}_timestamp_seconds`, `Unix time at which the last ${command} ended.`, end);
  add(
    registry,
    `${lastRun}_exit_code`,
    `Exit code of the last ${command}: 0 done or nothing new, 1 unexpected, 2 wrong input or setting, 3 refused, 4 locked.`,
    run.exit_code,
  );
  add(registry, `${lastRun}_duration_seconds`, `Duration of the last ${command}.`, end - start);
}

function addTotals(registry: Registry, { totals }: Report): void {
  const addTotal = (name: string, help: string, value: number) =>
    add(registry, `grants_release_${name}`, help, value);
  addTotal("records", "Grants in the current release.", totals.records);
  addTotal("funders", "Funders in the current release.", totals.funders);
  addTotal("recipients", "Recipients with an EIN in the current release.", totals.recipients);
  addTotal("amount_dollars", "Sum of all amounts, rounded to a float.", Number(totals.amount));
  addTotal(
    "newest_created_timestamp_seconds",
    "Newest created_at in the current release, as Unix time.",
    secondsOf(totals.newest_created_at),
  );
}

function addDistributions(registry: Registry, report: Report): void {
  const { rows, pages, changes } = report;
  const addByLabel = (name: string, help: string, label: string, values: Readonly<Record<string, number>>) =>
    add(registry, `grants_release_${name}`, help, byLabel(label, values));
  add(
    registry,
    "grants_release_rows",
    "Rows of the warehouse by outcome; the reason is empty for accepted rows.",
    [
      [{ outcome: "accepted", reason: "" }, rows.accepted],
      ...Object.entries(rows.rejected_by_reason).map(
        ([reason, count]) => [{ outcome: "rejected", reason }, count] as const,
      ),
    ],
  );
  const years = Object.fromEntries(report.years.map(({ year, records }) => [year, records]));
  addByLabel("year_records", "Grants by transaction year.", "year", years);
  addByLabel("null_ratio", "Share of grants whose column is null.", "column", report.null_shares);
  addByLabel("pages", "Page files, linked from the previous release or written.", "origin", {
    linked: pages.linked,
    written: pages.files - pages.linked,
  });
  addByLabel("changed_funders", "Funders compared with the previous release.", "change", {
    added: changes.funders_added ?? 0,
    changed: changes.funders_changed ?? 0,
    removed: changes.funders_removed ?? 0,
    same: changes.funders_same ?? 0,
  });
}

/** Without rules there are no samples by rule. */
function addMatches(registry: Registry, { matches }: Report): void {
  if (matches === null) return;
  const { matched, rules } = matches;
  const addByRule = (name: string, help: string, figureOf: (rule: RuleFigures) => number | null) => {
    const samples = rules.flatMap((rule): Sample[] => {
      const value = figureOf(rule);
      return value === null ? [] : [[{ rule: rule.rule }, value]];
    });
    if (samples.length > 0) add(registry, `grants_release_match_${name}`, help, samples);
  };
  add(registry, "grants_release_matched_records", "Grants with a likely recipient.", matched);
  addByRule("served", "1 if the matches of the rule are part of the release.", ({ served }) =>
    Number(served),
  );
  addByRule("records", "Grants without an EIN that the rule matched.", ({ records }) => records);
  addByRule("precision_low_ratio", "Lower bound of the rule's precision.", ({ precision }) => precision.low);
  addByRule("agreement_ratio", "Agreement with filed EINs.", ({ agreement }) => agreement.share);
}

/** The cost of building the current release. If its record is lost, the report has the steps before verification. */
function addCost(registry: Registry, report: Report, { built }: RunRecord): void {
  const cost = built?.release === report.release ? built : undefined;
  const reported = Object.fromEntries(report.steps.map(({ name, seconds }) => [name, seconds]));
  add(
    registry,
    "grants_sync_step_duration_seconds",
    "Duration of each step of the sync that built the current release.",
    byLabel("step", cost?.step_seconds ?? reported),
  );
  add(
    registry,
    "grants_sync_peak_memory_bytes",
    "Peak memory of the sync that built the current release.",
    cost?.peak_memory_bytes ?? report.peak_memory_bytes,
  );
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

function byLabel(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => [{ [label]: key }, value]);
}

/** Adds a metric with one value, or with a value for each set of labels. */
function add(registry: Registry, name: string, help: string, values: number | readonly Sample[]): void {
  const samples = typeof values === "number" ? [[{}, values] as const] : values;
  const labelNames = Object.keys(samples[0]?.[0] ?? {});
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const [labels, value] of samples) gauge.set(labels, value);
}

function secondsOf(moment: string): number {
  return Date.parse(moment) / 1000;
}
