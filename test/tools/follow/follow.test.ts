// Tests that a copy that follows is the release: after any nights, rollbacks and kills, and from hosts that lack or damage files.
import { spawn } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gateRules } from "../../../pipeline/releases/gate.ts";
import { inherited } from "../../inherited.ts";
import { checkout, runCommand } from "../../pipeline/release.fixture.ts";
import { findRelease, syncHere } from "../../pipeline/trust.fixture.ts";
import { grant, useFolder, useParquet } from "../../pipeline/warehouse/warehouse.fixture.ts";
import { followHere, readCopy, readRelease, type StaticHost, serveFiles } from "./follow.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);
const ACCEPT = gateRules.join();

type Row = { id: number; funder: number; year: number; cents: number; purpose: string };

let data = "";
let host: StaticHost;

beforeEach(async () => {
  data = join(folder.home, "data");
  host = await serveFiles(data);
});
afterEach(() => host.close());

/** Syncs these grants; returns the id of the release. */
async function night(rows: readonly Row[]): Promise<string> {
  const lines = join(folder.home, "rows.json");
  await writeFile(lines, rows.map((row) => JSON.stringify(row)).join("\n"));
  const columns = {
    ...grant,
    ...{ id: "id", funder_ein: "funder", transaction_year: "year", purpose: "purpose" },
    amount: "(cents / 100)::DECIMAL(18,2)",
    created_at: "TIMESTAMP '2026-11-20 04:00:00' - INTERVAL (id % 7) MILLISECOND",
    recipient_ein: "CASE WHEN id % 3 > 0 THEN 1234567 + id % 5 END",
  };
  const warehouse = await put("w.parquet", columns, `FROM read_json('${lines}')`);
  return basename(await syncHere(warehouse, data, { ACCEPT }));
}

const someRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, id) => ({
    ...{ id, funder: 100_000_000 + (id % 9), year: 2015 + (id % 6) },
    ...{ cents: 50_025 + id, purpose: `é "PURPOSE", ${id % 4}` },
  }));

/** A random number generator, for nights that can be repeated. */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
}

/** The grants after a night in which some are added, changed, moved to another funder, or removed. */
function change(rows: readonly Row[], random: () => number): Row[] {
  const isMany = random() < 0.1; // more than half: the copy must be downloaded again
  const share = isMany ? 0.7 : random() * 0.2;
  const kept = rows.flatMap((row): Row[] => {
    if (random() > share) return [row];
    const kind = Math.floor(random() * 4);
    if (kind === 0) return [];
    if (kind === 1) return [{ ...row, funder: 100_000_000 + Math.floor(random() * 12) }];
    if (kind === 2) return [{ ...row, cents: Math.floor(random() * 1e9) - 1e6 }];
    return [{ ...row, year: 2010 + Math.floor(random() * 15), purpose: `P ${random()}` }];
  });
  const next = Math.max(0, ...rows.map(({ id }) => id)) + 1;
  const added = someRows(Math.floor(random() * 20)).map((row) => ({ ...row, id: next + row.id }));
  return [...kept, ...added];
}

async function expectCopies(copies: readonly string[]): Promise<void> {
  const expected = await readRelease(await findRelease(data));
  for (const copy of copies) expect(await readCopy(copy), copy).toEqual(expected);
}

const copiesOf = (name = "grants") =>
  ["duckdb", "parquet"].map((ending) => join(folder.home, `${name}.${ending}`));

/** Milliseconds that the last run took which was not killed: moments after it would kill nothing. */
let duration = 500;

/** Follows in a process that is killed at a random moment, again and again, until one ends. Returns the number of kills. */
async function followThroughKills(into: string, random: () => number): Promise<number> {
  for (let kills = 0; ; kills++) {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "tools/follow/main.ts"], {
      ...{ cwd: checkout, stdio: "pipe" },
      env: { ...inherited(), FROM: host.url, INTO: into, MEMORY: "500MB", THREADS: "1" },
    });
    const start = performance.now();
    let stderr = "";
    child.stderr.on("data", (text) => (stderr += text));
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    if (kills < 4) void sleep(random() * duration).then(() => child.kill("SIGKILL"));
    const code = await ended;
    if (code === null) continue;
    expect(code, stderr).toBe(0);
    duration = performance.now() - start;
    return kills;
  }
}

