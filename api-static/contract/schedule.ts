// Computes the times of the nightly sync, which decide how long caches keep responses.
import { type Environment, readOneOf } from "./environment.ts";

/** The start of the nightly sync, in minutes after midnight UTC. */
const syncMinutes = 4 * 60;

/** The expected end of the nightly sync, in minutes after midnight UTC. Caches keep responses until then. */
const syncEndMinutes = 4 * 60 + 30;

/** Age in hours from which the data count as late: a day and a slow sync. GrantsNightMissed in alerts.yml has the same limit. */
export const lateHours = 26;

/** Whether a sync is set to start every night, for the status. @throws SettingError */
export function readSyncScheduled(environment: Environment): boolean {
  return readOneOf(environment, "SYNC_SCHEDULED", ["0", "1"], "0") === "1";
}

export function nextSync(now: Date): Date {
  return nextAt(syncMinutes, now);
}

/** Whole seconds until the next sync is expected to be done; at least 1. */
export function secondsToSyncEnd(now: Date): number {
  return Math.max(1, Math.ceil((nextAt(syncEndMinutes, now).getTime() - now.getTime()) / 1000));
}

/** The first moment after `now` that is this many minutes after midnight UTC. */
function nextAt(minutes: number, now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 0, minutes);
  const day = 24 * 60 * 60 * 1000;
  return new Date(today > now.getTime() ? today : today + day);
}
