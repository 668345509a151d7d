// Tests that logged searches become page files in the next sync, and that unchanged files are linked and damaged ones built
// again.

import { cp, lstat, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { pathExists } from "fs-extra/esm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../../../pipeline/report/report.ts";
import {
  askRaw,
  readPort,
  type ServerProcess,
  startServer,
} from "../../../api-static/server/socket.fixture.ts";
import { fewSearches, runCommand } from "../../release.fixture.ts";
import { digestContent, findProblems, findRelease, spread, syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let [warehouse, data] = ["", ""];
const running: ServerProcess[] = [];

/** 20 funders, 700 grants of 7 years; one in ten has a rare purpose. */
const base = {
  ...spread(20),
  purpose: "CASE WHEN i % 10 = 3 THEN 'Rare 50% Café' ELSE 'PURPOSE ' || i % 13 END",
};

beforeEach(async () => {
  data = join(folder.home, "data");
  warehouse = await put("w.parquet", base, "FROM range(700) t(i)");
  const made = join(folder.root, "made");
  if (!(await pathExists(made))) await syncHere(warehouse, made, fewSearches);
  await cp(made, data, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
});

const syncFew = (changes: Record<string, string> = {}) =>
  syncHere(warehouse, data, { ...fewSearches, ...changes });

async function serve(): Promise<{ port: number; stop(): Promise<void> }> {
  const server = startServer({ DATA: data, PORT: "0" });
  running.push(server);
  const stop = async () => {
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  };
  return { port: await readPort(server), stop };
}

const readReport = async (release: string) =>
  JSON.parse(await readFile(join(release, "report.json"), "utf8")) as Report;

type Changes = Readonly<Record<"purge", string[]>>;

const readChanges = async (release: string) =>
  JSON.parse(await readFile(join(release, "changes.json"), "utf8")) as Changes;

/** Inode and modification time of the page files of searches, by their keys. */
async function readFiles(release: string): Promise<Map<string, string>> {
  const root = join(release, "public/v1/history");
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".gz"));
  const files = names.sort().map(async (name) => {
    const { ino, mtimeMs } = await lstat(join(root, name));
    return [`v1/history/${name.slice(0, -".gz".length)}`, `${ino} of ${mtimeMs}`] as const;
  });
  return new Map(await Promise.all(files));
}

const search = "/v1/history?purpose=rare%2050%25%20CAF%C3%89&min_amount=0";
const name = "purpose=rare+50%25+caf%C3%A9&min_amount=0.00";

describe("a logged search", () => {
  it("has page files after the next sync, and the server answers from them with the same bytes", async () => {
    const first = await syncFew();
    const before = await serve();
    const searched = await askRaw(before.port, search);
    const small = await askRaw(before.port, `${search}&limit=3`);
    const totals = await askRaw(before.port, search.replace("?", "/summary?"));
    expect(totals.headers["server-timing"]).toMatch(/^search;/);
    expect(searched.headers["server-timing"]).toMatch(/^search;/);
    expect(JSON.parse(searched.body.toString())).toMatchObject({ total: 70, limit: 100 });
    await before.stop();
    expect(await readFiles(first)).not.toContain(`v1/history/${name}/100-0.json`);

    // Logged searches alone do not cause a new release.
    const again = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, ...fewSearches });
    expect(again.stdout).toContain("nothing new in the warehouse");
    await utimes(warehouse, new Date(), new Date(Date.UTC(2026, 0, 1)));
    const second = await syncFew();
    const file = join(second, "public/v1/history", name, "100-0.json.gz");
    expect(gunzipSync(await readFile(file)).equals(searched.body)).toBe(true);
    const totalsFile = join(second, "public/v1/history", name, "summary.json.gz");
    expect(gunzipSync(await readFile(totalsFile)).equals(totals.body)).toBe(true);
    const { searches } = await readReport(second);
    expect(searches).toMatchObject({ learned: 1, files: (await readFiles(second)).size });

    const after = await serve();
    for (const path of [search, `/v1/history/${encodeURI(name)}/100-0.json`]) {
      const answered = await askRaw(after.port, path);
      expect(answered.headers["server-timing"]).toMatch(/^file;/);
      expect(answered.headers.etag).toBe(searched.headers.etag);
      expect(answered.headers.link).toBe(searched.headers.link);
      expect(answered.body.equals(searched.body)).toBe(true);
    }
    const totalsAgain = await askRaw(after.port, search.replace("?", "/summary?"));
    expect(totalsAgain.headers["server-timing"]).toMatch(/^file;/);
    expect(totalsAgain.headers.etag).toBe(totals.headers.etag);
    expect(totalsAgain.body.equals(totals.body)).toBe(true);
    const smallAgain = await askRaw(after.port, `${search}&limit=3`);
    expect(smallAgain.headers["server-timing"]).toMatch(/^search;/);
    expect(smallAgain.body.equals(small.body)).toBe(true);
    await after.stop();
  });

  it("gives the same content in every release that is made with the same log", async () => {
    const day = new Date().toISOString();
    const line = { time: day, request: `/v1/history?${name}&limit=100&offset=0`, count: 2 };
    await mkdir(join(data, "search-log"), { recursive: true });
    const log = join(data, "search-log", `${day.slice(0, 10).replaceAll("-", "")}T000000Z-1.ndjson`);
    await writeFile(log, `${JSON.stringify(line)}\n{"time":`);
    const first = await digestContent(await syncFew({ FORCE: "1" }));
    const second = await digestContent(await syncFew({ FORCE: "1", THREADS: "1" }));
    expect(Object.keys(first)).toContain(`public/v1/history/${name}/100-0.json.gz`);
    expect(Object.keys(first)).not.toContain(`public/v1/history/${name}/1000-0.json.gz`); // 70 grants
    expect(second).toEqual(first);
    // No longer learned: its page is gone, and nothing has to be purged, because a server sends the same bytes.
    await rm(log);
    await utimes(warehouse, new Date(), new Date(Date.UTC(2026, 0, 1)));
    const third = await syncFew();
    expect([...(await readFiles(third)).keys()].filter((key) => key.includes(name))).toEqual([]);
    expect((await readChanges(third)).purge).toEqual(["/v1/downloads/*"]);
  });
});

