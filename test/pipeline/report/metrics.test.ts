// Tests `metrics.prom` and `run.json`: what they say after each kind of run, and that Prometheus accepts the metrics.
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { exitCodes, LockedError } from "../../../pipeline/base/failure.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { metricsPath } from "../../../pipeline/report/metrics.ts";
import { recordRun } from "../../../pipeline/report/recorder.ts";
import { readReport } from "../../../pipeline/report/report.ts";
import { isInstalled } from "../../programs.ts";
import { spreadOf } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { runCommand, syncRelease } from "../release.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const hasPromtool = isInstalled("promtool", "the check of metrics.prom");

/** The file's samples by name and labels. */
async function readSamples(data: string): Promise<Record<string, number>> {
  const lines = (await readFile(metricsPath(data), "utf8")).trimEnd().split("\n");
  const samples = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** The samples without those that every run changes. */
function keptOf(samples: Record<string, number>): Record<string, number> {
  const entries = Object.entries(samples);
  return Object.fromEntries(entries.filter(([name]) => !/^grants_sync_last/.test(name)));
}

let data = "";
const clock = (...seconds: number[]) => {
  const moments = seconds.map((second) => new Date(second * 1000));
  return () => moments.shift() ?? new Date(Number.NaN);
};
const context = (...seconds: number[]) => ({
  data,
  progress: new Progress({ write: (text) => lines.push(text) }, () => 0),
  clock: clock(...seconds),
  exitCodeOf: (error: unknown) => (error instanceof LockedError ? exitCodes.locked : exitCodes.input),
});
let lines: string[] = [];
/** Nothing follows the sync. */
const same = async <Result>(result: Result) => result;

beforeEach(() => {
  data = join(folder.home, "data");
  lines = [];
});

describe("the metrics", () => {
  it("are those of the report after a sync, remain after a failure and a refusal, and pass promtool", async () => {
    const warehouse = join(folder.home, "w");
    const file = await put(
      "w/a.parquet",
      { id: "i", purpose: "CASE WHEN i > 0 THEN 'P' END" },
      "FROM range(120) t(i)",
    );
    await put("w/b.parquet", { id: "1000 + i", amount: "NULL::DECIMAL(18,2)" }, "FROM range(3) t(i)");
    const environment = { WAREHOUSE: warehouse, DATA: data, MAX_REJECTED: "50" };
    const release = await syncRelease(warehouse, data, environment);
    const made = await readSamples(data);
    const report = await readReport(release);
    expect(made).toMatchObject({
      'grants_release_rows{outcome="accepted",reason=""}': 120,
      'grants_release_rows{outcome="rejected",reason="amount_missing"}': 3,
      'grants_release_rows{outcome="rejected",reason="duplicate_id"}': 0,
      'grants_release_null_ratio{column="purpose"}': 1 / 120,
      'grants_release_year_records{year="2020"}': 120,
      'grants_release_pages{origin="written"}': 3,
      'grants_release_changed_funders{change="added"}': 1,
      grants_release_records: 120,
      grants_release_funders: 1,
      grants_release_amount_dollars: Number(report.totals.amount),
      grants_release_newest_created_timestamp_seconds: Date.UTC(2026, 10, 20, 4) / 1000,
      grants_sync_last_run_exit_code: 0,
    });
    const manifest = await readManifest(release);
    const siteBytes = Object.entries(manifest.parts)
      .filter(([path]) => path.startsWith("public/"))
      .reduce((sum, [, { bytes }]) => sum + bytes, 0);
    for (const part of ["records", "index.columns", "index.duckdb"])
      expect(made[`grants_release_part_bytes{part="${part}"}`]).toBe(manifest.parts[part]?.bytes);
    expect(made['grants_release_part_bytes{part="public"}']).toBe(manifest.pages.storedBytes + siteBytes);
    expect(made.grants_sync_peak_memory_bytes).toBeGreaterThanOrEqual(report.peak_memory_bytes);
    expect(made['grants_sync_step_duration_seconds{step="verify"}']).toBeGreaterThan(0);
    expect(made.grants_sync_last_success_timestamp_seconds).toBe(made.grants_sync_last_run_timestamp_seconds);
    expect(Math.abs((made.grants_sync_last_run_timestamp_seconds ?? 0) - Date.now() / 1000)).toBeLessThan(
      3600,
    );

    await rename(file, `${file}.kept`);
    const refused = await runCommand(["sync"], { ...environment, MAX_REJECTED: "100" });
    expect(refused.code).toBe(exitCodes.input); // every row left is rejected
    const failed = await readSamples(data);
    expect(keptOf(failed)).toEqual(keptOf(made));
    expect(failed.grants_sync_last_run_exit_code).toBe(2);
    expect(failed.grants_sync_last_success_timestamp_seconds).toBe(
      made.grants_sync_last_success_timestamp_seconds,
    );
    expect(failed.grants_sync_last_run_timestamp_seconds).toBeGreaterThan(
      made.grants_sync_last_run_timestamp_seconds ?? 0,
    );
    await put("w/c.parquet", { id: "1" });
    expect((await runCommand(["sync"], { ...environment, MAX_REJECTED: "100" })).code).toBe(
      exitCodes.refused,
    );
    expect(await readSamples(data)).toMatchObject({ ...keptOf(made), grants_sync_last_run_exit_code: 3 });

    if (hasPromtool) {
      const checked = spawnSync("promtool", ["check", "metrics"], {
        input: await readFile(metricsPath(data)),
      });
      expect(checked.stderr.toString() + checked.stdout.toString()).toBe("");
      expect(checked.status).toBe(0);
    }
    expect((await readdir(data)).sort()).toEqual([
      "changes",
      "current",
      "metrics.prom",
      "refused",
      "releases",
      "run.json",
      "sync.lock",
    ]);
  });

  it("describe only the run if a setting is wrong, and are not written if there is no data folder", async () => {
    await mkdir(data);
    const ended = await runCommand(["sync"], { DATA: data, THREADS: "0" });
    expect(ended.code).toBe(2);
    const samples = await readSamples(data);
    expect(samples).toMatchObject({
      grants_sync_last_run_exit_code: 2,
      grants_sync_last_success_timestamp_seconds: 0,
    });
    expect(Object.keys(samples)).toHaveLength(4);
    await rm(data, { recursive: true });
    expect(await runCommand(["sync"], { DATA: data, THREADS: "0" })).toEqual(ended);
    expect(await readdir(folder.home)).toEqual([]);
  });
});

const nothingNew = { isNew: false, release: "20261120T040000Z" };

describe("a rollback", () => {
  itWhole("writes the metrics of the release that is now current", async () => {
    const warehouse = await put("w.parquet", { id: "i" }, "FROM range(3) t(i)");
    const first = await syncRelease(warehouse, data);
    await put("w.parquet", { id: "i" }, "FROM range(4) t(i)");
    await syncRelease(warehouse, data);
    const before = await readSamples(data);
    expect(before).toMatchObject({ grants_release_records: 4 });
    expect(await runCommand(["rollback"], { DATA: data, TO: basename(first) })).toMatchObject({ code: 0 });
    const after = await readSamples(data);
    expect(after).toMatchObject({ grants_release_records: 3 });
    expect(after.grants_sync_last_run_timestamp_seconds).toBe(before.grants_sync_last_run_timestamp_seconds);
  });
});

describe("a run", () => {
  it("that finds nothing new counts as a success, and records its own time", async () => {
    await mkdir(data);
    await recordRun(context(100, 102.5), async () => nothingNew, same);
    expect(await readSamples(data)).toEqual({
      grants_sync_last_success_timestamp_seconds: 102.5,
      grants_sync_last_run_timestamp_seconds: 102.5,
      grants_sync_last_run_exit_code: 0,
      grants_sync_last_run_duration_seconds: 2.5,
    });
  });

  it("that fails keeps the time of the last success, and rethrows its failure", async () => {
    await mkdir(data);
    await recordRun(context(100, 101), async () => nothingNew, same);
    const failing = recordRun(context(200, 203), () => Promise.reject(new Error("the disk is gone")), same);
    await expect(failing).rejects.toThrow("the disk is gone");
    expect(await readSamples(data)).toEqual({
      grants_sync_last_success_timestamp_seconds: 101,
      grants_sync_last_run_timestamp_seconds: 203,
      grants_sync_last_run_exit_code: 2,
      grants_sync_last_run_duration_seconds: 3,
    });
  });

  it("whose publish fails has that exit code, and the sync's success", async () => {
    await mkdir(data);
    const failing = recordRun(
      context(100, 101),
      async () => nothingNew,
      async () => {
        throw new Error("the bucket is gone");
      },
    );
    await expect(failing).rejects.toThrow("the bucket is gone");
    expect(await readSamples(data)).toMatchObject({
      grants_sync_last_success_timestamp_seconds: 101,
      grants_sync_last_run_exit_code: 2,
    });
    const run = JSON.parse(await readFile(join(data, "run.json"), "utf8"));
    expect(run).toMatchObject({ exit_code: 2, syncs: [{ result: "nothing_new" }] });
  });

  it("that finds another sync running does not write the file", async () => {
    await mkdir(data);
    await recordRun(context(100, 101), async () => nothingNew, same);
    const before = await readFile(metricsPath(data), "utf8");
    const locked = recordRun(context(200, 201), () => Promise.reject(new LockedError("another sync")), same);
    await expect(locked).rejects.toThrow("another sync");
    expect(await readFile(metricsPath(data), "utf8")).toBe(before);
  });

  it("that succeeds but cannot write the file still succeeds, with a warning", async () => {
    await mkdir(metricsPath(data), { recursive: true });
    const made = { isNew: true, release: "20261120T040000Z" };
    expect(await recordRun(context(100, 101), async () => made, same)).toBe(made);
    expect(lines.join("")).toMatch(/^warning: the metrics in ".*metrics\.prom" were not updated: E\w+/);
    expect(await readdir(data)).toEqual(["metrics.prom", "run.json"]);
  });
});

/** The history of syncs, as `run.json` has it. */
async function readHistory() {
  return JSON.parse(await readFile(join(data, "run.json"), "utf8")).syncs;
}

describe("the history of syncs", () => {
  it("has how each sync ended, newest first, with the grants and rejected rows of what it built", async () => {
    const warehouse = join(folder.home, "w");
    await put("w/a.parquet", { id: "i" }, "FROM range(120) t(i)");
    await put("w/b.parquet", { id: "1000 + i", amount: "NULL::DECIMAL(18,2)" }, "FROM range(3) t(i)");
    const environment = { WAREHOUSE: warehouse, DATA: data, MAX_REJECTED: "50" };
    const release = await syncRelease(warehouse, data, environment);
    await runCommand(["sync"], environment);
    await put("w/b.parquet", { id: "1000 + i", amount: "NULL::DECIMAL(18,2)" }, "FROM range(30) t(i)");
    await runCommand(["sync"], { ...environment, MAX_REJECTED: "0" });
    await runCommand(["sync"], { ...environment, THREADS: "0" });
    const counts = { records: 120, rejected: 3 };
    const none = { release: null, records: null, rejected: null };
    expect(await readHistory()).toMatchObject([
      { result: "failed", ...none },
      { result: "refused", release: null, records: 120, rejected: 30 },
      { result: "nothing_new", ...none },
      { result: "published", release: basename(release), ...counts },
    ]);
  });

  it("has whole seconds of the start, tenths of the duration, and the last ten syncs", async () => {
    await mkdir(data);
    for (let second = 1; second <= 12; second++)
      await recordRun(context(second, second + 2.54), async () => nothingNew, same);
    const history = await readHistory();
    expect(history).toHaveLength(10);
    expect(history[0]).toMatchObject({ started_at: "1970-01-01T00:00:12Z", seconds: 2.5 });
    expect(history[9]).toMatchObject({ started_at: "1970-01-01T00:00:03Z" });
  });
});

describe("if the record of the previous run is lost", () => {
  it.each(spreadOf("records of a previous run", [undefined, "", "null", "{}"], 2))(
    "(%j) the metrics are those of the release and its report",
    async (text) => {
      const release = await syncRelease(await put("a.parquet"), data);
      const made = await readSamples(data);
      await rm(join(data, "run.json"));
      if (text !== undefined) await writeFile(join(data, "run.json"), text);
      const ended = await runCommand(["sync"], { DATA: data, THREADS: "0" });
      expect(ended.code).toBe(exitCodes.input);
      const report = await readReport(release);
      const samples = await readSamples(data);
      expect(samples).toMatchObject({
        grants_sync_last_success_timestamp_seconds: made.grants_release_timestamp_seconds,
        grants_sync_last_run_exit_code: 2,
        grants_sync_peak_memory_bytes: report.peak_memory_bytes,
      });
      const name = (step: string) => `grants_sync_step_duration_seconds{step="${step}"}`;
      for (const step of report.steps) expect(samples[name(step.name)]).toBe(step.seconds);
      expect(samples).not.toHaveProperty([name("verify")]);
    },
  );
});
