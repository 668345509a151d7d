// Tests the lock: one of two syncs runs and the other names it, and the lock ends with its holder.

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LockedError } from "../../../pipeline/base/failure.ts";
import { withLock } from "../../../pipeline/base/lock.ts";
import { spreadOf } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { checkout, digestFolder, runCommand } from "../release.fixture.ts";
import {
  digestContent,
  expectNoLeftovers,
  findProblems,
  findRelease,
  spread,
  startCommand,
  syncHere,
} from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

const heldMessage = (data: string, pid: number | undefined) =>
  `sync: DATA "${data}": another sync, pull or rollback is running (PID ${pid}); wait until it ends\n`;

/** A process that takes the lock, reports that, and holds it until it is killed. */
const holdScript = `
const { withLock } = await import(${JSON.stringify(join(checkout, "pipeline/base/lock.ts"))});
await withLock(process.env.DATA, async () => {
  process.stderr.write("held\\n");
  await new Promise((resolve) => setTimeout(resolve, 30_000));
});`;

/** Starts such a process; resolves once it holds the lock. */
async function startHolder(data: string) {
  const script = join(folder.home, "hold.mjs");
  await writeFile(script, `${holdScript}\n`);
  // The command never starts: the script is imported before it, and waits.
  return new Promise<ReturnType<typeof startCommand>>((resolve, reject) => {
    const holder = startCommand("none", { DATA: data, NODE_OPTIONS: `--import ${script}` }, (stderr) => {
      if (stderr.includes("held\n")) resolve(holder);
    });
    holder.ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
}

/** A module that starts a process only once another one has reached the same point. */
const barrierScript = `
import { existsSync, readdirSync, writeFileSync } from "node:fs";
const folder = process.env.BARRIER;
if (folder !== undefined && existsSync(folder)) {
  writeFileSync(folder + "/" + process.pid, "");
  while (readdirSync(folder).length < 2);
}`;

/** Starts of two syncs at the same moment. */
const rounds = 20;

describe("two syncs that start together", () => {
  itWhole(
    `exit with 0 and with 4, ${rounds} times, and the release is intact`,
    async () => {
      const warehouse = await put("w.parquet", spread(3), "FROM range(60) t(i)");
      const data = join(folder.home, "data");
      const content = await digestContent(await syncHere(warehouse, join(folder.home, "undisturbed")));
      const script = join(folder.home, "barrier.mjs");
      await writeFile(script, barrierScript);
      for (let round = 0; round < rounds; round += 1) {
        const barrier = join(folder.home, `barrier${round}`);
        await mkdir(barrier);
        const environment = { WAREHOUSE: warehouse, DATA: data, FORCE: "1", KEEP: "2", THREADS: "1" };
        const both = [0, 1].map(() =>
          startCommand("sync", { ...environment, BARRIER: barrier, NODE_OPTIONS: `--import ${script}` }),
        );
        const ends = await Promise.all(both.map(({ ended }) => ended));
        expect(ends.map(({ code }) => code).sort(), ends.map(({ stderr }) => stderr).join()).toEqual([0, 4]);
        const winner = ends.findIndex(({ code }) => code === 0);
        expect(ends[1 - winner]?.stderr).toBe(heldMessage(data, both[winner]?.child.pid));
        expect(ends[1 - winner]?.stdout).toBe("");
        expect(await digestContent(await findRelease(data))).toEqual(content);
        await expectNoLeftovers(data);
      }
      expect(await findProblems(await findRelease(data))).toBe("");
    },
    300_000,
  );
});

describe("a lock that is held", () => {
  let warehouse = "";
  let data = "";
  beforeAll(async () => {
    await mkdir(join(folder.root, "none"), { recursive: true });
    warehouse = await put("../w.parquet", spread(3), "FROM range(60) t(i)");
    data = join(folder.root, "held");
    await syncHere(warehouse, data);
    await syncHere(warehouse, data, { FORCE: "1" });
  });

  it("keeps syncs and rollbacks out, names its holder, and ends when the holder is killed", async () => {
    const holder = await startHolder(data);
    const before = await digestFolder(data);
    const [oldest = ""] = await readdir(join(data, "releases"));
    const [sync, forced, rollback] = await Promise.all([
      runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data }),
      runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, FORCE: "1" }),
      runCommand(["rollback"], { DATA: data, TO: oldest }),
    ]);
    const message = heldMessage(data, holder.child.pid);
    expect([sync, forced]).toEqual([
      { code: 4, stdout: "", stderr: message },
      { code: 4, stdout: "", stderr: message },
    ]);
    expect(rollback).toEqual({ code: 4, stdout: "", stderr: message.replace("sync:", "rollback:") });
    expect(await digestFolder(data)).toEqual(before);
    holder.child.kill("SIGKILL");
    await holder.ended;
    expect((await runCommand(["rollback"], { DATA: data, TO: oldest })).code).toBe(0);
    expect(await findRelease(data)).toBe(join(data, "releases", oldest));
    expect((await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, FORCE: "1" })).code).toBe(0);
  });

  it("does not block readers", async () => {
    const holder = await startHolder(data);
    const [releases, verify] = await Promise.all([
      runCommand(["releases"], { DATA: data }),
      runCommand(["verify"], { DATA: data }),
    ]);
    expect([releases.code, verify.code]).toEqual([0, 0]);
    holder.child.kill("SIGKILL");
    await holder.ended;
  });
});

describe("withLock", () => {
  const files = [
    ["damaged", "x".repeat(12_288)],
    ["empty", ""],
    ["something else", "{}"],
  ];
  it.each(spreadOf("damaged locks", files, 3))(
    "repairs a file that is %s, and still lets only one process in",
    async (_, text) => {
      const path = join(folder.home, "sync.lock");
      await writeFile(path, text);
      expect(await withLock(folder.home, async () => 7)).toBe(7);
      await writeFile(path, text);
      const holder = await startHolder(folder.home);
      await expect(withLock(folder.home, async () => 8)).rejects.toThrow(LockedError);
      holder.child.kill("SIGKILL");
      await holder.ended;
      expect(await readdir(folder.home)).toEqual(["hold.mjs", "sync.lock"]);
    },
  );

  it("names a lock file that cannot be repaired, not a temporary one", async () => {
    const path = join(folder.home, "sync.lock");
    await symlink("sync.lock", path); // cannot be written, even by root
    await expect(withLock(folder.home, async () => 7)).rejects.toMatchObject({ code: "ELOOP", path });
  });

  it("returns the work's result, and releases the lock if the work fails", async () => {
    expect(await withLock(folder.home, async () => 7)).toBe(7);
    await expect(withLock(folder.home, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const holder = await startHolder(folder.home);
    await expect(withLock(folder.home, async () => 8)).rejects.toThrow(LockedError);
    holder.child.kill("SIGKILL");
    await holder.ended;
    expect(await withLock(folder.home, async () => 9)).toBe(9);
  });
});
