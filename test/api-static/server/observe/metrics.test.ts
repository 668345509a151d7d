// Tests the metrics of the release, the searches and the process, their format, and that requests cannot add series.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { paths } from "../../../../api-static/contract/request.ts";
import { SearchQueue } from "../../../../api-static/search/queue.ts";
import { ServerMetrics } from "../../../../api-static/server/observe/metrics.ts";
import { isInstalled } from "../../../programs.ts";
import { clientOf, idleQueues } from "../../search/client.fixture.ts";
import { createTestApp, fixedNow, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const isPromtoolHere = isInstalled("promtool", "the check of the metrics");

describe("the metrics", () => {
  it("name the current release and its age", async () => {
    const current = { current: served().release };
    const text = await new ServerMetrics(current, idleQueues(), () => fixedNow).format();
    expect(text).toContain('\ngrants_server_release_info{release="20261120T040000Z"} 1\n');
    expect(text).toContain(`\ngrants_server_release_age_seconds ${19 * 3600}\n`);
  });

  it("name a new release as soon as it is served, and not the previous one", async () => {
    const release = (id: string) => ({
      facts: { release: id, synced_at: "2026-11-20T22:00:00Z", totals: {} },
    });
    const releases: { current: unknown } = { current: undefined };
    const metrics = new ServerMetrics(releases as never, idleQueues(), () => fixedNow);
    const samples = async () => (await metrics.format()).match(/^grants_server_release.*$/gm);
    expect(await samples()).toBeNull();
    for (const id of ["20261120T220000Z", "20261121T220000Z"]) {
      releases.current = release(id);
      expect(await samples()).toStrictEqual([
        `grants_server_release_info{release="${id}"} 1`,
        "grants_server_release_age_seconds 3600",
      ]);
    }
    releases.current = undefined;
    expect(await samples()).toBeNull();
  });

  it("count the searches that run, wait, or ended without an answer", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 1, seconds: 60 });
    const queues = { ...idleQueues(), search: queue };
    const metrics = new ServerMetrics({ current: undefined }, queues, () => fixedNow);
    const samples = async () =>
      (await metrics.format()).match(/(?<=^grants_server_searches).*queue="search".*$/gm);
    const counts = (running: number, waiting: number, shed: number, abandoned: number) => [
      `{queue="search",state="running"} ${running}`,
      `{queue="search",state="waiting"} ${waiting}`,
      `_ended_total{queue="search",reason="shed"} ${shed}`,
      '_ended_total{queue="search",reason="timed_out"} 0',
      `_ended_total{queue="search",reason="abandoned"} ${abandoned}`,
    ];
    expect(await samples()).toStrictEqual(counts(0, 0, 0, 0));
    const { promise, resolve } = Promise.withResolvers<void>();
    const searches = [queue.run(() => promise), queue.run(() => promise)];
    await expect(queue.run(() => promise)).rejects.toThrow("too many searches");
    await expect(queue.run(() => promise, clientOf(AbortSignal.abort()))).rejects.toThrow("went away");
    expect(await samples()).toStrictEqual(counts(1, 1, 1, 1));
    resolve();
    await Promise.all(searches);
    expect(await samples()).toStrictEqual(counts(0, 0, 1, 1));
  });

  it("add no series for the content of requests", async () => {
    const metrics = new ServerMetrics({ current: served().release }, idleQueues(), () => fixedNow);
    const app = createTestApp(served().release, undefined, { metrics });
    for (let index = 0; index < 300; index++) {
      const path = [`/x${index}`, `/v1/funders/${index}/history`, `/v1/history?limit=${index}`][index % 3];
      await app.fetch(
        new Request(`http://127.0.0.1${path}`, { method: index % 2 === 0 ? "GET" : "PROPFIND" }),
      );
    }
    const text = await metrics.format();
    const named = [...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route);
    expect([...Object.values(paths), "other"]).toEqual(expect.arrayContaining(named));
    expect(text.match(/^grants_server_requests_total\{/gm)?.length).toBeLessThan(10);
  });

  it.skipIf(!isPromtoolHere)("pass promtool without a warning, process metrics included", async () => {
    const metrics = new ServerMetrics({ current: served().release }, idleQueues(), () => fixedNow);
    metrics.addProcessMetrics();
    metrics.count({ route: "/v1/history", status: 200, code: "", answeredBy: "search", seconds: 0.003 });
    const text = await metrics.format();
    for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds"])
      expect(text).toContain(`\n${name} `);
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text });
    expect([String(stdout), String(stderr), status]).toStrictEqual(["", "", 0]);
  });
});
