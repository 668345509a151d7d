// Owns the proof that the same warehouse gives the same bytes, and that only a new warehouse gives a new release.
import { readdir, readFile, readlink, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gateRules } from "../../pipeline/gate.ts";
import type { Manifest } from "../../pipeline/manifest.ts";
import { writeSample } from "../../pipeline/sample.ts";
import { findFiles } from "../../pipeline/warehouse.ts";
import { digestFolder, type Ended, runCommand, syncRelease } from "./release.fixture.ts";
import { useFolder, useParquet } from "./warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

/** Every file of a release by its digest, but those that tell when, how fast, and after which release it was made. */
async function digestContent(release: string): Promise<Record<string, string>> {
  const told = await digestFolder(release);
  const { "manifest.json": manifest, "report.json": report, "changes.json": changes, ...content } = told;
  expect(changes).toBeDefined();
  expect(manifest).toBeDefined();
  expect(report).toBeDefined();
  return content;
}

/** What a manifest says of a release, whenever it was made. */
async function readFacts(release: string) {
  const { sources, totals, pages, parts } = await readManifest(release);
  const { "report.json": report, ...others } = parts;
  expect(report).toBeDefined();
  return { sources, totals, pages, parts: others };
}

async function readManifest(release: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(release, "manifest.json"), "utf8")) as Manifest;
}

