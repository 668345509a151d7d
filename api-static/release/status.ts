// Formats the status of a release, which a server and a bucket answer.
import { nextSync } from "../contract/schedule.ts";
import { version } from "../contract/version.ts";
import type { ReleaseFacts } from "./facts.ts";
import type { PublishedReport } from "./report.ts";

/** What is reported of the current release. */
export type ReportedFacts = Omit<ReleaseFacts, "parts" | "totals"> & {
  readonly totals: Readonly<Record<string, unknown>>;
};

/** The body of /v1/status. */
export function formatStatus(
  facts: ReportedFacts,
  report: Pick<PublishedReport, "years">,
  now: Date,
): string {
  const { release, synced_at, totals, names } = facts;
  return JSON.stringify({
    ...{ success: true, version, release, synced_at, age_seconds: ageSeconds(facts, now) },
    next_sync: nextSync(now).toISOString().replace(".000Z", "Z"), // e.g., "2026-11-21T04:00:00Z"
    ...totals,
    organizations: names.organizations,
    years: report.years.map(({ year, ...sums }) => ({ transaction_year: year, ...sums })),
  });
}

/** Whole seconds since the sync that made the release. */
export function ageSeconds({ synced_at }: ReportedFacts, now: Date): number {
  return Math.max(0, Math.round((now.getTime() - Date.parse(synced_at)) / 1000));
}
