// Tests the lock: one of two syncs runs and the other names it, and the lock ends with its holder.

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LockedError } from "../../../pipeline/base/failure.ts";
import { withLock } from "../../../pipeline/base/lock.ts";
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

/** A module that continues in two processes only once both have reached the same point. */
const barrierScript = `
import { existsSync, readdirSync, writeFileSync } from "node:fs";
const folder = process.env.BARRIER;
export function meet(point) {
  writeFileSync(folder + "/" + point + "-" + process.pid, "");
  while (readdirSync(folder).filter((name) => name.startsWith(point + "-")).length < 2);
}
if (folder !== undefined && existsSync(folder)) meet("start");`;

/** Starts of two holders at the same moment. */
const rounds = 20;

/** Two of these processes take the lock at the same moment, again and again, and print what each got. */
const raceScript = `
import { meet } from "./barrier.mjs";
const { withLock } = await import(${JSON.stringify(join(checkout, "pipeline/base/lock.ts"))});
for (let round = 0; round < ${rounds}; round += 1) {
  meet("round" + round);
  await withLock(process.env.DATA, async () => {
    process.stderr.write("held\\n");
    meet("tried" + round);
  }).catch((error) => {
    process.stderr.write(error.message + "\\n");
    meet("tried" + round);
  });
}
process.exit();`;

/** Starts two commands that import a script and start at the same moment. */
async function startBoth(command: string, script: string, environment: Record<string, string>) {
  const barrier = join(folder.home, "barrier");
  await mkdir(barrier);
  await writeFile(join(folder.home, "barrier.mjs"), barrierScript);
  await writeFile(join(folder.home, "race.mjs"), raceScript);
  const settings = {
    ...environment,
    BARRIER: barrier,
    NODE_OPTIONS: `--import ${join(folder.home, script)}`,
  };
  return [0, 1].map(() => startCommand(command, settings));
}

describe("two processes that start together", () => {
  it(`get the lock and its holder, ${rounds} times`, async () => {
    const both = await startBoth("none", "race.mjs", { DATA: folder.home });
    const ends = await Promise.all(both.map(({ ended }) => ended));
    const lines = ends.map(({ stderr }) => stderr.trimEnd().split("\n"));
    const [first, second] = both.map(({ child }) => heldMessage(folder.home, child.pid).slice(6, -1));
    const wrong = lines[0]?.filter((line, round) => {
      const other = lines[1]?.[round];
      return !(line === "held" && other === first) && !(line === second && other === "held");
    });
    expect(wrong, ends.map(({ stderr }) => stderr).join("\n")).toEqual([]);
    expect(lines.map((of) => of.length)).toEqual([rounds, rounds]);
  });

  it("as syncs exit with 0 and with 4, and the release is intact", async () => {
    const warehouse = await put("w.parquet", spread(3), "FROM range(60) t(i)");
    const data = join(folder.home, "data");
    const content = await digestContent(await syncHere(warehouse, join(folder.home, "undisturbed")));
    const both = await startBoth("sync", "barrier.mjs", { WAREHOUSE: warehouse, DATA: data, FORCE: "1" });
    const ends = await Promise.all(both.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code).sort(), ends.map(({ stderr }) => stderr).join()).toEqual([0, 4]);
    const winner = ends.findIndex(({ code }) => code === 0);
    expect(ends[1 - winner]?.stderr).toBe(heldMessage(data, both[winner]?.child.pid));
    expect(ends[1 - winner]?.stdout).toBe("");
    const release = await findRelease(data);
    expect(await digestContent(release)).toEqual(content);
    await expectNoLeftovers(data);
    expect(await findProblems(release)).toBe("");
  });
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
  it.each(files)("repairs a file that is %s, and still lets only one process in", async (_, text) => {
    const path = join(folder.home, "sync.lock");
    await writeFile(path, text);
    expect(await withLock(folder.home, async () => 7)).toBe(7);
    await writeFile(path, text);
    const holder = await startHolder(folder.home);
    await expect(withLock(folder.home, async () => 8)).rejects.toThrow(LockedError);
    holder.child.kill("SIGKILL");
    await holder.ended;
    expect(await readdir(folder.home)).toEqual(["hold.mjs", "sync.lock"]);
  });

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
