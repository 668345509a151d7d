// Tests release ids, the build folder, the current release, and flushing.
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  activateRelease,
  findCurrent,
  flush,
  inspectManifest,
  placeRelease,
} from "../../../pipeline/releases/current.ts";
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
  removeBuild,
  spillFolder,
} from "../../../pipeline/releases/folders.ts";
import { type Manifest, writeManifest } from "../../../pipeline/releases/manifest.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { putRelease, putSealed, putUnreadable } from "./folders.fixture.ts";

const folder = useFolder();

const moment = fc.date({ min: new Date("1970-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });

describe("release ids", () => {
  it("name their moment to the second and sort by it", () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [first = "", second = ""] = [a, b].map(formatReleaseId);
        const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
        expect(Math.sign(seconds(a) - seconds(b))).toBe(first < second ? -1 : Number(first > second));
        expect(Date.parse(releaseMoment(first))).toBe(seconds(a) * 1000);
      }),
    );
  });

  it("are one second later than the newest one if it is taken", async () => {
    const at = new Date("2026-12-31T23:59:58.900Z");
    expect(await freeReleaseId(folder.home, at)).toBe("20261231T235958Z");
    await putRelease(folder.home, "20261231T235958Z");
    await putRelease(folder.home, "20261231T235959Z");
    expect(await freeReleaseId(folder.home, at)).toBe("20270101T000000Z");
  });

  it("are not reused when the release is gone, nor when the clock goes back", async () => {
    const at = new Date("2026-12-31T23:59:58.900Z");
    await putRelease(folder.home, "20261231T235959Z"); // the one of 58 was removed
    expect(await freeReleaseId(folder.home, at)).toBe("20270101T000000Z");
    expect(await freeReleaseId(folder.home, new Date("2026-01-01T00:00:00Z"))).toBe("20270101T000000Z");
  });

  it("are listed oldest first, without any other entry of the folder", async () => {
    expect(await listReleases(folder.home)).toEqual([]);
    for (const id of ["20270101T000000Z", "20261231T235958Z", "tmp", "20270101T000000Z.old"]) {
      await putRelease(folder.home, id);
    }
    expect(await listReleases(folder.home)).toEqual(["20261231T235958Z", "20270101T000000Z"]);
  });
});

describe("a build", () => {
  it("starts in an empty folder, without anything that an earlier run left", async () => {
    const data = join(folder.home, "a/b/data");
    await makeDataFolder(data);
    expect((await stat(data)).mode & 0o777).toBe(0o750);
    for (let round = 0; round < 2; round += 1) {
      const build = await openBuild(data);
      expect(await readdir(build)).toEqual([]);
      expect(await readdir(buildFolder(data))).toEqual(["release"]);
      expect((await readdir(data)).sort()).toEqual(["building", "changes", "releases"]);
      await writeFile(join(build, "left over"), "");
      await mkdir(spillFolder(data));
      await mkdir(refusedFolder(data));
      await writeFile(join(refusedFolder(data), "refused"), "");
      expect((await readdir(data)).sort()).toEqual(["building", "changes", "refused", "releases"]);
    }
    await removeBuild(data);
    expect((await readdir(data)).sort()).toEqual(["changes", "refused", "releases"]);
  });

  it("becomes a release, and then the current one, by renames", async () => {
    const data = folder.home;
    await makeDataFolder(data);
    await writeManifest(await openBuild(data), { release: "x" } as Manifest);
    await symlink("left over", join(data, "current.next"));
    await placeRelease(data, "20260101T000000Z");
    expect(await findCurrent(data)).toBeUndefined();
    await activateRelease(data, "20260101T000000Z");
    expect((await readdir(data)).sort()).toEqual(["building", "changes", "current", "releases"]);
    expect(await readlink(join(data, "current"))).toBe("releases/20260101T000000Z");
    expect(await readFile(join(data, "current/manifest.json"), "utf8")).toContain('"release": "x"');
    expect(await findCurrent(data)).toEqual({ id: "20260101T000000Z", manifest: { release: "x" } });
  });

  it("fails when the data folder cannot be made", async () => {
    await writeFile(join(folder.home, "file"), "");
    for (const name of ["file", "file/below"]) {
      expect(await folder.refusal(makeDataFolder(join(folder.home, name)))).toBe(
        `DATA "/${name}" must be a folder that can be written (ENOTDIR)`,
      );
    }
  });
});

describe("the current release", () => {
  it.each([
    ["there is no link", undefined],
    ["the link leads nowhere", "releases/20260101T000000Z"],
    ["its manifest was cut off", "releases/20250101T000000Z"],
    ["its manifest is null", "releases/20250102T000000Z"],
    ["its manifest was changed after it was sealed", "releases/20250103T000000Z"],
  ])("is undefined if %s", async (_, target) => {
    await putRelease(folder.home, "20250101T000000Z", '{"schema_version":');
    await putRelease(folder.home, "20250102T000000Z", "null");
    await putSealed(folder.home, "20250103T000000Z", { totals: { records: 1000 } as Manifest["totals"] });
    const changed = join(releaseFolder(folder.home, "20250103T000000Z"), "manifest.json");
    await writeFile(changed, (await readFile(changed, "utf8")).replace("1000", "1"));
    if (target !== undefined) await symlink(target, join(folder.home, "current"));
    expect(await findCurrent(folder.home)).toBeUndefined();
  });

  it("does not count as damaged if its manifest cannot be read", async () => {
    await putUnreadable(folder.home, "20250101T000000Z");
    await symlink("releases/20250101T000000Z", join(folder.home, "current"));
    await expect(findCurrent(folder.home)).rejects.toThrow("ELOOP");
    expect(await inspectManifest(join(folder.home, "releases/20250101T000000Z"))).toEqual({
      name: "unreadable",
      code: "ELOOP",
    });
  });
});

describe("flush", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** Puts a release in the folder, and a `sync` command with this script on PATH; no command at all without one. */
  async function start(script?: string): Promise<string> {
    const release = join(folder.home, "release");
    await mkdir(join(release, "public/v1"), { recursive: true });
    const commands = join(folder.home, "commands");
    await mkdir(commands);
    if (script !== undefined) await writeFile(join(commands, "sync"), `#!/bin/sh\n${script}\n`);
    if (script !== undefined) await chmod(join(commands, "sync"), 0o755);
    vi.stubEnv("PATH", commands);
    return release;
  }

  it("runs `sync -f` on the release's file system", async () => {
    const release = await start(`echo "$@" > "${folder.home}/called"`);
    await flush(release);
    expect(await readFile(join(folder.home, "called"), "utf8")).toBe(`-f ${release}\n`);
  });

  it("fails when the command fails", async () => {
    const release = await start('echo "sync: error syncing: Input/output error" >&2; exit 1');
    await expect(flush(release)).rejects.toThrow("Input/output error");
  });

  it("flushes every file itself, page files included, if there is no such command", async () => {
    const release = await start();
    await writeFile(join(release, "public/v1/page"), "");
    await flush(release);
    await symlink("nothing", join(release, "public/v1/broken"));
    await expect(flush(release)).rejects.toThrow(join(release, "public/v1/broken"));
  });
});
