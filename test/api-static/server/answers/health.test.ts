// Tests readiness, status and report, and the history of syncs.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { noMatches } from "../../../../api-static/contract/answers/matches.ts";
import { rejectReasons, type SyncEntry } from "../../../../api-static/contract/answers/report.ts";
import { readSyncs } from "../../../../api-static/release/chain.ts";
import { ageSeconds, formatStatus } from "../../../../api-static/release/status.ts";
import packageFile from "../../../../package.json" with { type: "json" };
import { useFolder } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 0 });
const nothing = { value: null, low: null, high: null };
const evaluated = {
  hit_at_10: null,
  low: null,
  high: null,
  recall_at_10: nothing,
  mrr: nothing,
  baselines: { state: null, cause: null },
  recipients: 0,
  pairs: 0,
};

const facts = {
  release: "20261120T040000Z",
  synced_at: "2026-11-20T04:00:00Z",
  synthetic: true,
  releases_kept: 3,
  totals: { records: 3 },
  names: { organizations: 2, profiles: 1, funders: 1 },
  places: {
    funder_state: { source: "organizations", unknown: 1 },
    recipient_state: { source: "warehouse", unknown: 2 },
    recipient_city: { unknown: 3 },
    recipient_zip: { unknown: 3 },
  },
  causes: {
    funder_cause: { unknown: 1 },
    recipient_cause: {
      filed: { records: 1, amount: "5.00" },
      likely: { records: 1, amount: "3.00" },
      unknown: { records: 1, amount: "2.50" },
    },
  },
  matches: noMatches("There is no list."),
  likely_funders: {
    version: 1,
    hidden_after: null,
    pairs: { filed: 2, likely: 1 },
    basis: { grants: { why_not: "Few.", evaluated }, organization: { why_not: "Few.", evaluated } },
  },
} as const;
const hoursLater = (hours: number) => new Date(Date.parse(facts.synced_at) + hours * 3_600_000);

describe("ageSeconds", () => {
  it("is 0 if the release was made by a clock that is ahead", () => {
    expect(ageSeconds(facts, hoursLater(-1))).toBe(0);
  });
});

describe("formatStatus", () => {
  it("has the version, the release, its age, its totals, its years, its repeated grants, the next sync and the releases kept", () => {
    const years = [{ year: 2020, records: 3, amount: "10.50" }];
    const repeated = { records: 1, amount: "2.50", years: [{ year: 2020, records: 1, amount: "2.50" }] };
    const report = { years, repeated: { ...repeated, largest: [] }, returns: 4 };
    expect(JSON.parse(formatStatus(facts, report, hoursLater(2), true))).toStrictEqual({
      success: true,
      version: packageFile.version,
      release: "20261120T040000Z",
      synced_at: "2026-11-20T04:00:00Z",
      age_seconds: 7200,
      next_sync: "2026-11-21T04:00:00Z",
      sync_scheduled: true,
      releases_kept: 3,
      synthetic: true,
      records: 3,
      organizations: 2,
      years: [{ transaction_year: 2020, records: 3, amount: "10.50" }],
      repeated: {
        ...{ records: 1, amount: "2.50" },
        years: [{ transaction_year: 2020, records: 1, amount: "2.50" }],
      },
      returns: 4,
      places: facts.places,
      causes: facts.causes,
      matches: facts.matches,
      likely_funders: facts.likely_funders,
    });
  });
});

describe("/v1/status", () => {
  it("has the next sync at SYNC_AT, until whose end caches keep other answers", async () => {
    const app = createTestApp(served().release, undefined, { syncMinutes: 23 * 60 + 15 });
    const status = await (await app.request("/v1/status")).json();
    expect(status).toMatchObject({ next_sync: "2026-11-20T23:15:00Z" });
    const { headers } = await app.request("/v1/history");
    expect(headers.get("Cache-Control")).toContain(", s-maxage=2700,"); // 45 minutes
  });

  it("has the grants of every year, newest first, that add up to its totals", async () => {
    const { askText, lines } = served();
    type Year = { transaction_year: number; records: number; amount: string };
    const { years, amount } = JSON.parse(await askText("/v1/status")) as { years: Year[]; amount: string };
    const counts = new Map<number, number>();
    for (const line of lines) {
      const { transaction_year: year } = JSON.parse(line);
      counts.set(year, (counts.get(year) ?? 0) + 1);
    }
    const expected = [...counts].sort(([a], [b]) => b - a);
    expect(years.map(({ transaction_year, records }) => [transaction_year, records])).toStrictEqual(expected);
    const cents = years.reduce((sum, { amount }) => sum + BigInt(amount.replace(".", "")), 0n);
    expect(cents).toBe(BigInt(amount.replace(".", "")));
    for (const { amount } of years) expect(amount).toMatch(/^-?\d+\.\d\d$/);
  });
});

