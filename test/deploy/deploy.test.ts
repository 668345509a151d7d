// Tests that the tools accept the files of `deploy`, and that those files call the right command and use existing metrics.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { searchLogFolder } from "../../api-static/search/searchLogFiles.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { metricsPath } from "../../pipeline/report/metrics.ts";
import { recordTransfer } from "../../pipeline/report/recorder.ts";
import { checkout, syncRelease } from "../pipeline/release.fixture.ts";
import { useFolder, useParquet } from "../pipeline/warehouse/warehouse.fixture.ts";
import { isInstalled } from "../programs.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const deploy = join(checkout, "deploy");
const read = (path: string) => readFileSync(join(deploy, path), "utf8");
const alerts = read("prometheus/alerts.yml");
const monitor = readFileSync(join(checkout, "docs/monitor.md"), "utf8");

function run(tool: string, ...options: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(tool, options, { cwd: deploy, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

const units = ["systemd/grants-sync.service", "systemd/grants-sync.timer", "systemd/grants-server.service"];

describe.skipIf(!isInstalled("systemd-analyze", "checks of the files in deploy"))("systemd", () => {
  it("accepts the services and the timer without a warning", () => {
    expect(run("systemd-analyze", "verify", "--man=no", ...units)).toEqual({ status: 0, output: "" });
  });

  it("starts the timer at 04:00 UTC every night", () => {
    const [, calendar = ""] = /^OnCalendar=(.*)$/m.exec(read("systemd/grants-sync.timer")) ?? [];
    const { status, output } = run("systemd-analyze", "calendar", "--iterations=2", calendar);
    expect(status, output).toBe(0);
    expect(output).toContain("Normalized form: *-*-* 04:00:00 UTC");
    const elapses = output.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g) ?? [];
    expect(elapses.map((moment) => moment.slice(11))).toEqual(["04:00:00 UTC", "04:00:00 UTC"]);
  });
});

describe("the server's service", () => {
  const [server, sync] = ["systemd/grants-server.service", "systemd/grants-sync.service"].map(read) as [
    string,
    string,
  ];
  const settingOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];

  it("starts Node.js with the sync's data folder and settings", () => {
    expect(settingOf(server, "ExecStart")).toBe("/usr/bin/env node api-static/server/main.ts");
    expect(settingOf(sync, "Environment")).toContain(settingOf(server, "Environment"));
    for (const name of ["User", "WorkingDirectory", "Environment=PATH", "EnvironmentFile", "UMask"])
      expect(settingOf(server, name), name).toBe(settingOf(sync, name));
  });

  it("has the same restrictions as the sync's, and may write only the search log", () => {
    const data = settingOf(sync, "ReadWritePaths") ?? "";
    expect(settingOf(server, "ReadWritePaths")).toBe(searchLogFolder(data));
    const rules = sync.slice(sync.indexOf("NoNewPrivileges")).split("\n");
    const shared = rules.filter((rule) => !rule.startsWith("ReadWritePaths"));
    expect(shared.length).toBeGreaterThan(20);
    expect(server.split("\n")).toEqual(expect.arrayContaining(shared));
  });
});

describe.skipIf(!isInstalled("promtool", "checks of the files in deploy"))("Prometheus", () => {
  it("accepts the alert rules", () => {
    expect(run("promtool", "check", "rules", "prometheus/alerts.yml")).toMatchObject({ status: 0 });
  });

  it("fires each alert when it should, and not before", () => {
    const { status, output } = run("promtool", "test", "rules", "prometheus/alerts.test.yml");
    expect(status, output).toBe(0);
  });
});

describe("the alert rules", () => {
  const names = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name);

  it("each have a test that fires them, and an explanation in docs/monitor.md", () => {
    const fired = read("prometheus/alerts.test.yml").split("alertname: ");
    for (const name of names) {
      expect(
        fired.some((part) => part.startsWith(`${name}\n`) && part.includes("exp_alerts:")),
        name,
      ).toBe(true);
      expect(monitor).toContain(`\`${name}\``);
    }
    expect(names.length).toBeGreaterThanOrEqual(6);
  });

  it("use metrics that syncs, publishes and pulls write, and docs/monitor.md explains those and no others", async () => {
    const data = join(folder.home, "data");
    // Funders that agree on a recipient, so that there are figures of rules.
    const place = { recipient_state: "'TX'", recipient_city: "'HOUSTON'" };
    const agreed = { ...place, id: "i", funder_ein: "100000000 + i", recipient_ein: "'741684332'" };
    await syncRelease(await put("a.parquet", agreed, "FROM range(4) t(i)"), data);
    const context = { data, progress: new Progress({ write: () => true }, () => 0), clock: () => new Date() };
    for (const name of ["publish", "pull"] as const)
      await recordTransfer(name, { ...context, exitCodeOf: () => 1 }, async () => ({
        line: "",
        release: "20261120T040000Z",
      }));
    const paths = [metricsPath(data), ...["publish.prom", "pull.prom"].map((name) => join(data, name))];
    const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    const left = new Set(texts.join("").match(/^grants_\w+/gm));
    const used = alerts.match(/\bgrants_\w+/g) ?? [];
    expect(used.length).toBeGreaterThan(3);
    expect([...left]).toEqual(expect.arrayContaining(used));
    const explained = new Set(monitor.match(/\bgrants_(?!server_)\w+/g));
    expect([...explained].sort()).toEqual([...left].sort());
  });
});

