// Reads and formats the published part of a release's report: no paths, no example rows, no costs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RejectReason } from "../contract/rejects.ts";
import type { SyncEntry } from "../contract/syncs.ts";
import { parts } from "./layout.ts";

/** Counts of the warehouse's rows; `read` is `accepted` plus `rejected`. */
export type RowCounts = {
  readonly read: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Every reason, also those with no row. */
  readonly rejected_by_reason: Readonly<Record<RejectReason, number>>;
  /** Accepted rows whose recipient_ein is not an EIN; it became null. */
  readonly recipient_ein_invalid: number;
};

/** Grants of a year; `amount` is decimal text. */
export type YearTotals = { readonly year: number; readonly records: number; readonly amount: string };

/** Differences from the previous release, `since`. If there is none, everything is new. */
export type ReleaseChanges = {
  readonly since: string | null;
  /** Null for a refused release: funders are compared while the release is built. */
  readonly funders_added: number | null;
  readonly funders_changed: number | null;
  readonly funders_removed: number | null;
  readonly funders_same: number | null;
  readonly records_difference: number;
  /** Decimal text. */
  readonly amount_difference: string;
};

/** The published part of a report. */
export type PublishedReport = {
  readonly rows: RowCounts;
  /** Newest first. */
  readonly years: readonly YearTotals[];
  /** `linked`: files shared with the previous release. */
  readonly pages: { readonly files: number; readonly linked: number };
  readonly changes: ReleaseChanges;
};

/** @throws Error if the release's folder has no report, or it is not JSON */
export function readPublishedReport(folder: string): PublishedReport {
  const text = readFileSync(join(folder, parts.report), "utf8");
  const { rows, years, pages, changes } = JSON.parse(text) as PublishedReport;
  const { read, accepted, rejected, rejected_by_reason, recipient_ein_invalid } = rows;
  return {
    rows: { read, accepted, rejected, rejected_by_reason, recipient_ein_invalid },
    years,
    pages: { files: pages.files, linked: pages.linked },
    changes,
  };
}

/** The body of /v1/report. @param syncs newest first */
export function formatReport(
  { release, synced_at }: { readonly release: string; readonly synced_at: string },
  { rows, changes, pages }: PublishedReport,
  syncs: readonly SyncEntry[],
): string {
  return JSON.stringify({ success: true, release, synced_at, rows, changes, pages, syncs });
}