describe("/v1/report", () => {
  const entry: SyncEntry = {
    started_at: "2026-11-20T04:00:00Z",
    seconds: 12.5,
    result: "published",
    release: "20261120T040000Z",
    records: 3,
    rejected: 0,
  };

  it("has the rows read, every reason for rejecting one, the repeated grants, the changes, the page files and the syncs", async () => {
    const { release, lines } = served();
    const app = createTestApp(release, undefined, { readSyncs: async () => [entry] });
    const answer = await app.fetch(new Request("http://127.0.0.1/v1/report"));
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=5");
    expect(answer.headers.get("X-Release")).toBe(release.facts.release);
    const { rows, repeated, changes, pages, ...others } = JSON.parse(await answer.text());
    expect(others).toStrictEqual({
      success: true,
      release: release.facts.release,
      synced_at: "2026-11-20T04:00:00Z",
      syncs: [entry],
    });
    expect(rows.accepted).toBe(lines.length);
    expect(rows.read).toBe(rows.accepted + rows.rejected);
    expect(Object.keys(rows.rejected_by_reason).sort()).toStrictEqual([...rejectReasons].sort());
    const rejected = Object.values<number>(rows.rejected_by_reason).reduce((sum, count) => sum + count, 0);
    expect(rejected).toBe(rows.rejected);
    expect(changes).toMatchObject({ since: null, funders_removed: 0, records_difference: lines.length });
    expect(pages.files).toBeGreaterThan(0);
    expect(repeated.largest).toHaveLength(10);
    expect(Object.keys(repeated)).toStrictEqual(["records", "amount", "largest"]);
  });

  it("has as many repeated grants as the status has in all years", async () => {
    const { askText } = served();
    const { repeated } = JSON.parse(await askText("/v1/report"));
    const { years, ...sums } = JSON.parse(await askText("/v1/status")).repeated;
    expect(sums).toStrictEqual({ records: repeated.records, amount: repeated.amount });
    const records = years.reduce((sum: number, { records }: { records: number }) => sum + records, 0);
    expect(records).toBe(repeated.records);
    expect(records).toBeGreaterThan(0);
  });

  it("has no path, no file name, no example row and no cost", async () => {
    const text = await served().askText("/v1/report");
    expect(text).not.toMatch(/\/|\.parquet|source|example|memory|step/);
  });

  it("is 503 without a release", async () => {
    const answer = await createTestApp(undefined).fetch(new Request("http://127.0.0.1/v1/report"));
    expect(answer.status).toBe(503);
  });
});

describe("the history of syncs", () => {
  const folder = useFolder();

  it("is empty if it is not recorded or cannot be read", async () => {
    expect(await readSyncs(folder.home)).toStrictEqual([]);
    for (const text of ["", "null", "{}", '{"syncs":3}']) {
      await writeFile(join(folder.home, "run.json"), text);
      expect(await readSyncs(folder.home), text).toStrictEqual([]);
    }
    await writeFile(join(folder.home, "run.json"), JSON.stringify({ syncs: [entryOf(1)] }));
    expect(await readSyncs(folder.home)).toStrictEqual([entryOf(1)]);
  });
});

function entryOf(seconds: number): SyncEntry {
  return {
    started_at: "2026-11-20T04:00:00Z",
    seconds,
    result: "failed",
    release: null,
    records: null,
    rejected: null,
  };
}

describe("/readyz", () => {
  const ready = new Request("http://127.0.0.1/readyz");

  it("is an uncached 200 while a release is open, however old", async () => {
    const clock = () => hoursLater(24 * 365);
    const answer = await createTestApp(served().release, undefined, { clock }).fetch(ready);
    expect([answer.status, await answer.text()]).toStrictEqual([200, "ok\n"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  it("is 503 not_ready while searches fail", async () => {
    const { release } = served();
    const answering = vi.spyOn(release.search, "isAnswering").mockResolvedValue(false);
    const answer = await createTestApp(release).fetch(ready);
    answering.mockRestore();
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: "not_ready" }]);
  });

  it("is 503 not_ready without a release", async () => {
    const answer = await createTestApp(undefined).fetch(ready);
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: "not_ready" }]);
  });
});
