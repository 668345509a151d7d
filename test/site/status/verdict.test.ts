// Tests the verdict of the Status page: at, below and above the limit that the alerts have, and after each kind of sync.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lateHours } from "../../../api-static/contract/schedule.ts";
import type { SyncEntry, SyncResultName } from "../../../api-static/contract/syncs.ts";
import { judge } from "../../../site/src/status/verdict.ts";

const syncedAt = "2026-11-20T04:00:00Z";
const hoursLater = (hours: number) => new Date(Date.parse(syncedAt) + hours * 3_600_000);

function sync(result: SyncResultName, started_at: string, seconds = 60): SyncEntry {
  return { started_at, seconds, result, release: null, records: null, rejected: null };
}

describe("judge", () => {
  it("has the limit of the alert that pages the operators", () => {
    const alerts = readFileSync(new URL("../../../deploy/prometheus/alerts.yml", import.meta.url), "utf8");
    expect(alerts).toContain(`time() - grants_sync_last_success_timestamp_seconds > ${lateHours} * 3600`);
  });

  it("finds a release up to date until the limit, and late one second after it", () => {
    expect(judge(syncedAt, [], hoursLater(26))).toStrictEqual({ name: "current", label: "Up to date" });
    expect(judge(syncedAt, [], hoursLater(26 + 1 / 3600))).toStrictEqual({
      name: "late",
      label: "Late",
      reason: "No sync has succeeded for 1 day 2 hours.",
    });
  });

  it("counts from the end of the last sync that succeeded, also if it found nothing new", () => {
    const nothing = sync("nothing_new", "2026-11-21T04:00:00Z", 1800);
    expect(judge(syncedAt, [nothing], hoursLater(50)).name).toBe("current");
    expect(judge(syncedAt, [nothing], hoursLater(50.6)).name).toBe("late");
  });

  it.each([
    [
      "refused",
      /^The sync of Nov 21, 4:00\sAM UTC was refused by a quality check, so this release is still served\.$/,
    ],
    ["failed", /^The sync of Nov 21, 4:00\sAM UTC failed, so this release is still served\.$/],
  ] as const)("says that the last sync was %s, however young the release is", (result, reason) => {
    const syncs = [sync(result, "2026-11-21T04:00:00Z"), sync("published", syncedAt)];
    const verdict = judge(syncedAt, syncs, hoursLater(24.5));
    expect(verdict.name).toBe("late");
    expect(verdict.reason).toMatch(reason);
  });

  it("ignores a failure once a later sync succeeded", () => {
    const syncs = [sync("published", "2026-11-21T05:00:00Z"), sync("failed", "2026-11-21T04:00:00Z")];
    expect(judge("2026-11-21T05:00:00Z", syncs, hoursLater(26)).name).toBe("current");
  });
});