describe("every schedule", () => {
  it("starts the sync at 04:00 in Node.js itself, which keeps its exit code, with the settings that the Makefile passes on", () => {
    expect(read("systemd/grants-sync.service")).toMatch(/^ExecStart=\S+\/env node pipeline\/main.ts sync$/m);
    const line = /^0 4 \* \* \* \S+ cd \S+ && umask 027 && (\w+=\S+ )*node pipeline\/main.ts sync$/m;
    expect(read("cron/grants-sync")).toMatch(line);
    expect(read("kubernetes/cronjob.yaml")).toContain("args: [pipeline/main.ts, sync]");
    const used = [...units, "cron/grants-sync", "kubernetes/cronjob.yaml"]
      .flatMap((path) => read(path).match(/\b[A-Z_]{4,}(?==\S)|(?<=name: )[A-Z_]+\b/g) ?? [])
      .filter((name) => !["SHELL", "MAILTO", "PATH", "NODE_OPTIONS"].includes(name));
    expect([...new Set(used)].sort()).toEqual([
      ...["DATA", "MEMORY", "SEARCH_RATE", "SITE_URL", "SYNC_SCHEDULED", "THREADS", "TRUSTED_PROXIES"],
      "WAREHOUSE",
    ]);
    for (const path of ["systemd/grants-server.service", "systemd/grants-sync.service", "cron/grants-sync"])
      expect(read(path), path).toContain("SYNC_SCHEDULED=1");
    for (const path of ["kubernetes/cronjob.yaml", "kubernetes/deployment.yaml"])
      expect(read(path), path).toMatch(/name: SYNC_SCHEDULED\n +value: "1"/);
    const set = Object.fromEntries(used.map((name) => [name, "7"]));
    const env = { PATH: process.env.PATH, ...set };
    const options = ["--silent", "--eval", "environment:; @env", "environment"];
    const printed = spawnSync("make", options, { cwd: checkout, encoding: "utf8", env }).stdout.split("\n");
    expect(printed).toEqual(expect.arrayContaining(used.map((name) => `${name}=7`)));
  });

  it("runs one sync at a time in Kubernetes, in UTC", () => {
    const lines = read("kubernetes/cronjob.yaml")
      .split("\n")
      .map((line) => line.trim());
    const expected = ['schedule: "0 4 * * *"', "timeZone: Etc/UTC", "concurrencyPolicy: Forbid"];
    expect(lines).toEqual(expect.arrayContaining(expected));
  });

  it("is named in docs, as is every file of `deploy`", () => {
    const others = ["kubernetes", "one-machine", "operate", "publish"].map((page) =>
      readFileSync(join(checkout, `docs/${page}.md`), "utf8"),
    );
    const pages = monitor + others.join("");
    for (const entry of readdirSync(deploy, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) expect(pages).toContain(entry.name);
    }
  });
});
