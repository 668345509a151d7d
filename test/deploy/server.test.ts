// Tests that the servers' alert rules work, use existing metrics, and are explained in docs/monitor.md.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logLevels } from "../../api-static/server/observe/log.ts";
import { ServerMetrics } from "../../api-static/server/observe/metrics.ts";
import { idleQueues } from "../api-static/search/client.fixture.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { isInstalled } from "../programs.ts";

const prometheus = join(checkout, "deploy/prometheus");
const alerts = readFileSync(join(prometheus, "server.alerts.yml"), "utf8");
const page = readFileSync(join(checkout, "docs/monitor.md"), "utf8");

const isPromtoolHere = isInstalled("promtool", "the check of the servers' alert rules");

describe.skipIf(!isPromtoolHere)("Prometheus", () => {
  it.each([
    ["accepts the alert rules", ["check", "rules", "server.alerts.yml"]],
    ["fires each alert when it should, and not before", ["test", "rules", "server.alerts.test.yml"]],
  ])("%s", (_title, options) => {
    const { status, stdout, stderr } = spawnSync("promtool", options, { cwd: prometheus, encoding: "utf8" });
    expect(status, stdout + stderr).toBe(0);
  });
});

describe("the servers' alert rules", () => {
  it("each have a test that fires them, and an explanation in docs/monitor.md", () => {
    const names = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const fired = readFileSync(join(prometheus, "server.alerts.test.yml"), "utf8").split("alertname: ");
    for (const name of names) {
      expect(
        fired.some((part) => part.startsWith(`${name}\n`) && part.includes("exp_alerts:")),
        name,
      ).toBe(true);
      expect(page).toContain(`\`${name}\``);
    }
    expect(names.length).toBeGreaterThanOrEqual(4);
  });

  it("use metrics that a server has, and docs/monitor.md explains those and no others", async () => {
    const facts = { release: "20261120T040000Z", synced_at: "2026-11-20T04:00:00Z", totals: {} };
    const metrics = new ServerMetrics(
      { current: { facts } as never },
      idleQueues(),
      () => new Date(facts.synced_at),
    );
    const text = await metrics.format();
    const exposed = new Set([...text.matchAll(/^# TYPE (grants_\w+)/gm)].map(([, name]) => name));
    const used = alerts.match(/\bgrants_\w+/g) ?? [];
    expect([...exposed]).toEqual(expect.arrayContaining(used));
    expect([...new Set(page.match(/\bgrants_server_\w+/g))].sort()).toEqual([...exposed].sort());
  });
});

describe("docs/monitor.md", () => {
  it("names the levels of the log and every file of the servers' alerts", () => {
    for (const level of logLevels) expect(page).toContain(`\`${level}\``);
    for (const file of ["server.alerts.yml", "server.alerts.test.yml"]) expect(page).toContain(file);
  });
});
