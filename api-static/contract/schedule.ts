// Computes the times of the nightly sync, which decide how long caches keep responses.
import { type Environment, readOneOf, readText, SettingError } from "./environment.ts";

/** The start of the nightly sync by default, in minutes after midnight UTC. */
const defaultSyncMinutes = 4 * 60;

/** Minutes until a nightly sync is expected to end. Caches keep responses until then. */
const expectedMinutes = 30;

const minutesOfDay = 24 * 60;

/** Age in hours from which the data count as late: a day and a slow sync. GrantsNightMissed in alerts.yml has the same limit. */
export const lateHours = 26;

/** Whether a sync is set to start every night, for the status. @throws SettingError */
export function readSyncScheduled(environment: Environment): boolean {
  return readOneOf(environment, "SYNC_SCHEDULED", ["0", "1"], "0") === "1";
}

/** When the nightly sync starts, in minutes after midnight UTC. @throws SettingError */
export function readSyncMinutes(environment: Environment): number {
  const text = readText(environment, "SYNC_AT", "04:00");
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes);
  throw new SettingError(`SYNC_AT must be a time of the day in UTC such as 04:00, got "${text}"`);
}

export function nextSync(now: Date, syncMinutes = defaultSyncMinutes): Date {
  return nextAt(syncMinutes, now);
}

/** Whole seconds until the next sync is expected to be done; at least 1. */
export function secondsToSyncEnd(now: Date, syncMinutes = defaultSyncMinutes): number {
  const end = nextAt((syncMinutes + expectedMinutes) % minutesOfDay, now);
  return Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
}

/** The first moment after `now` that is this many minutes after midnight UTC. */
function nextAt(minutes: number, now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 0, minutes);
  const day = minutesOfDay * 60 * 1000;
  return new Date(today > now.getTime() ? today : today + day);
}
