// Owns the proof of what becomes of releases: ids, the build folder, the current one, and which are kept.
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activateRelease, findCurrent, placeRelease } from "../../../pipeline/releases/current.ts";
import {
  buildFolder,
  formatReleaseId,
  freeReleaseId,
  listReleases,
  makeDataFolder,
  openBuild,
  refusedFolder,
  releaseFolder,
  releaseMoment,
  spillFolder,
} from "../../../pipeline/releases/folders.ts";
import { type Manifest, writeManifest } from "../../../pipeline/releases/manifest.ts";
import { pruneReleases } from "../../../pipeline/releases/retention.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

async function putRelease(data: string, id: string, manifest = "{}"): Promise<void> {
  await mkdir(join(data, "releases", id), { recursive: true });
  await writeFile(join(data, "releases", id, "manifest.json"), manifest);
}

const moment = fc.date({ min: new Date("1970-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });

describe("release ids", () => {
  it("tell their moment to the second and sort by it", () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [first = "", second = ""] = [a, b].map(formatReleaseId);
        const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
        expect(Math.sign(seconds(a) - seconds(b))).toBe(first < second ? -1 : Number(first > second));
        expect(Date.parse(releaseMoment(first))).toBe(seconds(a) * 1000);
      }),
    );
  });

  it("are a second later for each that is taken", async () => {
    const at = new Date("2026-12-31T23:59:58.900Z");
    expect(await freeReleaseId(folder.home, at)).toBe("20261231T235958Z");
    await putRelease(folder.home, "20261231T235958Z");
    await putRelease(folder.home, "20261231T235959Z");
    expect(await freeReleaseId(folder.home, at)).toBe("20270101T000000Z");
  });

  it("are not given again when the release is gone, nor when the clock goes back", async () => {
    const at = new Date("2026-12-31T23:59:58.900Z");
    await putRelease(folder.home, "20261231T235959Z"); // the one of 58 was removed
    expect(await freeReleaseId(folder.home, at)).toBe("20270101T000000Z");
    expect(await freeReleaseId(folder.home, new Date("2026-01-01T00:00:00Z"))).toBe("20270101T000000Z");
  });

  it("are listed from the oldest on, without what else lies there", async () => {
    expect(await listReleases(folder.home)).toEqual([]);
    for (const id of ["20270101T000000Z", "20261231T235958Z", "tmp", "20270101T000000Z.old"]) {
      await putRelease(folder.home, id);
    }
    expect(await listReleases(folder.home)).toEqual(["20261231T235958Z", "20270101T000000Z"]);
  });
});

describe("a build", () => {
  it("starts in an empty folder whatever was left there", async () => {
    const data = join(folder.home, "a/b/data");
    await makeDataFolder(data);
    for (let round = 0; round < 2; round += 1) {
      const build = await openBuild(data);
      expect(await readdir(build)).toEqual([]);
      expect(await readdir(buildFolder(data))).toEqual(["release"]);
      expect((await readdir(data)).sort()).toEqual(["building", "releases"]);
      await writeFile(join(build, "left over"), "");
      await mkdir(spillFolder(data));
      await mkdir(refusedFolder(data));
    }
  });

  it("becomes a release, and then the current one, by renames", async () => {
    const data = folder.home;
    await makeDataFolder(data);
    await writeFile(join(await openBuild(data), "manifest.json"), '{"release":"x"}');
    await symlink("left over", join(data, "current.next"));
    await placeRelease(data, "20260101T000000Z");
    expect(await findCurrent(data)).toBeUndefined();
    await activateRelease(data, "20260101T000000Z");
    expect((await readdir(data)).sort()).toEqual(["current", "releases"]);
    expect(await readlink(join(data, "current"))).toBe("releases/20260101T000000Z");
    expect(await readFile(join(data, "current/manifest.json"), "utf8")).toBe('{"release":"x"}');
    expect(await findCurrent(data)).toEqual({ id: "20260101T000000Z", manifest: { release: "x" } });
  });

  it("is refused where a folder cannot be made", async () => {
    await writeFile(join(folder.home, "file"), "");
    for (const name of ["file", "file/below"]) {
      expect(await folder.refusal(makeDataFolder(join(folder.home, name)))).toBe(
        `DATA "/${name}": a folder that can be written was expected (ENOTDIR)`,
      );
    }
  });
});

describe("the current release", () => {
  it.each([
    ["there is no link", undefined],
    ["the link leads nowhere", "releases/20260101T000000Z"],
    ["its manifest was not written whole", "releases/20250101T000000Z"],
  ])("is none when %s", async (_, target) => {
    await putRelease(folder.home, "20250101T000000Z", '{"schema_version":');
    if (target !== undefined) await symlink(target, join(folder.home, "current"));
    expect(await findCurrent(folder.home)).toBeUndefined();
  });
});

describe("pruning", () => {
  it("removes damaged releases before whole ones, however new", async () => {
    const [whole, damaged, current] = ["20260101T000000Z", "20260102T000000Z", "20260103T000000Z"] as const;
    await mkdir(join(folder.home, "releases", damaged, "manifest.json"), { recursive: true }); // cannot be read at all
    await putRelease(folder.home, current, "{");
    await putRelease(folder.home, whole);
    await writeManifest(releaseFolder(folder.home, whole), {} as Manifest);
    await activateRelease(folder.home, current);
    expect(await pruneReleases(folder.home, 2)).toEqual([damaged]);
    expect(await listReleases(folder.home)).toEqual([whole, current]);
  });

  it("keeps the current release and the newest of the others", async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { minLength: 1, maxLength: 7 }),
        fc.nat(),
        fc.integer({ min: 1, max: 8 }),
        async (days, pick, keep) => {
          const data = join(folder.home, String(round++));
          const ids = days.map((day) => `202602${String(day).padStart(2, "0")}T040000Z`);
          const current = ids[pick % ids.length] ?? "";
          for (const id of ids) await putRelease(data, id);
          await activateRelease(data, current);
          const pruned = await pruneReleases(data, keep);
          const others = ids.filter((id) => id !== current).sort();
          const kept = [current, ...others.reverse().slice(0, keep - 1)].sort();
          expect(await listReleases(data)).toEqual(kept);
          expect([...pruned, ...kept].sort()).toEqual(ids.sort());
        },
      ),
      { numRuns: 40 },
    );
  });
});
