// Formats the status of a release, for the server and for a bucket.
import { nextSync } from "../contract/schedule.ts";
import { version } from "../contract/version.ts";
import type { ReleaseFacts } from "./facts.ts";
import type { PublishedReport, YearTotals } from "./report.ts";

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
