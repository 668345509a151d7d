// Reports the status of the release, its report, and whether the server is ready.
import { nextSync } from "../../contract/schedule.ts";
import type { SyncEntry } from "../../contract/syncs.ts";
import type { ReleaseFacts } from "../../release/releaseFiles.ts";
import type { PublishedReport } from "../../release/report.ts";

/** What is reported of the current release. */
type ReportedFacts = Omit<ReleaseFacts, "parts">;

/** The body of /v1/status. */
export function formatStatus(
  facts: ReportedFacts,
  report: Pick<PublishedReport, "years">,
  now: Date,
): string {
  const { release, synced_at, totals, names } = facts;
  const next_sync = formatInstant(nextSync(now));
  const age_seconds = ageSeconds(facts, now);
  const years = report.years.map(({ year, ...sums }) => ({ transaction_year: year, ...sums }));
  const { organizations } = names;
  return JSON.stringify({
    success: true,
    release,
    synced_at,
    age_seconds,
    next_sync,
    ...totals,
    organizations,
    years,
  });
}

/**
 * The body of /v1/report.
 * @param syncs newest first
 */
export function formatReport(
  { release, synced_at }: ReportedFacts,
  { rows, changes, pages }: PublishedReport,
  syncs: readonly SyncEntry[],
): string {
  return JSON.stringify({ success: true, release, synced_at, rows, changes, pages, syncs });
}

/** Whole seconds since the sync that made the release. */
export function ageSeconds({ synced_at }: ReportedFacts, now: Date): number {
  return Math.max(0, Math.round((now.getTime() - Date.parse(synced_at)) / 1000));
}

/** The error message while there is no release. */
export const noRelease = "no release is open yet; try again in a few seconds";

/** Why a server with this release should get no requests; undefined if it is ready. */
export function findUnreadiness(
  facts: ReportedFacts | undefined,
  now: Date,
  readyHours: number,
): string | undefined {
  if (facts === undefined) return noRelease;
  const age = ageSeconds(facts, now);
  if (age <= readyHours * 3600) return undefined;
  return `release ${facts.release} is ${Math.floor(age / 3600)} hours old; the limit is ${readyHours} hours`;
}

/** e.g., "2026-11-21T04:00:00Z" */
function formatInstant(moment: Date): string {
  return moment.toISOString().replace(".000Z", "Z");
}
