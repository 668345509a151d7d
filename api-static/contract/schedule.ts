// Owns the times of the nightly sync, by which caches live.

/** Minutes after midnight UTC at which the warehouse's table arrives. */
const syncMinutes = 4 * 60;

/** Minutes after midnight UTC by which a sync is surely done: caches keep answers until then. */
const syncEndMinutes = 4 * 60 + 30;

/** The next nightly sync. */
export function nextSync(now: Date): Date {
  return nextAt(syncMinutes, now);
}

/** Whole seconds until the end of the sync that will replace what is served now; at least 1. */
export function secondsToSyncEnd(now: Date): number {
  return Math.max(1, Math.ceil((nextAt(syncEndMinutes, now).getTime() - now.getTime()) / 1000));
}

/** The first moment after `now` that lies so many minutes after midnight UTC. */
function nextAt(minutes: number, now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 0, minutes);
  const day = 24 * 60 * 60 * 1000;
  return new Date(today > now.getTime() ? today : today + day);
}
