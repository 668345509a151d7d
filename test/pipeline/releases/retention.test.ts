// Tests which releases are kept, and that none is removed that a server has open.
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { listReleases, releaseFolder } from "../../../pipeline/releases/folders.ts";
import { pruneReleases, removePruned, setAside } from "../../../pipeline/releases/retention.ts";
import { recordRollback } from "../../../pipeline/releases/rollbacks.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { putRelease, putSealed, putUnreadable } from "./folders.fixture.ts";

const folder = useFolder();

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
    const made_from = null;
    await recordRollback(folder.home, { from: third, to: first, moment: "20260103T120000Z", made_from });
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
    await pruneReleases(folder.home, 1, unexpectedWarning);
    await removePruned(folder.home, (line) => warnings.push(line));
    const folders = await readdir(join(folder.home, "releases"));
    expect(folders.sort()).toEqual([expect.stringMatching(`^${unreadable}-.+\\.pruned$`), current]);
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

describe("a release that is pruned again", () => {
  it("is renamed although a server still has its first folder open", async () => {
    const [again, current] = ["20260101T000000Z", "20260102T000000Z"] as const;
    for (const id of [again, current]) await putSealed(folder.home, id);
    await activateRelease(folder.home, current);
    const open = join(folder.home, "releases", `${again}.pruned`);
    await mkdir(open);
    await symlink(parts.index, join(open, parts.index)); // counts as open
    expect(await pruneReleases(folder.home, 1, () => {})).toEqual([again]);
    expect(await listReleases(folder.home)).toEqual([current]);
  });
});

describe("a release that is set aside", () => {
  it("makes place for another one, and is removed with the next pruned ones", async () => {
    const [damaged, current] = ["20260101T000000Z", "20260102T000000Z"] as const;
    await putSealed(folder.home, current);
    await activateRelease(folder.home, current);
    for (let round = 0; round < 2; round += 1) {
      await putRelease(folder.home, damaged);
      await setAside(folder.home, damaged);
    }
    await setAside(folder.home, damaged); // is gone already
    const folders = (await readdir(join(folder.home, "releases"))).sort();
    expect(folders).toEqual([
      expect.stringMatching(/^20260101T000000Z-.+\.pruned$/),
      expect.stringMatching(/^20260101T000000Z-.+\.pruned$/),
      current,
    ]);
    await removePruned(folder.home, (line) => expect.unreachable(line));
    expect(await readdir(join(folder.home, "releases"))).toEqual([current]);
  });

  it("fails if the folder cannot be read", async () => {
    await symlink("releases", join(folder.home, "releases"));
    await expect(setAside(folder.home, "20260101T000000Z")).rejects.toThrow("ELOOP");
  });
});
