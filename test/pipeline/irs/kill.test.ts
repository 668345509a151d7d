// Tests that an import killed at any moment resumes, and ends with the bytes of one that was not killed.
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { digestFolder, type Ended, runProcess, spawnCommand } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { grantOf, member, objectId, putZip } from "./season.fixture.ts";

const folder = useFolder();

/** Zips and returns of each: an import spends most of its time reading and writing them. */
const [zips, returns] = [6, 400];
/** Imports that are killed. */
const kills = 3;

let [from, whole, duration] = ["", {} as Record<string, string>, 0];

beforeAll(async () => {
  from = join(folder.root, "zips");
  await mkdir(from);
  for (let zip = 0; zip < zips; zip += 1) {
    const entries = Array.from({ length: returns }, (_, index) => {
      const number = zip * returns + index - (index % 50 === 0 && zip > 0 ? 1 : 0); // some are in two zips
      return member(objectId(1 + (number % 366), number), {
        ein: String(100_000_000 + (number % 900)),
        grants: Array.from({ length: 5 }, (__, row) => grantOf(`RECIPIENT ${number} ${row}`, String(row))),
      });
    });
    putZip(from, `${zip}.zip`, entries);
  }
  const out = join(folder.root, "whole/warehouse");
  const start = performance.now();
  await runWell(out);
  duration = performance.now() - start;
  whole = await digestResult(out);
});

const settingsOf = (out: string) => ({ FROM: from, OUT: out, THREADS: "2" });

async function runWell(out: string): Promise<Ended> {
  const ended = await runProcess(["warehouse"], settingsOf(out));
  expect(ended.code, ended.stderr).toBe(0);
  return ended;
}

/** Everything that an import leaves, without the dates of files and the lock. */
async function digestResult(out: string): Promise<Record<string, string>> {
  const digests = await digestFolder(join(out, ".."));
  return Object.fromEntries(
    Object.entries(digests).filter(([name]) => !/(digests|state)\.json$|sync\.lock$/.test(name)),
  );
}

/** Kills an import after some time. If it ended before, it starts again without its result, and is killed in half of the time. */
async function kill(out: string, milliseconds: number): Promise<void> {
  const child = spawnCommand(["warehouse"], settingsOf(out));
  child.stdout.resume();
  child.stderr.resume();
  const ended = new Promise((resolve) => child.once("close", resolve));
  await Promise.race([ended, sleep(milliseconds)]);
  child.kill("SIGKILL");
  await ended;
  if (child.signalCode === "SIGKILL") return;
  await rm(join(out, ".."), { recursive: true });
  await mkdir(join(out, ".."));
  await kill(out, milliseconds / 2);
}

it(`an import killed ${kills} times, at random moments, resumes and writes the same bytes`, async () => {
  for (let run = 0; run < kills; run += 1) {
    const out = join(folder.home, `${run}/warehouse`);
    const moment = 0.2 + ((run * 0.618) % 1) * 0.8; // spread evenly, without repeating
    await mkdir(join(out, ".."));
    await kill(out, duration * moment);
    if (run % 3 === 0) await kill(out, (duration * moment) / 2); // and once more, in the second run
    await runWell(out);
    expect(await digestResult(out), `killed after ${moment} of the time`).toEqual(whole);
    expect((await readdir(`${out}.irs`)).sort()).not.toContain("spill");
    expect((await runWell(out)).stdout).toContain("nothing new");
    await rm(join(out, ".."), { recursive: true });
  }
}, 600_000);
