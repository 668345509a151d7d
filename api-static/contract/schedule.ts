// Computes the times of the nightly sync, which decide how long caches keep responses.

/** When the warehouse's table arrives, in minutes after midnight UTC. */
const syncMinutes = 4 * 60;

/** When a sync is expected to be done, in minutes after midnight UTC. Caches keep responses until then. */
const syncEndMinutes = 4 * 60 + 30;

/**
 * Hours after the last successful sync at which the data count as late: a night, and time for a slow sync. The alert
 * GrantsNightMissed (deploy/prometheus/alerts.yml) has the same limit.
 */
export const lateHours = 26;

/** The start of the next nightly sync. */
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
