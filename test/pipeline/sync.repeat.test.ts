// Tests that the same warehouse gives the same release (the index by content, all else by byte), and that only a changed one gives a different release.

import { appendFile, cp, readdir, readFile, stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Manifest } from "../../pipeline/releases/manifest.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { proofs } from "../proofs.ts";
import { itWhole } from "../whole.ts";
import { digestReleases, fewSearches, runCommand, runProcess, syncRelease } from "./release.fixture.ts";
import { smallSite } from "./smallSite.ts";
import { digestContent, findRelease, spread, syncHere } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** The files that name the release. */
const named = /^public\/v1\/downloads\/(?!grants\.csv)|^matches\.parquet$/;

/** The fields of a manifest that do not depend on when the release was made. */
async function readFacts(release: string) {
  const { sources, totals, pages, parts } = await readManifest(release);
  const { "report.json": report, "index.duckdb": index, ...others } = parts;
  expect(report).toBeDefined();
  expect(index).toBeDefined();
  const unnamed = Object.entries(others).filter(([path]) => !named.test(path));
  return { sources, totals, pages, parts: Object.fromEntries(unnamed) };
}

async function readManifest(release: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(release, "manifest.json"), "utf8")) as Manifest;
}

describe("the same warehouse", () => {
  itWhole(
    "gives the same release with any data folder, time, time zone and number of threads",
    async () => {
      const [warehouse, spillFolder] = [join(folder.home, "warehouse"), join(folder.home, "spill")];
      await writeSample({
        rows: proofs.syncedRows,
        seed: 3,
        folder: warehouse,
        memory: "1GB",
        threads: 2,
        spillFolder,
      });
      // DuckDB gives each thread 122,880 rows at a time: fewer rows are never divided. Every hundredth id occurs twice.
      const columns = spread(20);
      const large = {
        ...columns,
        id: "10_000_000 + CASE WHEN i % 100 = 1 THEN i - 1 ELSE i END",
        funder_ein: `(${columns.funder_ein})::VARCHAR`,
        recipient_ein: `(${columns.recipient_ein})::VARCHAR`,
      };
      await put("warehouse/large.parquet", large, `FROM range(${122_880 + 4_000}) t(i)`);
      const first = await syncRelease(warehouse, join(folder.home, "one"), { ...fewSearches, THREADS: "2" });
      const data = join(folder.home, "two/and deeper");
      // A separate process, because time zone and language belong to a process.
      const ended = await runProcess(["sync"], {
        ...fewSearches,
        ...{ WAREHOUSE: warehouse, DATA: data, THREADS: "1", MEMORY: "2GB" },
        ...{ TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8" },
      });
      expect(ended.code, ended.stderr).toBe(0);
      const second = await findRelease(data);
      const content = await digestContent(first);
      expect(Object.keys(content)).toEqual(
        expect.arrayContaining([
          ...["funders", "index.duckdb", "records", "records.offsets", "rejects.parquet", "searches"],
          "public/v1/history/all/1000-0.json.gz",
        ]),
      );
      expect(Object.keys(content).length).toBeGreaterThan(100);
      expect(await digestContent(second)).toEqual(content);
      expect(await readFacts(second)).toEqual(await readFacts(first));
    },
    180_000,
  );
});

describe("a sync of a data folder with a release", () => {
  let data = "";
  const grants = (name: string, count: string, changes: Record<string, string> = {}) =>
    put(name, { id: "i", ...changes }, `FROM range(${count}) t(i)`);

  beforeEach(() => {
    data = join(folder.home, "data");
  });

  it("reports that nothing is new, and changes nothing", async () => {
    const warehouse = join(folder.home, "w");
    await grants("w/a.parquet", "0, 120");
    await grants("w/b.parquet", "1000, 1003", { amount: "NULL::DECIMAL(18,2)" });
    const environment = { WAREHOUSE: warehouse, DATA: data };
    const made = await runCommand(["sync"], environment);
    expect(made.stdout).toMatch(
      /^sync: release \d{8}T\d{6}Z, 120 grants, 1 funders, 3 pages, 3 rejected, \d+\.\d s, peak memory \d+\.\d GB\n$/,
    );
    expect(made.stderr.split("\n").map((line) => line.slice(0, 14).trim())).toEqual(
      expect.arrayContaining(["check rows", "order grants", "write records", "find lines", "cut pages"]),
    );
    const release = /\d{8}T\d{6}Z/.exec(made.stdout)?.[0];
    const [before, { mtimeMs }] = [await digestReleases(data), await stat(join(data, "releases"))];
    expect(await runCommand(["sync"], environment)).toEqual({
      code: 0,
      stdout: `sync: nothing new in the warehouse; release ${release} stays current\n`,
      stderr: "",
    });
    expect(await digestReleases(data)).toEqual(before);
    expect((await stat(join(data, "releases"))).mtimeMs).toBe(mtimeMs);
    // Relative, so that the data folder can move.
    expect(before.current).toBe(`-> releases/${release}`);
    expect((await readdir(data)).sort()).toEqual([
      "changes",
      "current",
      "metrics.prom",
      "releases",
      "run.json",
      "sync.lock",
    ]);
  });

  itWhole("builds a new one if a setting that shapes it or a file of the site changed", async () => {
    const warehouse = await grants("w/a.parquet", "0, 120");
    const first = await syncHere(warehouse, data);
    expect(await syncHere(warehouse, data, { THREADS: "1", MEMORY: "2GB", MAX_FALL: "5" })).toBe(first);

    const searches = await syncHere(warehouse, data, { SEARCH_PAGES: "1" });
    expect(searches).not.toBe(first);
    expect((await readdir(join(searches, "public/v1/history/all"))).sort()).toEqual([
      "100-0.json.gz",
      "summary.json.gz",
    ]);
    expect(await syncHere(warehouse, data, { SEARCH_PAGES: "1" })).toBe(searches);

    const other = join(folder.home, "site");
    await cp(smallSite, other, { recursive: true });
    await appendFile(join(other, "assets/other.css"), "\n");
    const changed = await syncHere(warehouse, data, { SEARCH_PAGES: "1" }, other);
    expect(changed).not.toBe(searches);
    expect(await syncHere(warehouse, data, { SEARCH_PAGES: "1" }, other)).toBe(changed);
    expect(await readFile(join(changed, "public/assets/other.css"), "utf8")).toBe("\n");
  });

  itWhole(
    "builds a new one if forced, or if a file is touched, rewritten or added; KEEP of them remain",
    async () => {
      const warehouse = join(folder.home, "w");
      const file = await grants("w/a.parquet", "0, 120");
      const first = await syncRelease(warehouse, data);
      const content = await digestContent(first);

      const forced = await syncHere(warehouse, data, { FORCE: "1" });
      expect(await digestContent(forced)).toEqual(content);

      await utimes(file, new Date(), new Date(Date.UTC(2026, 0, 1)));
      const touched = await syncHere(warehouse, data, { KEEP: "2" });
      expect(await digestContent(touched)).toEqual(content);
      expect((await readdir(join(data, "releases"))).sort()).toEqual(
        [forced, touched].map((path) => basename(path)),
      );

      await grants("w/a.parquet", "0, 120", { purpose: "'OTHER'" });
      const rewritten = await syncHere(warehouse, data, { KEEP: "1" });
      expect((await digestContent(rewritten)).records).not.toBe(content.records);
      expect(await readdir(join(data, "releases"))).toEqual([basename(rewritten)]);

      await grants("w/b.parquet", "1000, 1001");
      const added = await syncHere(warehouse, data);
      expect((await readManifest(added)).totals.records).toBe(121);
      const made = [first, forced, touched, rewritten, added];
      expect(new Set(made).size).toBe(made.length);
      expect(made.toSorted()).toEqual(made);
    },
  );
});
