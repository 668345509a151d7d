// Tests that a sync writes only the pages that changed, and makes the same release as a full rebuild.
import { cp, lstat, readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { beforeEach, describe, expect, it } from "vitest";
import { itWhole } from "../../whole.ts";
import { digestContent, findProblems, findRelease, readFunders, spread, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** 100 funders with 4 rows each, one with 1,000 rows and one with 250. */
const clauses =
  "FROM (SELECT i, i % 100 AS f FROM range(400) t(i) UNION ALL SELECT i, 100 FROM range(2000, 3000) t(i) UNION ALL SELECT i, 101 FROM range(4000, 4250) t(i)) r(i, f)";
const usual = spread(100);
const base = { ...usual, funder_ein: "100000000 + f" };

/** Inode and modification time of every page file, by page key. */
async function readPageFiles(release: string): Promise<Map<string, string>> {
  const root = join(release, "public");
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".json.gz"));
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const { ino, mtimeMs } = await lstat(join(root, name));
        return [name.slice(0, -".gz".length), `${ino} of ${mtimeMs}`] as const;
      }),
    ),
  );
}

type Changes = Readonly<Record<"added" | "changed" | "removed" | "purge", string[]>>;

async function readChanges(release: string): Promise<Changes> {
  return JSON.parse(await readFile(join(release, "changes.json"), "utf8")) as Changes;
}

describe("a sync after a night", () => {
  let [warehouse, data, first] = ["", "", ""];

  beforeEach(async () => {
    data = join(folder.home, "data");
    warehouse = await put("w.parquet", base, clauses);
    const made = join(folder.root, "made");
    if (!(await pathExists(made))) await syncHere(warehouse, made);
    await cp(made, data, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    first = await findRelease(data);
  });

  /** Syncs, and expects that only the pages of these funders are new files. */
  async function expectLinked(touched: readonly string[]): Promise<string> {
    const before = await readPageFiles(first);
    const content = await digestContent(first);
    const release = await syncHere(warehouse, data);
    const after = await readPageFiles(release);
    const isTouched = (key: string) => touched.some((ein) => key.startsWith(`v1/funders/${ein}/`));
    const written = [...after].filter(([key, file]) => before.get(key) !== file).map(([key]) => key);
    expect(written.sort()).toEqual([...after.keys()].filter(isTouched).sort());
    expect(await digestContent(first)).toEqual(content);
    const fresh = await syncHere(warehouse, join(folder.home, "fresh"), { FORCE: "1" });
    expect(await digestContent(release)).toEqual(await digestContent(fresh));
    return release;
  }

  it("writes the pages of funders that were added, changed or removed, and no others", async () => {
    const changes = {
      purpose: "CASE WHEN f IN (17, 70) THEN 'OTHER' ELSE 'PURPOSE ' || i % 13 END",
      funder_ein: "CASE WHEN f = 40 THEN 99999999 WHEN f = 99 THEN 100000098 ELSE 100000000 + f END",
    };
    await put("w.parquet", { ...base, ...changes }, clauses);
    const changed = ["100000017", "100000070", "100000098"];
    const release = await expectLinked(["099999999", ...changed]);
    expect(await readChanges(release)).toEqual({
      added: ["099999999"],
      changed,
      removed: ["100000040", "100000099"],
      purge: [
        "/v1/history*",
        "/v1/funders/*/summary",
        "/v1/funders/*/peers",
        "/v1/recipients/*",
        "/v1/grants/*",
        "/v1/organizations*",
        "/v1/names*",
        ...["099999999", "100000017", "100000040", "100000070", "100000098", "100000099"].map(
          (ein) => `/v1/funders/${ein}/*`,
        ),
        "/v1/downloads/*",
      ],
    });
  });

  itWhole("writes the pages of a funder that grows by a page, and of one that shrinks", async () => {
    const moved = "CASE WHEN f = 100 AND i >= 2150 THEN 100000005 ELSE 100000000 + f END";
    await put("w.parquet", { ...base, funder_ein: moved }, clauses);
    const release = await expectLinked(["100000005", "100000100"]);
    const funders = await readFunders(release);
    expect([funders.get(100_000_005), funders.get(100_000_100)]).toEqual([854, 150]);
    const pagesOf = async (ein: string) =>
      (await readdir(join(release, "public/v1/funders", ein))).map((name) => name.split(".")[0]).sort();
    const small = [0, 100, 200, 300, 400, 500, 600, 700, 800].map((offset) => `history-100-${offset}`);
    expect(await pagesOf("100000005")).toEqual([...small, "history-1000-0"]);
    expect(await pagesOf("100000100")).toEqual(["history-100-0", "history-100-100", "history-1000-0"]);
  });

  itWhole("writes no page if the warehouse was touched but has the same content", async () => {
    await utimes(warehouse, new Date(), new Date(Date.UTC(2026, 0, 1)));
    const release = await expectLinked([]);
    expect(release).not.toBe(first);
    const nothing = { added: [], changed: [], removed: [], purge: ["/v1/downloads/*"] };
    expect(await readChanges(release)).toEqual(nothing);
  });

  itWhole("writes every page again when forced, and reports that nothing changed", async () => {
    const release = await syncHere(warehouse, data, { FORCE: "1" });
    const [before, after] = [await readPageFiles(first), await readPageFiles(release)];
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [key, file] of after) expect(file).not.toBe(before.get(key));
    expect(await digestContent(release)).toEqual(await digestContent(first));
    expect((await readChanges(release)).purge).toEqual(["/v1/downloads/*"]);
  });

  itWhole("works after the releases whose pages it linked are removed", async () => {
    for (const other of ["'A'", "'B'"]) {
      const purpose = `CASE WHEN f = 3 THEN ${other} ELSE ${usual.purpose} END`;
      await put("w.parquet", { ...base, purpose }, clauses);
      await syncHere(warehouse, data, { KEEP: "1" });
    }
    expect(await readdir(join(data, "releases"))).toHaveLength(1);
    expect(await findProblems(await findRelease(data))).toBe("");
  });
});
