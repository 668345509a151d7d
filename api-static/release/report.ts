// Reads and formats the published part of a release's report: no paths, no example rows, no costs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PublishedPages, ReleaseChanges, RepeatedGrants, RowCounts } from "../contract/report.ts";
import type { SyncEntry } from "../contract/syncs.ts";
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
