// Reads the facts about a release from its manifest, and the published part of its report; and formats report and status.
import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LikelyFundersFacts } from "../contract/answers/likelyFunders.ts";
import type { MatchFacts } from "../contract/answers/matches.ts";
import type {
  CauseFacts,
  Places,
  PublishedPages,
  ReleaseChanges,
  RepeatedGrants,
  RowCounts,
  SyncEntry,
} from "../contract/answers/report.ts";
import { nextSync } from "../contract/schedule.ts";
import { version } from "../contract/version.ts";
import { type PartRow, parts, partTable, releaseIdPattern, schemaVersion } from "./layout.ts";

/** The facts in a release's manifest that the server uses. */
export type ReleaseFacts = {
  readonly release: string;
  readonly synced_at: string;
  /** True if the warehouse marks its grants as made up. */
  readonly synthetic: boolean;
  /** Number of releases that the sync was set to keep, including this one. */
  readonly releases_kept: number;
  readonly totals: Readonly<Record<string, unknown>>;
  /** Counts of organizations, of their profiles, and of funders with a name. */
  readonly names: { readonly organizations: number; readonly profiles: number; readonly funders: number };
  readonly places: Places;
  readonly causes: CauseFacts;
  readonly matches: MatchFacts;
  readonly likely_funders: LikelyFundersFacts;
  /** The sealed sizes and SHA-256 digests of the release's files, page files excepted, by path. */
  readonly parts: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
};

/** @throws Error if another version made the release, or a part is missing or does not have its sealed size */
export async function readFacts(folder: string): Promise<ReleaseFacts> {
  const { schema_version: version, ...facts } = JSON.parse(
    await readFile(join(folder, parts.manifest), "utf8"),
  ) as ReleaseFacts & { readonly schema_version?: number };
  if (!releaseIdPattern.test(facts.release)) throw new Error(`${parts.manifest} does not name a release`);
  if (version !== schemaVersion)
    throw new Error(
      `its schema_version is ${version}, but this version of the server reads ${schemaVersion}`,
    );
  for (const { file: part, isServed } of Object.values<PartRow>(partTable)) {
    if (!isServed) continue;
    const { size } = await stat(join(folder, part));
    const sealed = facts.parts[part]?.bytes;
    if (size !== sealed) throw new Error(`${part} has ${size} bytes; the manifest says ${sealed}`);
  }
  return facts;
}

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
