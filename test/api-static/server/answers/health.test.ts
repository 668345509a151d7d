// Tests readiness and status: a release whose age is at, below and above the limit.
import { describe, expect, it } from "vitest";
import {
  ageSeconds,
  findUnreadiness,
  formatStatus,
  noRelease,
} from "../../../../api-static/server/answers/health.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const facts = {
  release: "20261120T040000Z",
  synced_at: "2026-11-20T04:00:00Z",
  totals: { records: 3 },
  names: { organizations: 2, funders: 1 },
};
const hoursLater = (hours: number) => new Date(Date.parse(facts.synced_at) + hours * 3_600_000);

describe("findUnreadiness", () => {
  it("finds a release ready up to the limit and not one second later", () => {
    expect(findUnreadiness(facts, hoursLater(36), 36)).toBeUndefined();
    expect(findUnreadiness(facts, hoursLater(36 + 1 / 3600), 36)).toBe(
      "release 20261120T040000Z is 36 hours old; the limit is 36 hours",
    );
    expect(findUnreadiness(facts, hoursLater(0), 1)).toBeUndefined();
  });

  it("finds a release ready even if it was made by a clock that is ahead", () => {
    expect(findUnreadiness(facts, hoursLater(-1), 1)).toBeUndefined();
    expect(ageSeconds(facts, hoursLater(-1))).toBe(0);
  });

  it("reports that there is no release", () => {
    expect(findUnreadiness(undefined, hoursLater(0), 36)).toBe(noRelease);
  });
});

describe("formatStatus", () => {
  it("has the release, its age, its totals and the next sync", () => {
    expect(JSON.parse(formatStatus(facts, hoursLater(2)))).toStrictEqual({
      success: true,
      release: "20261120T040000Z",
      synced_at: "2026-11-20T04:00:00Z",
      age_seconds: 7200,
      next_sync: "2026-11-21T04:00:00Z",
      records: 3,
      organizations: 2,
    });
  });
});

describe("/readyz", () => {
  const ready = new Request("http://127.0.0.1/readyz");

  it("is an uncached 200 while the release is fresh", async () => {
    const answer = await served().ask("/readyz"); // the release is 19 hours old
    expect([answer.status, await answer.text()]).toStrictEqual([200, "ok\n"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  it("is 503 not_ready with the reason once the release is too old, while requests are still answered", async () => {
    const app = createTestApp(served().release, undefined, { readyHours: 18 });
    const answer = await app.fetch(ready);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await answer.json()).toStrictEqual({
      success: false,
      error: "release 20261120T040000Z is 19 hours old; the limit is 18 hours",
      code: "not_ready",
    });
    expect((await app.fetch(new Request("http://127.0.0.1/v1/history"))).status).toBe(200);
    expect((await app.fetch(new Request("http://127.0.0.1/healthz"))).status).toBe(200);
  });

  it("is 503 not_ready with the reason without a release", async () => {
    const answer = await createTestApp(undefined).fetch(ready);
    expect([answer.status, await answer.json()]).toStrictEqual([
      503,
      { success: false, error: noRelease, code: "not_ready" },
    ]);
  });
});
