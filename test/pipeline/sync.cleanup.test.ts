// Tests that a failure while a sync tidies up changes neither what it did nor the error it ends with.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { InputError, RefusedError } from "../../pipeline/failure.ts";
import * as folders from "../../pipeline/releases/folders.ts";
import { digestReleases, runCommand, syncRelease } from "./release.fixture.ts";
import { findRelease, syncHere } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

vi.mock("../../pipeline/releases/folders.ts", async (original) => {
  const real = await original<typeof folders>();
  const { removeLeftovers, refuseBuild } = real;
  return { ...real, removeLeftovers: vi.fn(removeLeftovers), refuseBuild: vi.fn(refuseBuild) };
});

const folder = useFolder();
const { put } = useParquet(folder);

let [data, warehouse] = ["", ""];

beforeEach(async () => {
  vi.resetAllMocks();
  data = join(folder.home, "data");
  warehouse = await put("w.parquet");
});

describe("a sync whose tidying fails", () => {
  it("succeeds with a warning when old releases cannot be removed", async () => {
    const first = await syncRelease(warehouse, data);
    await mkdir(`${first}.pruned`);
    await writeFile(join(`${first}.pruned`, "in the way"), "");
    const { code, stdout, stderr } = await runCommand(["sync"], {
      ...{ WAREHOUSE: warehouse, DATA: data, FORCE: "1", KEEP: "1" },
    });
    const release = await findRelease(data);
    const id = release.split("/").at(-1);
    expect(release).not.toBe(first);
    expect(stderr).toMatch(
      new RegExp(`^warning: release ${id} is current, but old releases were not removed: ENOTEMPTY`, "m"),
    );
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`release ${id},`) });
  });

  it("succeeds when leftovers cannot be removed", async () => {
    vi.mocked(folders.removeLeftovers).mockRejectedValue(new Error("leftovers stay"));
    await syncHere(warehouse, data);
    expect(folders.removeLeftovers).toHaveBeenCalled();
  });

  it("ends with the first error", async () => {
    const first = await syncHere(warehouse, data);
    const before = await digestReleases(data);
    vi.mocked(folders.removeLeftovers).mockRejectedValue(new Error("leftovers stay"));
    vi.mocked(folders.refuseBuild).mockRejectedValue(new Error("the refused release stays"));
    await writeFile(warehouse, "damaged");
    await expect(syncHere(warehouse, data)).rejects.toThrow(InputError);
    await put(
      "w.parquet",
      { funder_ein: "CASE WHEN i > 0 THEN '0' ELSE '131635294' END", id: "i" },
      "FROM range(2) t(i)",
    );
    await expect(syncHere(warehouse, data)).rejects.toThrow(RefusedError);
    expect(folders.refuseBuild).toHaveBeenCalled();
    expect(await findRelease(data)).toBe(first);
    expect(await digestReleases(data)).toEqual(before);
  });
});
