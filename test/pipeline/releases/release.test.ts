// Tests release ids, the build folder, the current release, flushing, and which releases are kept.
import { chmod, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
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
import { pruneReleases } from "../../../pipeline/releases/retention.ts";
import { recordRollback } from "../../../pipeline/releases/rollbacks.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

async function putRelease(data: string, id: string, manifest = "{}"): Promise<void> {
  await mkdir(join(data, "releases", id), { recursive: true });
  await writeFile(join(data, "releases", id, "manifest.json"), manifest);
}

async function putSealed(data: string, id: string, manifest: Partial<Manifest> = {}): Promise<void> {
  await mkdir(releaseFolder(data, id), { recursive: true });
  await writeManifest(releaseFolder(data, id), manifest as Manifest);
}

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
    for (let round = 0; round < 2; round += 1) {
      const build = await openBuild(data);
      expect(await readdir(build)).toEqual([]);
      expect(await readdir(buildFolder(data))).toEqual(["release"]);
      expect((await readdir(data)).sort()).toEqual(["building", "releases"]);
      await writeFile(join(build, "left over"), "");
      await mkdir(spillFolder(data));
      await mkdir(refusedFolder(data));
      await writeFile(join(refusedFolder(data), "refused"), "");
      expect((await readdir(data)).sort()).toEqual(["building", "refused", "releases"]);
    }
    await removeBuild(data);
    expect((await readdir(data)).sort()).toEqual(["refused", "releases"]);
  });

  it("becomes a release, and then the current one, by renames", async () => {
    const data = folder.home;
    await makeDataFolder(data);
    await writeManifest(await openBuild(data), { release: "x" } as Manifest);
    await symlink("left over", join(data, "current.next"));
    await placeRelease(data, "20260101T000000Z");
    expect(await findCurrent(data)).toBeUndefined();
    await activateRelease(data, "20260101T000000Z");
    expect((await readdir(data)).sort()).toEqual(["building", "current", "releases"]);
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
    expect(await inspectManifest(folder.home, "20250101T000000Z")).toEqual({
      name: "unreadable",
      code: "ELOOP",
    });
  });
});

/** A release whose manifest the file system refuses to read. */
async function putUnreadable(data: string, id: string): Promise<void> {
  await mkdir(releaseFolder(data, id), { recursive: true });
  await symlink("manifest.json", join(releaseFolder(data, id), "manifest.json"));
}

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

describe("pruning", () => {
  const unexpectedWarning = (line: string) => expect.unreachable(line);

  it("removes damaged releases first, even if they are the newest", async () => {
    const [whole, damaged, current] = ["20260101T000000Z", "20260102T000000Z", "20260103T000000Z"] as const;
    await mkdir(join(releaseFolder(folder.home, damaged), "manifest.json"), { recursive: true });
    await putRelease(folder.home, current, "{");
    await putSealed(folder.home, whole);
    await activateRelease(folder.home, current);
    expect(await pruneReleases(folder.home, 2, unexpectedWarning)).toEqual([damaged]);
    expect(await listReleases(folder.home)).toEqual([whole, current]);
  });

  it("keeps a release whose manifest cannot be read, and reports it", async () => {
    const [unreadable, whole, current] = [
      "20260101T000000Z",
      "20260102T000000Z",
      "20260103T000000Z",
    ] as const;
    await putUnreadable(folder.home, unreadable);
    for (const id of [whole, current]) await putSealed(folder.home, id);
    await activateRelease(folder.home, current);
    const warnings: string[] = [];
    expect(await pruneReleases(folder.home, 1, (line) => warnings.push(line))).toEqual([whole]);
    expect(await listReleases(folder.home)).toEqual([unreadable, current]);
    expect(warnings).toEqual([
      `warning: the manifest of release ${unreadable} cannot be read (ELOOP); the release is kept`,
    ]);
  });

  it("keeps the releases that were current last, even if their ids are older", async () => {
    const days = [1, 2, 3, 4, 5].map((day) => `2026010${day}T000000Z`);
    const [first = "", second = "", third = "", fourth = "", fifth = ""] = days;
    for (const id of [first, second, third, fourth]) await putSealed(folder.home, id);
    const inputs = null;
    await recordRollback(folder.home, { from: third, to: first, moment: "20260103T120000Z", inputs });
    await activateRelease(folder.home, fourth);
    expect(await pruneReleases(folder.home, 3, unexpectedWarning)).toEqual([second]);
    await putSealed(folder.home, fifth);
    await activateRelease(folder.home, fifth);
    expect(await pruneReleases(folder.home, 3, unexpectedWarning)).toEqual([third]);
    expect(await listReleases(folder.home)).toEqual([first, fourth, fifth]);
  });

  it("removes a release only if its index shows that no server has it open", async () => {
    const [damaged, unreadable, current] = ["20260101T000000Z", "20260102T000000Z", "20260103T000000Z"];
    for (const id of [damaged, unreadable, current]) await putSealed(folder.home, id);
    await writeFile(join(releaseFolder(folder.home, damaged), parts.index), "damaged");
    const loop = join(releaseFolder(folder.home, unreadable), parts.index);
    await symlink(parts.index, loop); // cannot be opened at all
    await activateRelease(folder.home, current);
    const warnings: string[] = [];
    await pruneReleases(folder.home, 1, (line) => warnings.push(line));
    const folders = await readdir(join(folder.home, "releases"));
    expect(folders.sort()).toEqual([`${unreadable}.pruned`, current]);
    expect(warnings).toEqual([
      expect.stringContaining("is not removed, because its index cannot be opened (ELOOP)"),
    ]);
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
          const pruned = await pruneReleases(data, keep, unexpectedWarning);
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
