// Owns the report of a sync: what was read, accepted, rejected and why, and the time and memory it took.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parts } from "../api-static/layout.ts";
import type { Built } from "./build.ts";
import type { ChangeCounts } from "./changes.ts";
import type { Totals } from "./manifest.ts";
import type { RejectReason } from "./normalise.ts";
import type { PageCounts } from "./pages.ts";
import type { Step } from "./progress.ts";
import type { Warehouse } from "./warehouse.ts";

export type Report = {
  readonly release: string;
  readonly rows: {
    readonly read: number;
    readonly accepted: number;
    readonly rejected: number;
    readonly rejected_by_reason: Readonly<Record<RejectReason, number>>;
    readonly recipient_ein_invalid: number;
  };
  readonly unknown_columns: readonly string[];
  readonly totals: Totals;
  /** `linked`: files taken over from the release before. */
  readonly pages: PageCounts & { readonly linked: number };
  readonly changes: ChangeCounts;
  readonly steps: readonly Step[];
  readonly seconds: number;
  /** Most memory the whole process held at once. */
  readonly peak_memory_bytes: number;
};

/** Writes `report.json` into a release's folder and returns what it says. */
export async function writeReport(
  folder: string,
  release: string,
  warehouse: Warehouse,
  built: Built,
  steps: readonly Step[],
  seconds: number,
): Promise<Report> {
  const { read, accepted, rejected, recipientEinInvalid } = built.ingested;
  const report: Report = {
    release,
    rows: {
      read,
      accepted,
      rejected: read - accepted,
      rejected_by_reason: rejected,
      recipient_ein_invalid: recipientEinInvalid,
    },
    unknown_columns: warehouse.unknownColumns,
    totals: built.totals,
    pages: { ...built.pages, linked: built.linked },
    changes: built.changes,
    steps,
    seconds,
    peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
  };
  await writeFile(join(folder, parts.report), `${JSON.stringify(report, null, 2)}\n`);
  return report;
}
