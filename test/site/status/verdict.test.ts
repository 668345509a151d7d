// Tests the verdict of the Status page: at, below and above the limit that the alerts have, and after each kind of sync.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SyncEntry, SyncResultName } from "../../../api-static/contract/answers/report.ts";
import { lateHours } from "../../../api-static/contract/schedule.ts";
import { judge } from "../../../site/src/status/verdict.ts";

const syncedAt = "2026-11-20T04:00:00Z";
/** A release with a young filing, on a server with a nightly sync. */
const release = (synced_at = syncedAt) => ({
  synced_at,
  newest_created_at: "2026-11-01T00:00:00Z",
  sync_scheduled: true,
});
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
    expect(judge(release(), [], hoursLater(26))).toStrictEqual({ name: "current", label: "Up to date" });
    expect(judge(release(), [], hoursLater(26 + 1 / 3600))).toStrictEqual({
      name: "late",
      label: "Late",
      reason: "No sync has succeeded for 1 day 2 hours.",
    });
  });

  it("finds no sync late, and none up to date, if none is scheduled", () => {
    const unscheduled = { ...release(), sync_scheduled: false };
    expect(judge(unscheduled, [], hoursLater(500))).toStrictEqual({ name: "current", label: "Synced" });
    expect(judge(unscheduled, [sync("failed", syncedAt)], hoursLater(1)).label).toBe("Late");
  });

  it("never finds old filings up to date, however young the release is", () => {
    const of = (newest_created_at: string) => judge({ ...release(), newest_created_at }, [], hoursLater(1));
    expect(of("2024-02-14T00:00:00Z")).toStrictEqual({
      name: "late",
      label: "Old filings",
      reason: "The newest filing is from Feb 14, 2024, 33 months ago.",
    });
    expect(of("2026-05-22T00:00:00Z").label).toBe("Up to date");
    expect(of("2026-05-20T00:00:00Z")).toMatchObject({ label: "Old filings", reason: /6 months ago/ });
  });

  it("counts from the end of the last sync that succeeded, also if it found nothing new", () => {
    const nothing = sync("nothing_new", "2026-11-21T04:00:00Z", 1800);
    expect(judge(release(), [nothing], hoursLater(50)).name).toBe("current");
    expect(judge(release(), [nothing], hoursLater(50.6)).name).toBe("late");
  });

  it.each([
    [
      "refused",
      /^The sync of Nov 21, 4:00\sAM UTC was refused by a quality check, so this release is still served\.$/,
    ],
    ["failed", /^The sync of Nov 21, 4:00\sAM UTC failed, so this release is still served\.$/],
  ] as const)("says that the last sync was %s, however young the release is", (result, reason) => {
    const syncs = [sync(result, "2026-11-21T04:00:00Z"), sync("published", syncedAt)];
    const verdict = judge(release(), syncs, hoursLater(24.5));
    expect(verdict.name).toBe("late");
    expect(verdict.reason).toMatch(reason);
  });

  it("ignores a failure once a later sync succeeded", () => {
    const syncs = [sync("published", "2026-11-21T05:00:00Z"), sync("failed", "2026-11-21T04:00:00Z")];
    expect(judge(release("2026-11-21T05:00:00Z"), syncs, hoursLater(26)).name).toBe("current");
  });
});
