// Tests that a failure while a sync cleans up changes neither its result nor the error it ends with.
import { mkdirSync, renameSync } from "node:fs";
import { readdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError, RefusedError } from "../../pipeline/base/failure.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { digestReleases, fewThreads, noSearches, runCommand, syncRelease } from "./release.fixture.ts";
import { smallSite } from "./smallSite.ts";
import { findRelease, syncHere } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let [data, warehouse] = ["", ""];

beforeEach(async () => {
  data = join(folder.home, "data");
  warehouse = await put("w.parquet");
});

/** Runs a sync, and something else when it writes its first line; returns all its lines. */
async function syncWith(act: () => void): Promise<{ lines: string; error: unknown }> {
  const environment = { WAREHOUSE: warehouse, DATA: data, ...fewThreads, ...noSearches };
  let lines = "";
  const write = (line: string) => {
    if (lines === "") act();
    lines += line;
  };
  const progress = new Progress({ write }, () => performance.now());
  const error = await sync(readSyncSettings(environment), {
    progress,
    clock: () => new Date(),
    site: smallSite,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { lines, error };
}

describe("a sync that cannot remove old releases", () => {
  it("succeeds with a warning", async () => {
    const first = await syncRelease(warehouse, data);
    await symlink("rollbacks.json", join(data, "rollbacks.json")); // cannot be read, even by root
    const { code, stdout, stderr } = await runCommand(["sync"], {
      ...{ WAREHOUSE: warehouse, DATA: data, FORCE: "1", KEEP: "1" },
    });
    const release = await findRelease(data);
    const id = release.split("/").at(-1);
    expect(release).not.toBe(first);
    expect(stderr).toMatch(
      new RegExp(`^warning: release ${id} is current, but old releases were not removed: ELOOP`, "m"),
    );
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`release ${id},`) });
  });
});

describe("a sync that cannot keep the refused release", () => {
  it("ends with the refusal", async () => {
    const first = await syncHere(warehouse, data);
    const before = await digestReleases(data);
    const funder = "CASE WHEN i > 0 THEN '0' ELSE '131635294' END";
    await put("w.parquet", { funder_ein: funder, id: "i" }, "FROM range(2) t(i)");
    const inTheWay = () => mkdirSync(join(data, "refused/in the way"), { recursive: true });
    const { lines, error } = await syncWith(inTheWay);
    expect(error).toBeInstanceOf(RefusedError);
    expect(lines).toMatch(/^warning: the refused release was not kept: ENOTEMPTY/m);
    expect(await findRelease(data)).toBe(first);
    expect(await digestReleases(data)).toEqual(before);
  });
});

describe("a sync that cannot remove its temporary files", () => {
  const part = "x".repeat(200);
  const chain = Array.from({ length: 15 }, () => part).join("/");
  const deepest = () => join(data, "building", chain, "more");

  /** Puts folders so deep below `building` that their paths are longer than the system accepts. */
  const putDeepest = () => {
    for (const top of ["building", "more"]) mkdirSync(join(data, top, chain), { recursive: true });
    renameSync(join(data, "more"), deepest());
  };
  afterEach(() => rename(deepest(), join(data, "more")));

  const warning = /^warning: temporary files of this run were not removed: ENAMETOOLONG/m;

  it("succeeds with a warning", async () => {
    const { lines, error } = await syncWith(putDeepest);
    expect(error).toBeUndefined();
    expect(lines).toMatch(warning);
    expect(await readdir(data)).toContain("current");
  });

  it("ends with the error that stopped it", async () => {
    await writeFile(warehouse, "damaged");
    putDeepest();
    const { lines, error } = await syncWith(() => {});
    expect(error).toBeInstanceOf(InputError);
    expect(lines).toMatch(warning);
  });
});