describe("page files of searches after a night", () => {
  it("are linked if their bytes are the same, and new files otherwise", async () => {
    const first = await findRelease(data);
    const before = await readFiles(first);
    const content = await digestContent(first);
    // The grants of 2021 get another purpose: searches without a purpose stay the same, except those of that year.
    const purpose =
      "CASE WHEN i % 7 = 6 THEN 'OTHER' WHEN i % 10 = 3 THEN 'Rare 50% Café' ELSE 'PURPOSE ' || i % 13 END";
    await put("w.parquet", { ...base, purpose }, "FROM range(700) t(i)");
    const second = await syncFew();
    const after = await readFiles(second);
    const contentAfter = await digestContent(second);
    const stored = (key: string) => `public/${key}.gz`;
    const written = [...after.keys()].filter((key) => contentAfter[stored(key)] !== content[stored(key)]);
    const same = [...after.keys()].filter((key) => !written.includes(key));
    expect(same).toEqual(expect.arrayContaining(["v1/history/transaction_year=2020/100-0.json"]));
    expect(written).toEqual(
      expect.arrayContaining(["v1/history/all/100-0.json", "v1/history/purpose=other/100-0.json"]),
    );
    for (const key of same) expect(after.get(key), key).toBe(before.get(key));
    for (const key of written) expect(after.get(key), key).not.toBe(before.get(key));
    expect([...before.keys()].some((key) => !after.has(key))).toBe(true);
    expect((await readChanges(second)).purge).toContain("/v1/history*");
    const { pages } = await readReport(second);
    expect(pages.linked).toBeGreaterThanOrEqual(same.length);
    expect(await digestContent(first)).toEqual(content);
    const fresh = await syncHere(warehouse, join(folder.home, "fresh"), { ...fewSearches, FORCE: "1" });
    expect(contentAfter).toEqual(await digestContent(fresh));
  });

  for (const kind of ["is damaged", "is missing"])
    it(`are all built again if one of the previous release ${kind}`, async () => {
      const first = await findRelease(data);
      const path = join(first, "public/v1/history/transaction_year=2020/100-0.json.gz");
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60);
      await (kind === "is missing" ? rm(path) : writeFile(path, bytes));
      await utimes(warehouse, new Date(), new Date(Date.UTC(2026, 0, 1)));
      const second = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data, ...fewSearches });
      expect(second).toMatchObject({ code: 0 });
      expect(second.stderr).toContain("v1/history/transaction_year=2020/100-0.json");
      expect(second.stderr).toContain("all pages are built again");
      const release = await findRelease(data);
      expect(await findProblems(release)).toBe("");
      const names = (await readReport(release)).steps.map(({ name }) => name);
      expect(names, "steps of the second attempt alone").toEqual([...new Set(names)]);
    });
});
