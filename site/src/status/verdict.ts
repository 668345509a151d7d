// Judges whether the data are up to date, by the rule of the operators' alert and by the result of the last sync.
import { lateHours } from "../../../api-static/contract/schedule.ts";
import type { SyncEntry } from "../../../api-static/contract/syncs.ts";
import { formatMinuteOfYear } from "../text/numbers.ts";
import { formatDuration } from "./phrases.ts";

export type Verdict = {
  readonly name: "current" | "late";
  readonly label: "Up to date" | "Late";
  /** Why the data are late. */
  readonly reason?: string;
};

/**
 * The verdict on a release.
 * @param syncedAt when the sync of the release that is served began
 * @param syncs newest first; may be empty if the history is lost
 * @param now by the server's clock
 */
export function judge(syncedAt: string, syncs: readonly SyncEntry[], now: Date): Verdict {
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
  if (seconds > lateHours * 3600) return late(`No sync has succeeded for ${formatDuration(seconds)}.`);
  return { name: "current", label: "Up to date" };
}

function late(reason: string): Verdict {
  return { name: "late", label: "Late", reason };
}

/** When a sync ended, in milliseconds. */
function findEnd({ started_at, seconds }: SyncEntry): number {
  return Date.parse(started_at) + seconds * 1000;
}
