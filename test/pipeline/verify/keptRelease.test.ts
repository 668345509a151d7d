// Tests that the verification of a kept release stays within its memory, leaves no spill folder, and waits for all its work.
import { cp, mkdir, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { checkRelease, verifyKeptRelease } from "../../../pipeline/verify/verify.ts";
import { spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);
const progress = new Progress({ write: () => true }, () => 0);

let data = "";
let id = "";

beforeAll(async () => {
  data = join(folder.root, "data");
  const warehouse = await put("../w.parquet", spread(5), "FROM range(1000) t(i)");
  id = basename(await syncHere(warehouse, data));
});

it("stays within its memory", async () => {
  const verified = verifyKeptRelease({ data, id, memory: "1MB", threads: 1 }, progress);
  await expect(verified).rejects.toThrow(/out of memory/i);
});

it("leaves no spill folder, and removes only that of a killed verification", async () => {
  const hoursOld = { "verify-spill-killed": 25, "verify-spill-running": 23 };
  for (const [name, hours] of Object.entries(hoursOld)) {
    await mkdir(join(data, name));
    await writeFile(join(data, name, "duckdb_temp_storage-0.tmp"), "");
    const then = Date.now() / 1000 - hours * 60 * 60;
    await utimes(join(data, name), then, then);
  }
  const settings = { data, id, memory: "1GB", threads: 1 };
  await Promise.all([verifyKeptRelease(settings, progress), verifyKeptRelease(settings, progress)]);
  const spills = (await readdir(data)).filter((name) => name.startsWith("verify-"));
  expect(spills).toEqual(["verify-spill-running"]);
  expect(await readdir(join(data, "releases"))).toEqual([id]);
});

it("ends only when all of its work has ended, even after a failure", async () => {
  const copy = join(folder.home, "release");
  await cp(join(data, "releases", id), copy, { recursive: true, verbatimSymlinks: true });
  await rm(join(copy, "rejects.parquet"));
  await symlink("rejects.parquet", join(copy, "rejects.parquet")); // cannot be read at all
  const { pages } = await readManifest(copy);
  let done = 0;
  const onProgress = (count: number) => {
    done = count;
  };
  const checked = checkRelease(copy, { memory: "1GB", threads: 1, spillFolder: "" }, onProgress);
  await expect(checked).rejects.toThrow("ELOOP");
  expect(done).toBe(pages.files);
});
