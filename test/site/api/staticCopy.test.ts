// Tests that pages of grants come from page files if no server answers, with the rows that the API would give.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readSearchPages } from "../../../api-static/release/layout.ts";
import { type Answer, type HistoryPage, staticHost } from "../../../site/src/api/client.ts";
import { useRelease } from "../../api-static/server/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const { signal } = new AbortController();

/** The module anew, as after a page load. */
let askOrFind: typeof import("../../../site/src/api/staticCopy.ts").askOrFind;
let fetched: string[] = [];
/** True if the host maps keys to files; if not, only the files' names find them. */
let hasRewrites = true;

beforeEach(async () => {
  vi.resetModules();
  ({ askOrFind } = await import("../../../site/src/api/staticCopy.ts"));
  fetched = [];
  hasRewrites = true;
  vi.stubGlobal("fetch", async (path: string) => {
    fetched.push(path);
    const name = decodeURIComponent(path);
    if (!name.endsWith(".gz") && !hasRewrites) return new Response("<!doctype html>", { status: 404 });
    const file = join(served().folder, "public", name.replace(/(\.gz)?$/, ".gz"));
    const stored = await readFile(file).catch(() => undefined);
    return stored ? new Response(gunzipSync(stored)) : new Response("<!doctype html>", { status: 404 });
  });
});
afterEach(() => vi.unstubAllGlobals());

let asked = 0;
/** A call to a host without a server. */
const noServer = async (): Promise<Answer<HistoryPage>> => {
  asked += 1;
  return staticHost;
};

async function expectSame(href: string): Promise<void> {
  const answer = await askOrFind(href, signal, noServer);
  expect(answer.isFound && answer.body, href).toEqual(JSON.parse(await served().askText(href)));
}

describe("a static host", () => {
  it("gives the rows and the total of every page of a funder, whatever the limit", async () => {
    const { big, small } = served().facts;
    for (const query of [
      "",
      "?offset=100",
      "?limit=1",
      "?limit=1000",
      "?limit=25&offset=200",
      "?limit=1000&offset=1000",
    ])
      await expectSame(`/v1/funders/${big.ein}/history${query}`);
    for (const query of ["", "?limit=1000"]) await expectSame(`/v1/funders/${small.ein}/history${query}`);
    await expectSame(`/v1/history?funder_ein=${big.ein}&limit=100`);
  });

  it("gives common searches, also those whose keys have escapes", async () => {
    const searches = readSearchPages(await readFile(join(served().folder, "searches"), "utf8"));
    const names = new Set(searches.map(({ key }) => key.split("/")[2] ?? ""));
    const queries = [...names].map((name) => (name === "all" ? "" : name));
    expect(queries.some((query) => /[+%]/.test(query))).toBe(true);
    for (const rewrites of [true, false]) {
      hasRewrites = rewrites;
      for (const query of queries) {
        await expectSame(`/v1/history?${query}`);
        await expectSame(`/v1/history?${query}&limit=1`.replace("?&", "?"));
      }
    }
  });

  it("gives the names of funders, from as many files as their EINs have starts", async () => {
    const { big, middle, small, organizationEin, unknownEin } = served().facts;
    const eins = new Set([big, middle, small].map(({ ein }) => ein).concat(String(organizationEin)));
    const href = `/v1/names?eins=${[...eins, unknownEin].sort()}`;
    const body = JSON.parse(await served().askText(href)); // the files also have causes
    expect(await askOrFind(href, signal, noServer)).toMatchObject({ isFound: true, body });
    expect(await askOrFind(`/v1/names?eins=${unknownEin}`, signal, noServer)).toEqual(staticHost);
  });

  it("is asked for files at once after the first call", async () => {
    asked = 0;
    await expectSame("/v1/history");
    await expectSame("/v1/history?limit=50");
    expect(asked).toBe(1);
  });

  it("has no answer to a rare search, to a window between pages, and to a funder without grants", async () => {
    const { big, unknownEin } = served().facts;
    for (const href of [
      "/v1/history?purpose=zzzzzz",
      `/v1/funders/${big.ein}/history?offset=50`,
      `/v1/funders/${unknownEin}/history`,
      "/v1/history?limit=0",
    ])
      expect(await askOrFind(href, signal, noServer), href).toEqual(staticHost);
    expect(fetched.length).toBeGreaterThan(0);
  });
});

describe("a server", () => {
  it("is asked first, and its answers and errors are final", async () => {
    const failure = { ...staticHost.failure, code: "timeout" } as const;
    for (const answer of [{ isFound: false, failure } as const, { isFound: true } as Answer<HistoryPage>])
      expect(await askOrFind("/v1/history", signal, async () => answer)).toBe(answer);
    expect(fetched).toEqual([]);
  });
});