describe("a copy", () => {
  const nights = 3; // a simulated course has many more

  it(`is the release after each of ${nights} random nights and rollbacks`, { timeout: 600_000 }, async () => {
    const seed = Number(process.env.SEED ?? 7);
    const random = seeded(seed);
    let rows = someRows(150);
    const copies = copiesOf();
    let kills = 0;
    const stale = copiesOf("stale"); // follow now and then, over several entries
    for (let at = 0; at < nights; at++) {
      rows = at === 0 ? rows : change(rows, random);
      await night(rows);
      const kept = (await readdir(join(data, "releases")))
        .filter((name) => /^\d{8}T\d{6}Z$/.test(name))
        .sort();
      if (at > 1 && (at === 2 || random() < 0.3)) {
        const to = kept[Math.floor(random() * (kept.length - 1))] ?? "";
        if (random() < 0.5) for (const copy of copies) await followHere(host.url, copy);
        expect(await runCommand(["rollback"], { DATA: data, TO: to })).toMatchObject({ code: 0 });
      }
      for (const copy of copies) {
        kills += await followThroughKills(copy, random);
        expect(await followHere(host.url, copy), `seed ${seed}`).toMatchObject({ code: 0 });
      }
      await expectCopies(copies);
      if (at % 5 === 2) {
        for (const copy of stale) expect(await followHere(host.url, copy)).toMatchObject({ code: 0 });
        await expectCopies(stale);
      }
    }
    expect(kills).toBeGreaterThan(nights);
    expect(
      (await readdir(folder.home)).filter((name) => /\.(download|changes|next|spill)/.test(name)),
    ).toEqual([]);
  });

  it("downloads once, then only changes, and nothing if there is nothing new", async () => {
    const rows = someRows(40);
    const first = await night(rows);
    const [copy = ""] = copiesOf();
    expect((await followHere(host.url, copy)).stdout).toBe(
      `follow: ${copy} is release ${first}, 40 grants, downloaded, 0 entries applied, digest proven\n`,
    );
    const second = await night(rows.slice(1));
    host.asked.length = 0;
    expect((await followHere(host.url, copy)).stdout).toBe(
      `follow: ${copy} is release ${second}, 39 grants, from release ${first}, 1 entries applied, digest proven\n`,
    );
    expect(host.asked).toEqual(["/v1/changes/index.json", `/v1/changes/${first}..${second}.parquet`]);
    expect((await followHere(host.url, copy)).stdout).toBe(
      `follow: nothing new; ${copy} is release ${second}\n`,
    );
  });
});

describe("a copy whose host", () => {
  it("damages a file of changes, or has another digest, is downloaded again or stays as it was", async () => {
    const rows = someRows(40);
    const first = await night(rows);
    const copies = copiesOf();
    for (const copy of copies) await followHere(host.url, copy);
    const before = await readRelease(await findRelease(data));
    const second = await night(rows.slice(1));
    const path = `/v1/changes/${first}..${second}.parquet`;
    host.override.set(path, "damaged");
    const [copy = "", other = ""] = copies;
    const { code, stdout, stderr } = await followHere(host.url, copy);
    expect([code, stderr]).toEqual([
      0,
      `${host.url}${path} does not have its SHA-256; all grants are downloaded again\n`,
    ]);
    expect(stdout).toContain("downloaded");
    await expectCopies([copy]);
    const index = await readFile(join(data, "changes/index.json"), "utf8");
    host.override.clear();
    host.override.set(
      "/v1/changes/index.json",
      index.replace(/"digest":"\w{64}"\}\s*\]/, `"digest":"${"0".repeat(64)}"}]`),
    );
    expect(await followHere(host.url, other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("follow: the records do not have the digest of the release\n"),
    });
    expect(await readCopy(other)).toEqual(before);
  });

  it("dropped its changes is downloaded again", async () => {
    const rows = someRows(40);
    await night(rows);
    const copies = copiesOf();
    for (const copy of copies) await followHere(host.url, copy);
    await night(rows.slice(1));
    await rm(join(data, "changes/index.json"));
    await night(rows.slice(2));
    for (const copy of copies)
      expect((await followHere(host.url, copy)).stderr).toMatch(
        /^no changes lead on from release \w+; all grants/,
      );
    await expectCopies(copies);
  });

  it.each([
    ["a page of HTML", "<!doctype html><title>Log in</title>"],
    ["JSON of another shape", '{"error":"no such route"}'],
    ["nothing", ""],
  ])("that answers %s is named, and nothing is kept", async (_, answer) => {
    const download = "/v1/downloads/grants.parquet";
    host.override.set(download, answer);
    host.override.set("/v1/changes/index.json", answer);
    const into = join(folder.home, "grants.parquet");
    expect(await followHere(host.url, into)).toMatchObject({
      code: 2,
      stderr: `follow: ${host.url}${download} answered something that is no Parquet file of grants. Check FROM\n`,
    });
    await night([{ id: 1, funder: 131635294, year: 2020, cents: 100, purpose: "a" }]);
    host.override.delete(download);
    expect(await followHere(host.url, into)).toMatchObject({
      code: 2,
      stderr: `follow: ${host.url}/v1/changes/index.json answered something that is no index of changes. Check FROM\n`,
    });
    expect(await readdir(folder.home)).not.toContain("grants.parquet");
  });

  it("cannot be read, or has no changes, is named", async () => {
    const into = join(folder.home, "grants.parquet");
    expect(await followHere(host.url, into)).toMatchObject({
      code: 2,
      stderr: `follow: ${host.url}/v1/downloads/grants.parquet answered 404\n`,
    });
    expect((await followHere("http://127.0.0.1:9", into)).stderr).toMatch(
      /^follow: .*9\/v1.*parquet cannot be read: /,
    );
    expect((await followHere("grants.example.org", into)).stderr).toMatch(/^follow: FROM must be a URL/);
    const { stderr } = await followHere("https://me:secret@grants.example.org", into);
    expect(stderr).toMatch(/^follow: FROM must have no user and no password/);
    expect(stderr).not.toContain("secret");
    expect((await followHere(host.url, "grants.csv")).stderr).toMatch(
      /^follow: INTO must be a file that ends in/,
    );
  });
});
