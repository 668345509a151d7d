// Judges whether the data are up to date: by the result of the last sync, the rule of the operators' alert, and the newest filing.

import type { SyncEntry } from "../../../api-static/contract/answers/report.ts";
import { lateHours } from "../../../api-static/contract/schedule.ts";
import type { Status } from "../api/client.ts";
import { formatDay, formatMinuteOfYear } from "../text/numbers.ts";
import { formatDuration, formatMonths } from "./phrases.ts";

export type Verdict = {
  readonly name: "current" | "late";
  readonly label: "Up to date" | "Synced" | "Late" | "Old filings";
  /** Why the data are late or old. */
  readonly reason?: string;
};

/** Age in days from which the newest filing counts as old. The IRS publishes returns every month, with gaps of a few months. */
const oldDays = 183;

type Judged = Pick<Status, "synced_at" | "newest_created_at" | "sync_scheduled">;

/**
 * The verdict on the release that is served. A sync can only be late if syncs are scheduled.
 * @param syncs newest first; may be empty if the history is lost
 * @param now by the server's clock
 */
export function judge(status: Judged, syncs: readonly SyncEntry[], now: Date): Verdict {
  const { synced_at: syncedAt, newest_created_at: newest, sync_scheduled: isScheduled } = status;
  const [last] = syncs;
  if (last !== undefined && (last.result === "refused" || last.result === "failed")) {
    const how = last.result === "refused" ? "was refused by a quality check" : "failed";
    return late(
      `The sync of ${formatMinuteOfYear(last.started_at)} UTC ${how}, so this release is still served.`,
    );
  }
  const successes = syncs.filter(({ result }) => result === "published" || result === "nothing_new");
  const lastSuccess = Math.max(Date.parse(syncedAt), ...successes.map(findEnd));
  const seconds = (now.getTime() - lastSuccess) / 1000;
  if (isScheduled && seconds > lateHours * 3600)
    return late(`No sync has succeeded for ${formatDuration(seconds)}.`);
  const filingSeconds = (now.getTime() - Date.parse(newest)) / 1000;
  if (filingSeconds > oldDays * 86_400) {
    const reason = `The newest filing is from ${formatDay(newest)}, ${formatMonths(filingSeconds)} ago.`;
    return { name: "late", label: "Old filings", reason };
  }
  return { name: "current", label: isScheduled ? "Up to date" : "Synced" };
}

function late(reason: string): Verdict {
  return { name: "late", label: "Late", reason };
}

/** When a sync ended, in milliseconds. */
function findEnd({ started_at, seconds }: SyncEntry): number {
  return Date.parse(started_at) + seconds * 1000;
}