describe("the same warehouse", () => {
  it("gives the same bytes, whatever the data folder, the time, its zone and the threads", async () => {
    const [warehouse, spillFolder] = [join(folder.home, "warehouse"), join(folder.home, "spill")];
    await writeSample({ rows: 20_000, seed: 3, folder: warehouse, memory: "1GB", threads: 2, spillFolder });
    const first = await syncRelease(warehouse, join(folder.home, "one"));
    const second = await syncRelease(warehouse, join(folder.home, "two/and deeper"), {
      ...{ THREADS: "1", MEMORY: "2GB" },
      ...{ TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8" },
    });
    const content = await digestContent(first);
    expect(Object.keys(content)).toEqual(
      expect.arrayContaining(["funders", "index.duckdb", "records", "records.offsets", "rejects.parquet"]),
    );
    expect(Object.keys(content).length).toBeGreaterThan(400);
    expect(await digestContent(second)).toEqual(content);
    expect(await readFacts(second)).toEqual(await readFacts(first));
  });
});

describe("a warehouse that changed", () => {
  it("gives the same bytes with a release of before as without one", async () => {
    const [warehouse, spillFolder] = [join(folder.home, "warehouse"), join(folder.home, "spill")];
    await writeSample({ rows: 3_000, seed: 4, folder: warehouse, memory: "1GB", threads: 2, spillFolder });
    const [before = ""] = await findFiles(warehouse);
    // Some grants go, some change, one funder comes, and another gets more than a page.
    await connection().run(`CREATE OR REPLACE TABLE loaded AS FROM '${before}' WHERE id % 50 <> 0`);
    await connection().run("UPDATE loaded SET amount = 1 WHERE id % 71 = 0");
    const added = (id: string, ein: string) => `* EXCLUDE i REPLACE (${id} AS id, ${ein} AS funder_ein)`;
    await connection().run(
      `INSERT INTO loaded (SELECT ${added("-1", "'000000001'")} FROM loaded, range(1) t(i) LIMIT 1)`,
    );
    await connection().run(
      `INSERT INTO loaded (SELECT ${added("-2 - i", "(SELECT min(funder_ein) FROM loaded)")} FROM (FROM loaded LIMIT 1), range(1100) t(i))`,
    );
    const data = join(folder.home, "data");
    const first = await syncRelease(warehouse, data);
    const content = await digestContent(first);
    await connection().run(`COPY loaded TO '${before}' (FORMAT parquet)`);
    const second = await syncRelease(warehouse, data, { ACCEPT: gateRules.join() });
    const fresh = await syncRelease(warehouse, join(folder.home, "fresh"));
    expect(await digestContent(second)).toEqual(await digestContent(fresh));
    expect(await digestContent(first)).toEqual(content);
  });
});

describe("a sync where there is a release", () => {
  let warehouse = "";
  let data = "";
  const run = (environment: Record<string, string> = {}): Promise<Ended> =>
    runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, ...environment });

  beforeEach(async () => {
    warehouse = await put("w/a.parquet", { id: "i" }, "FROM range(120) t(i)");
    data = join(folder.home, "data");
  });

  it("says that nothing is new and changes nothing", async () => {
    const release = await syncRelease(warehouse, data);
    const [before, { mtimeMs }] = [await digestFolder(data), await stat(data)];
    expect(await run()).toEqual({
      code: 0,
      stdout: `sync: nothing new in the warehouse, release ${release.split("/").at(-1)} stays current\n`,
      stderr: "",
    });
    expect(await digestFolder(data)).toEqual(before);
    expect((await stat(data)).mtimeMs).toBe(mtimeMs);
  });

  it("makes a new release of the same bytes when forced", async () => {
    const first = await syncRelease(warehouse, data);
    const second = await syncRelease(warehouse, data, { FORCE: "1" });
    expect(second > first).toBe(true);
    expect(await digestContent(second)).toEqual(await digestContent(first));
  });

  it("makes a new release of the same bytes of a file that was touched", async () => {
    const first = await syncRelease(warehouse, data);
    await utimes(warehouse, new Date(), new Date(Date.UTC(2026, 0, 1)));
    const second = await syncRelease(warehouse, data);
    expect(second > first).toBe(true);
    expect(await digestContent(second)).toEqual(await digestContent(first));
  });

  it("makes a new release of other bytes when a file is rewritten or added", async () => {
    const warehouses = join(folder.home, "w");
    const first = await syncRelease(warehouses, data);
    await put("w/a.parquet", { id: "i", purpose: "'OTHER'" }, "FROM range(120) t(i)");
    const second = await syncRelease(warehouses, data);
    await put("w/b.parquet", { id: "1000" });
    const third = await syncRelease(warehouses, data);
    expect(new Set([first, second, third]).size).toBe(3);
    const totals = await Promise.all(
      [first, second, third].map(async (at) => (await readManifest(at)).totals),
    );
    expect(totals.map(({ records }) => records)).toEqual([120, 120, 121]);
    expect((await digestContent(second)).records).not.toBe((await digestContent(first)).records);
  });

  it("names the current release by a relative link, so that the data folder can move", async () => {
    const release = await syncRelease(warehouse, data);
    expect(await readlink(join(data, "current"))).toBe(`releases/${release.split("/").at(-1)}`);
    expect((await readdir(data)).sort()).toEqual(["current", "releases", "sync.lock"]);
  });

  it("keeps as many releases as it is told, the newest", async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const release = await syncRelease(warehouse, data, { FORCE: "1", KEEP: "2" });
      made.push(release.split("/").at(-1) ?? "");
    }
    expect((await readdir(join(data, "releases"))).sort()).toEqual(made.slice(1));
  });

  it("tells the release, grants, funders, pages, rejects, time and memory in its last line", async () => {
    await put("w/b.parquet", { id: "i", amount: "NULL::DECIMAL(18,2)" }, "FROM range(1000, 1003) t(i)");
    warehouse = join(folder.home, "w");
    const { stdout, stderr } = await run();
    expect(stdout).toMatch(
      /^sync: release \d{8}T\d{6}Z, 120 grants, 1 funders, 3 pages, 3 rejected, \d+\.\d s, peak memory 0\.\d GB\n$/,
    );
    expect(stderr.split("\n").map((line) => line.slice(0, 14).trim())).toEqual(
      expect.arrayContaining(["check rows", "order grants", "write records", "find lines", "cut pages"]),
    );
  });
});
