// Reads the published part of a release's report, and formats report and status: no paths, no example rows, no costs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  PublishedPages,
  ReleaseChanges,
  RepeatedGrants,
  RowCounts,
  SyncEntry,
} from "../contract/report.ts";
import { nextSync } from "../contract/schedule.ts";
import { version } from "../contract/version.ts";
import type { ReleaseFacts } from "./facts.ts";
import { parts } from "./layout.ts";

/** Grants of a year; `amount` is decimal text. */
export type YearTotals = { readonly year: number; readonly records: number; readonly amount: string };

/** The published part of a report. */
export type PublishedReport = {
  readonly rows: RowCounts;
  /** Newest first. */
  readonly years: readonly YearTotals[];
  readonly repeated: RepeatedGrants & {
    /** The years with repeated grants, newest first. */
    readonly years: readonly YearTotals[];
  };
  /** Number of the IRS's returns that grants are from; 0 if the warehouse names none. */
  readonly returns: number;
  readonly pages: PublishedPages;
  readonly changes: ReleaseChanges;
};

/** @throws Error if the release's folder has no report, or it is not JSON */
export function readPublishedReport(folder: string): PublishedReport {
  const text = readFileSync(join(folder, parts.report), "utf8");
  const { rows, years, repeated, returns, pages, changes } = JSON.parse(text) as PublishedReport;
  const { read, accepted, rejected, rejected_by_reason, recipient_ein_invalid } = rows;
  return {
    rows: { read, accepted, rejected, rejected_by_reason, recipient_ein_invalid },
    years,
    repeated,
    returns,
    pages: { files: pages.files, linked: pages.linked },
    changes,
  };
}

/** The body of /v1/report. @param syncs newest first */
export function formatReport(
  { release, synced_at }: { readonly release: string; readonly synced_at: string },
  { rows, repeated, changes, pages }: PublishedReport,
  syncs: readonly SyncEntry[],
): string {
  const { years: _, ...listed } = repeated;
  return JSON.stringify({ success: true, release, synced_at, rows, repeated: listed, changes, pages, syncs });
}

/** The facts in the status. The pipeline's manifest has them too. */
export type ReportedFacts = Omit<ReleaseFacts, "parts">;

/** The body of /v1/status. @param isScheduled whether a sync is known to start every night, @param syncMinutes and when */
export function formatStatus(
  facts: ReportedFacts,
  { years, repeated, returns }: Pick<PublishedReport, "years" | "repeated" | "returns">,
  now: Date,
  isScheduled: boolean,
  syncMinutes?: number,
): string {
  const {
    release,
    synced_at,
    synthetic,
    releases_kept,
    totals,
    names,
    places,
    causes,
    matches,
    likely_funders,
  } = facts;
  return JSON.stringify({
    success: true,
    version,
    release,
    synced_at,
    age_seconds: ageSeconds(facts, now),
    next_sync: nextSync(now, syncMinutes).toISOString().replace(".000Z", "Z"), // e.g., "2026-11-21T04:00:00Z"
    sync_scheduled: isScheduled,
    releases_kept,
    synthetic,
    ...totals,
    organizations: names.organizations,
    years: years.map(formatYear),
    repeated: {
      records: repeated.records,
      amount: repeated.amount,
      years: repeated.years.map(formatYear),
    },
    returns,
    places,
    causes,
    matches,
    likely_funders,
  });
}

function formatYear({ year, ...sums }: YearTotals) {
  return { transaction_year: year, ...sums };
}

/** Whole seconds since the sync that made the release. */
export function ageSeconds({ synced_at }: ReportedFacts, now: Date): number {
  return Math.max(0, Math.round((now.getTime() - Date.parse(synced_at)) / 1000));
}
