// Reports on the release, and whether the server is ready.
import type { SyncEntry } from "../../contract/syncs.ts";
import type { PublishedReport } from "../../release/report.ts";
import { ageSeconds, type ReportedFacts } from "../../release/status.ts";

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
