// Tests the metrics of publishes and pulls: what they say after a success and after each kind of failure.
import { spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes, LockedError } from "../../../pipeline/base/failure.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { releaseMoment } from "../../../pipeline/releases/folders.ts";
import { metricsPath } from "../../../pipeline/report/metrics.ts";
import { recordTransfer, transferMetricsPath } from "../../../pipeline/report/recorder.ts";
import { isInstalled } from "../../programs.ts";
import { Store } from "../base/bucket/store.fixture.ts";
import { runCommand } from "../release.fixture.ts";
import { findRelease } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);
const hasPromtool = isInstalled("promtool", "the check of publish.prom");

let data = "";
let store: Store;

beforeEach(async () => {
  data = join(folder.home, "data");
  store = await Store.start();
});

afterEach(() => store.stop());

async function readSamples(path: string): Promise<Record<string, number>> {
  const samples = (await readFile(path, "utf8")).matchAll(/^grants_(\w+) (\S+)$/gm);
  return Object.fromEntries([...samples].map(([, name = "", value]) => [name, Number(value)]));
}

const timeOf = (release: string) => Date.parse(releaseMoment(release.split("/").at(-1) ?? "")) / 1000;

describe("a publish after a sync", () => {
  it("is recorded apart from the sync, whose run fails with it", async () => {
    const warehouse = await put("a.parquet", { id: "i" }, "FROM range(3) t(i)");
    const to = (bucket: string) => ({
      ...store.environment,
      ...{ WAREHOUSE: warehouse, DATA: data, PUBLISH: `s3://${bucket}/live` },
    });
    const failed = await runCommand(["sync"], to("no-such-bucket"));
    expect(failed).toMatchObject({ code: 2, stdout: expect.stringMatching(/^sync: release .*\n$/) });
    const path = transferMetricsPath(data, "publish");
    const ofSync = await readSamples(metricsPath(data));
    expect(ofSync).toMatchObject({ sync_last_run_exit_code: 2 });
    expect(ofSync.sync_last_success_timestamp_seconds).toBeGreaterThan(0);
    const never = await readSamples(path);
    expect(never).toMatchObject({ publish_last_run_exit_code: 2, publish_last_success_timestamp_seconds: 0 });
    expect(never).not.toHaveProperty("publish_release_timestamp_seconds");

    // The sync finds nothing new; the publish does.
    expect(await runCommand(["sync"], to(store.bucket))).toMatchObject({ code: 0 });
    const done = await readSamples(path);
    const { publish_last_run_timestamp_seconds: end = 0 } = done;
    expect(done).toEqual({
      publish_last_success_timestamp_seconds: end,
      publish_last_run_timestamp_seconds: end,
      publish_last_run_exit_code: 0,
      publish_last_run_duration_seconds: expect.any(Number),
      publish_release_timestamp_seconds: timeOf(await findRelease(data)),
    });
    expect(end).toBeGreaterThan(never.publish_last_run_timestamp_seconds ?? Infinity);

    await runCommand(["publish"], { ...to(""), TO: "s3://no-such-bucket", DRY_RUN: "1" });
    expect(await readSamples(path)).toEqual(done);
    await runCommand(["publish"], { ...to(""), TO: "s3://no-such-bucket" });
    expect(await readSamples(path)).toMatchObject({
      publish_last_success_timestamp_seconds: end,
      publish_last_run_exit_code: 2,
      publish_release_timestamp_seconds: timeOf(await findRelease(data)),
    });
    if (hasPromtool) {
      const input = await readFile(path);
      const { status, stderr } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
    }
  });
});

describe("a pull", () => {
  it("is recorded, whether it fails, succeeds or finds nothing new", async () => {
    const published = join(folder.home, "published");
    const warehouse = await put("a.parquet", { id: "i" }, "FROM range(3) t(i)");
    const from = { ...store.environment, FROM: `s3://${store.bucket}/live`, DATA: data };
    await mkdir(data);
    expect(await runCommand(["pull"], from)).toMatchObject({ code: 2 });
    const path = transferMetricsPath(data, "pull");
    expect(await readSamples(path)).toMatchObject({ pull_last_run_exit_code: 2 });
    const sync = { WAREHOUSE: warehouse, DATA: published, PUBLISH: `s3://${store.bucket}/live` };
    await runCommand(["sync"], { ...store.environment, ...sync });
    for (let round = 0; round < 2; round += 1) {
      expect(await runCommand(["pull"], from)).toMatchObject({ code: 0 });
      expect(await readSamples(path)).toMatchObject({
        pull_last_run_exit_code: 0,
        pull_release_timestamp_seconds: timeOf(await findRelease(published)),
      });
    }
  });
});

describe("with another run at work", () => {
  it.each([
    ["a publish is recorded, because machines share its bucket", "publish", exitCodes.locked],
    ["a pull leaves the record to the other run", "pull", exitCodes.done],
  ] as const)("%s", async (_, name, expected) => {
    await mkdir(data);
    const context = {
      data,
      progress: new Progress({ write: () => true }, () => 0),
      clock: () => new Date(100_000),
      exitCodeOf: () => exitCodes.locked,
    };
    const path = transferMetricsPath(data, name);
    await recordTransfer(name, context, async () => ({ line: "done", release: "20261120T040000Z" }));
    const locked = recordTransfer(name, context, () => Promise.reject(new LockedError("locked")));
    await expect(locked).rejects.toThrow("locked");
    expect((await readSamples(path))[`${name}_last_run_exit_code`]).toBe(expected);
  });
});
