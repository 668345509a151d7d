// Tests what a sync reports and leaves behind on a full disk, a read-only disk, and with a limit on file sizes.
import { spawnSync } from "node:child_process";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digestReleases, runCommand, runProcess, syncRelease } from "./release.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

function mount(...options: string[]): boolean {
  return spawnSync("mount", options, { stdio: "ignore" }).status === 0;
}

const isMountAllowed = (() => {
  const probe = spawnSync("sh", [
    "-c",
    "d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d; e=$?; rmdir $d; exit $e",
  ]);
  return process.platform === "linux" && probe.status === 0;
})();
if (!isMountAllowed)
  console.log("skipped: the tests of a full and a read-only disk; mounting is not allowed here");

/** A warehouse of one grant, and one of many grants with purposes so long that a small disk cannot hold the release. */
const few = () => put("few.parquet");
const many = (rows: number) =>
  put(
    "many.parquet",
    { id: "i", purpose: "repeat(md5(i::VARCHAR), 10)", funder_ein: "1000 + i % 7" },
    `FROM range(${rows}) t(i)`,
  );

describe.skipIf(!isMountAllowed)("a sync to a separate disk", () => {
  let disk = "";
  beforeEach(async () => {
    disk = join(folder.home, "disk");
    await mkdir(disk);
  });
  afterEach(() => {
    spawnSync("umount", [disk]);
  });

  // A release of one grant takes 4 MB while it is built. In the others, `records` alone takes 5 and 16 MB, the whole 40 MB and more.
  const fullDisks = [
    { part: "the index", size: "26m", rows: 9_000, isWritten: true },
    { part: "records", size: "8m", rows: 30_000, isWritten: false },
  ];
  it.each(fullDisks)(
    "reports that the disk has no room for $part, and keeps the current release",
    async (full) => {
      expect(mount("-t", "tmpfs", "-o", `size=${full.size}`, "none", disk)).toBe(true);
      const data = join(disk, "data");
      await syncRelease(await few(), data);
      const before = await digestReleases(data);
      const ended = await runCommand(["sync"], {
        WAREHOUSE: await many(full.rows),
        DATA: data,
        ACCEPT: "amount",
      });
      expect(/^write records .* in /m.test(ended.stderr), ended.stderr).toBe(full.isWritten);
      expect(ended.stderr).toContain(
        `sync: The disk holding DATA is full; the release was not built. Free space and run \`make sync\` again. (DATA is "${data}"`,
      );
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).not.toMatch(/^\s+at .*:\d+|(IO|Memory|TransactionContext) Error/m);
      expect(await digestReleases(data)).toEqual(before);
    },
  );

  it("succeeds once there is room again", async () => {
    expect(mount("-t", "tmpfs", "-o", "size=8m", "none", disk)).toBe(true);
    const data = join(disk, "data");
    const warehouse = await many(9_000);
    expect((await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data })).code).toBe(2);
    expect(mount("-o", "remount,size=200m", disk)).toBe(true);
    await syncRelease(warehouse, data);
    expect((await readdir(data)).sort()).toEqual([
      "changes",
      "current",
      "metrics.prom",
      "releases",
      "run.json",
      "sync.lock",
    ]);
  }, 300_000); // two syncs, on a busy machine

  it("reports a read-only disk", async () => {
    expect(mount("-t", "tmpfs", "-o", "size=8m", "none", disk)).toBe(true);
    const data = join(disk, "data");
    await syncRelease(await few(), data);
    const before = await digestReleases(data);
    expect(mount("-o", "remount,ro", disk)).toBe(true);
    const ended = await runCommand(["sync"], { WAREHOUSE: await many(10), DATA: data, ACCEPT: "amount" });
    expect(ended.stderr).toBe(`sync: DATA "${data}" must be a folder that can be written (EROFS)\n`);
    expect(ended.code).toBe(2);
    expect(await digestReleases(data)).toEqual(before);
  });
});

const isLimitAllowed = spawnSync("sh", ["-c", "ulimit -f 1000"]).status === 0;
if (!isLimitAllowed) console.log("skipped: the test of a limit on file sizes; the shell cannot set one here");

describe("a sync under a limit on file sizes", () => {
  it.skipIf(!isLimitAllowed)("reports it and keeps the current release", async () => {
    const data = join(folder.home, "data");
    await syncRelease(await few(), data);
    const before = await digestReleases(data);
    const warehouse = await many(9_000);
    expect((await stat(warehouse)).size).toBeGreaterThan(100_000);
    // Blocks of 512 bytes (of 1,024 in bash): `records` needs more.
    const through = ["sh", "-c", 'ulimit -f 1000 && exec "$@"', "sh"];
    const ended = await runProcess(["sync"], { WAREHOUSE: warehouse, DATA: data, ACCEPT: "amount" }, through);
    expect(ended.stderr).toMatch(
      /sync: A file in DATA exceeds the limit on file sizes; the release was not built\. Raise the limit \(ulimit -f\) and run `make sync` again\. \(DATA is ".*\)\n$/,
    );
    expect(ended.code).toBe(2);
    expect(await digestReleases(data)).toEqual(before);
  });
});
