// Tests feeds as a server sends them, after real syncs.
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  type ChangesEntry,
  type ChangesIndex,
  changesName,
  changesUrl,
} from "../../../../api-static/contract/answers/changes.ts";
import { Release } from "../../../../api-static/search/release.ts";
import { gateRules } from "../../../../pipeline/releases/gate.ts";
import { spread, syncHere } from "../../../pipeline/trust.fixture.ts";
import { useFolder, useParquet } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { filterSamples } from "../../filterSamples.ts";
import { readAtom, readJsonFeed } from "../../readFeed.ts";
import { createTestApp, type TestApp } from "../release.fixture.ts";

const folder = useFolder();
const { put, connection } = useParquet(folder);

/** Syncs a warehouse of grants of 5 funders; returns the folder of its release. */
async function night(clauses: string, columns: Record<string, string> = {}): Promise<string> {
  const warehouse = await put("w.parquet", { ...spread(5), ...columns }, clauses);
  return syncHere(warehouse, join(folder.home, "data"), { ACCEPT: gateRules.join() });
}

/** Serves a release to a test, which closes it. */
async function serve(release: string, work: (app: TestApp) => Promise<void>, siteUrl = ""): Promise<void> {
  const opened = await Release.open(release);
  try {
    await work(createTestApp(opened, undefined, { siteUrl }));
  } finally {
    opened.leave();
    await opened.closed;
  }
}

const textOf = async (app: TestApp, path: string) => (await app.request(path)).text();
const hostile = `CASE i WHEN 61 THEN 'a]]><script>&' || chr(1) || '😀' ELSE ${spread(5).recipient_name} END`;

describe("a feed after two nights", () => {
  it("has exactly what the second night added, in both formats, by filter, and nothing once its file is gone", async () => {
    const data = join(folder.home, "data");
    const first = await night("FROM range(60) t(i)");
    const second = await night("FROM range(1, 64) t(i)", {
      recipient_name: hostile,
      purpose: `CASE i WHEN 3 THEN 'CHANGED' ELSE ${spread(5).purpose} END`,
    });
    const { entries } = JSON.parse(await readFile(join(data, "changes/index.json"), "utf8")) as ChangesIndex;
    await serve(
      second,
      async (app) => {
        const { updated, ...atom } = readAtom(await textOf(app, "/v1/history.atom"));
        expect(atom.entries.map(({ title }) => title)).toEqual([
          "$294.25 from EIN 10-0000002 to School 7 (2021)",
          "$257.25 from EIN 10-0000001 to a]]><script>&\uFFFD😀 (2020)",
          "$220.25 from EIN 10-0000000 to School 5 (2019)",
          "$331.25 from EIN 10-0000003 to School 8 (2015)",
        ]);
        expect(updated).toBe(entries.at(-1)?.at);
        expect([atom.url, atom.page]).toEqual([
          "https://grants.example.org/v1/history.atom",
          "https://grants.example.org/",
        ]);
        expect(atom.entries[0]?.page).toMatch(/^https:\/\/grants\.example\.org\/funder\?ein=10000000\d$/);
        const titles = new Set([atom.title]);
        for (const query of filterSamples.flatMap(([, ...both]) => both))
          titles.add(readAtom(await textOf(app, `/v1/history.atom?${new URLSearchParams(query)}`)).title);
        expect(titles.size, [...titles].join("|")).toBe(2 * filterSamples.length + 1);
        const json = readJsonFeed(await textOf(app, "/v1/history.feed.json"));
        expect(json).toEqual({ ...atom, url: atom.url.replace(".atom", ".feed.json") });
        const idsAt = async (path: string) => readAtom(await textOf(app, path)).entries.map(({ id }) => id);
        const byFunder = await idsAt("/v1/funders/100000001/history.atom");
        expect(byFunder).toEqual(await idsAt("/v1/history.atom?funder_ein=100000001"));
        expect(byFunder).toEqual(
          atom.entries.filter(({ title }) => title.includes("EIN 10-0000001")).map(({ id }) => id),
        );
        expect(await idsAt("/v1/history.atom?recipient_name=%3CSCRIPT%3E+a%5D&match=words")).toEqual(
          byFunder,
        );
        expect(await idsAt("/v1/history.atom?purpose=changed")).toEqual([]);
      },
      "https://grants.example.org",
    );
    await serve(first, async (app) => {
      const answer = await app.request("/v1/history.atom");
      expect(answer.headers.get("Cache-Control")).toBe("public, max-age=5"); // the chain ends in another release
    });
    await rm(
      join(
        data,
        "changes",
        changesName({ from: entries[1]?.from ?? "", to: entries[1]?.to ?? "" }, "parquet"),
      ),
    );
    await serve(second, async (app) =>
      expect(readAtom(await textOf(app, "/v1/history.atom")).entries).toEqual([]),
    );
  });
});

