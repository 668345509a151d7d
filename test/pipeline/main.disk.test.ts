// Owns what a sync says and leaves behind when the disk has no room or takes no files.
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
  console.log("skipped: tests on a small and on a read-only disk; mounting is not allowed here");

/** Few grants, and many of so long a purpose that the named megabytes do not hold them. */
const few = () => put("few.parquet");
const many = (rows: number) =>
  put(
    "many.parquet",
    { id: "i", purpose: "repeat(md5(i::VARCHAR), 10)", funder_ein: "1000 + i % 7" },
    `FROM range(${rows}) t(i)`,
  );

describe.skipIf(!isMountAllowed)("a sync onto a disk of its own", () => {
  let disk = "";
  beforeEach(async () => {
    disk = join(folder.home, "disk");
    await mkdir(disk);
  });
  afterEach(() => {
    spawnSync("umount", [disk]);
  });

  // A release of one grant takes 4 MB while it is made. Of the others, `records` alone takes 5 and 16 MB, all of it 25 and more.
  it.each([
    { part: "the index", size: "16m", rows: 9_000, isWritten: true },
    { part: "records", size: "8m", rows: 30_000, isWritten: false },
  ])("says that the disk has no room for $part and keeps the release of before", async (full) => {
    expect(mount("-t", "tmpfs", "-o", `size=${full.size}`, "none", disk)).toBe(true);
    const data = join(disk, "data");
    await syncRelease(await few(), data);
    const before = await digestReleases(data);
    const ended = await runCommand(["sync"], { WAREHOUSE: await many(full.rows), DATA: data });
    expect(/^write records .* in /m.test(ended.stderr), ended.stderr).toBe(full.isWritten);
    expect(ended.stderr).toContain(
      `sync: DATA "${data}": the disk is full; room for a whole release was expected (`,
    );
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).not.toMatch(/^\s+at .*:\d+/m);
    expect(await digestReleases(data)).toEqual(before);
  });

  it("goes on by itself when there is room again", async () => {
    expect(mount("-t", "tmpfs", "-o", "size=8m", "none", disk)).toBe(true);
    const data = join(disk, "data");
    const warehouse = await many(9_000);
    expect((await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data })).code).toBe(2);
    expect(mount("-o", "remount,size=200m", disk)).toBe(true);
    await syncRelease(warehouse, data);
    expect((await readdir(data)).sort()).toEqual(["current", "metrics.prom", "releases", "sync.lock"]);
  });

  it("says that the disk takes no files", async () => {
    expect(mount("-t", "tmpfs", "-o", "size=8m", "none", disk)).toBe(true);
    const data = join(disk, "data");
    await syncRelease(await few(), data);
    const before = await digestReleases(data);
    expect(mount("-o", "remount,ro", disk)).toBe(true);
    const ended = await runCommand(["sync"], { WAREHOUSE: await many(10), DATA: data });
    expect(ended.stderr).toBe(`sync: DATA "${data}": a folder that can be written was expected (EROFS)\n`);
    expect(ended.code).toBe(2);
    expect(await digestReleases(data)).toEqual(before);
  });
});

const isLimitAllowed = spawnSync("sh", ["-c", "ulimit -f 1000"]).status === 0;
if (!isLimitAllowed)
  console.log("skipped: a test on files of limited size; the shell cannot limit them here");

describe("a sync whose files may not grow", () => {
  it.skipIf(!isLimitAllowed)("says so and keeps the release of before", async () => {
    const data = join(folder.home, "data");
    await syncRelease(await few(), data);
    const before = await digestReleases(data);
    const warehouse = await many(9_000);
    expect((await stat(warehouse)).size).toBeGreaterThan(100_000);
    // Blocks of 512 bytes (of 1,024 in bash): `records` needs more.
    const through = ["sh", "-c", 'ulimit -f 1000 && exec "$@"', "sh"];
    const ended = await runProcess(["sync"], { WAREHOUSE: warehouse, DATA: data }, through);
    expect(ended.stderr).toMatch(
      /sync: DATA ".*": its files may not grow as large as a release needs \(ulimit -f\); no such limit was expected \(.*\)\n$/,
    );
    expect(ended.code).toBe(2);
    expect(await digestReleases(data)).toEqual(before);
  });
});
