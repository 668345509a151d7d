// Tests the times of the nightly sync.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextSync, readSyncMinutes, secondsToSyncEnd } from "../../../api-static/contract/schedule.ts";

describe("nextSync", () => {
  it.each([
    ["2026-11-20T03:59:59.999Z", "2026-11-20T04:00:00.000Z"],
    ["2026-11-20T04:00:00.000Z", "2026-11-21T04:00:00.000Z"],
    ["2026-11-20T04:00:00.001Z", "2026-11-21T04:00:00.000Z"],
    ["2026-12-31T12:00:00.000Z", "2027-01-01T04:00:00.000Z"],
    ["2028-02-28T23:00:00.000Z", "2028-02-29T04:00:00.000Z"],
  ])("after %s is %s", (now, next) => {
    expect(nextSync(new Date(now)).toISOString()).toBe(next);
  });

  it.each([
    ["00:00", "2026-11-21T00:00:00.000Z", 61 * 60],
    ["06:15", "2026-11-21T06:15:00.000Z", 7.25 * 3600 + 60],
    ["23:29", "2026-11-21T23:29:00.000Z", 30 * 60],
    ["23:45", "2026-11-20T23:45:00.000Z", 46 * 60],
  ])("with SYNC_AT=%s is %s, and ends %d seconds after 23:29", (text, next, seconds) => {
    const [now, at] = [new Date("2026-11-20T23:29:00Z"), readSyncMinutes({ SYNC_AT: text })];
    expect([nextSync(now, at).toISOString(), secondsToSyncEnd(now, at)]).toStrictEqual([next, seconds]);
  });

  it("is after midnight for a sync that started before", () => {
    expect(secondsToSyncEnd(new Date("2026-11-21T00:05:00Z"), 23 * 60 + 45)).toBe(600);
  });

  it.each(["4:00", "24:00", "04:60", "04:00 UTC", " "])("refuses SYNC_AT=%j", (text) => {
    expect(() => readSyncMinutes({ SYNC_AT: text })).toThrow(/^SYNC_AT must/);
  });

  it("is always in the future, within a day, at 04:00 UTC", () => {
    fc.assert(
      fc.property(moments, (now) => {
        const next = nextSync(now);
        expect(next.toISOString()).toMatch(/T04:00:00\.000Z$/);
        const ahead = next.getTime() - now.getTime();
        expect(ahead > 0 && ahead <= 86_400_000).toBe(true);
      }),
    );
  });
});

describe("secondsToSyncEnd", () => {
  it("ends at 04:30 UTC, or less than a second later", () => {
    fc.assert(
      fc.property(moments, (now) => {
        const seconds = secondsToSyncEnd(now);
        expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400).toBe(true);
        const end = new Date(now.getTime() + seconds * 1000);
        const late =
          end.getTime() - Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), end.getUTCDate(), 4, 30);
        expect(late >= 0 && late < 1000).toBe(true);
      }),
    );
  });
});

const moments = fc.date({
  min: new Date("2020-01-01T00:00:00Z"),
  max: new Date("2100-01-01T00:00:00Z"),
  noInvalidDate: true,
});