describe("a feed of many changes", () => {
  it("is found in the newest 1,000 files that added grants, with exact amounts", async () => {
    const changes = join(folder.home, "data/changes");
    await night("FROM range(40) t(i)");
    const most = "CASE i WHEN 40 THEN 9999999999999999.99::DECIMAL(18,2) END";
    const release = await night("FROM range(41) t(i)", { non_cash_amount: most });
    const { current, entries } = JSON.parse(
      await readFile(join(changes, "index.json"), "utf8"),
    ) as ChangesIndex;
    const last = entries[1] as ChangesEntry;
    const [added, none] = [join(folder.home, "added.parquet"), join(folder.home, "none.parquet")];
    await rename(join(changes, changesName(last, "parquet")), added);
    await connection().run(`COPY (FROM '${added}' LIMIT 0) TO '${none}' (FORMAT parquet)`);
    const entryOf = (from: string, to: string, count: number): ChangesEntry => {
      const files = last.files.map((file) => ({ ...file, url: changesUrl({ from, to }, file.format) }));
      return { ...last, from, to, files, added: count };
    };

    /** The entries of a feed after changes without files, and so many with a file that has nothing, though the index names a grant. */
    const summariesAfter = async (count: number) => {
      await rm(changes, { recursive: true });
      await mkdir(changes);
      const ids = Array.from({ length: count + 2 }, (_, at) => `20250101T${String(at).padStart(6, "0")}Z`);
      const chain = ids.slice(1).map((to, at) => entryOf(ids[at] as string, to, 1));
      for (const [at, entry] of chain.entries())
        await link(at === 0 ? added : none, join(changes, changesName(entry, "parquet")));
      chain.push(entryOf(ids.at(-1) as string, current, 0));
      await writeFile(join(changes, "index.json"), JSON.stringify({ current, entries: chain }));
      let summaries: string[] = [];
      await serve(release, async (app) => {
        summaries = readAtom(await textOf(app, "/v1/history.atom")).entries.map(({ summary }) => summary);
      });
      return summaries;
    };
    const found = ["With $9,999,999,999,999,999.99 of non-cash support. PURPOSE 1"];
    expect(await summariesAfter(999)).toEqual(found);
    expect(await summariesAfter(1_000)).toEqual([]);
  });
});

describe("a feed over HTTP", () => {
  it("is compressed, and has the newest grants", async () => {
    await night("FROM range(40) t(i)");
    await serve(await night("FROM range(60) t(i)"), async (app) => {
      const headers = { "Accept-Encoding": "gzip" };
      const zipped = await app.request("/v1/history.atom", { headers });
      expect(zipped.headers.get("Content-Encoding")).toBe("gzip");
      expect(readAtom(gunzipSync(await zipped.bytes()).toString()).entries).toHaveLength(20);
    });
  });

  it("is empty and valid if there are no changes, or their index is damaged", async () => {
    const release = await night("FROM range(40) t(i)");
    await serve(release, async (app) => {
      const empty = await textOf(app, "/v1/history.atom");
      expect(readAtom(empty)).toMatchObject({
        updated: JSON.parse(await readFile(join(release, "manifest.json"), "utf8")).synced_at,
        entries: [],
        url: "/v1/history.atom",
      });
      await writeFile(join(folder.home, "data/changes/index.json"), "{}");
      expect(await textOf(app, "/v1/history.atom")).toBe(empty);
    });
  });
});
