// Tests the answers that are kept for further requests: they are those of a service that keeps none, from the right release, and bounded.
import { afterEach, describe, expect, it, vi } from "vitest";
import { PageFiles } from "../../../api-static/release/pageFileFormat.ts";
import type { Release } from "../../../api-static/search/release.ts";
import type { AppContext } from "../../../api-static/server/app.ts";
import { ServerMetrics } from "../../../api-static/server/observe/metrics.ts";
import type { AnsweredSearch } from "../../../api-static/server/observe/searchLog.ts";
import { requestTable } from "../requestTable.ts";
import { idleQueues } from "../search/client.fixture.ts";
import { createTestApp, fixedNow, type TestApp, useRelease } from "./release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** A service that counts the page files it reads. */
function start(changes: Partial<AppContext> = {}, release: Release | undefined = served().release) {
  const read = vi.spyOn(PageFiles.prototype, "read");
  const lines: Record<string, unknown>[] = [];
  const app = createTestApp(release, (line) => lines.push(JSON.parse(line)), changes);
  const ask = (path: string, headers: Record<string, string> = gzip) => app.request(path, { headers });
  return { app, ask, lines, reads: () => read.mock.calls.length };
}

const gzip = { "Accept-Encoding": "gzip" };

/** A response without what differs from request to request. */
async function steady(response: Response) {
  const { status, headers } = response;
  const steady = [...headers].filter(([name]) => !["x-request-id", "server-timing"].includes(name));
  return { status, headers: steady, body: Buffer.from(await response.arrayBuffer()).toString("latin1") };
}

afterEach(() => vi.restoreAllMocks());

/** A page of the funder, by its offset. */
const page = (offset = 0) => `/v1/funders/131635294/history?limit=100&offset=${offset}`;

/** A page of the site, with tags of its address. */
const funderPage = "/funder?ein=131635294";

describe("a kept answer", () => {
  it("is the answer of a service that keeps none, for every request of the table", async () => {
    const [keeping, fresh] = [start(), start({ preparedBytes: 0 })];
    const send = (app: TestApp, path: string, method: string, headers: Record<string, string>) =>
      app.request(path, { method, headers, redirect: "manual" });
    const paths = requestTable(served().facts).map(({ path }) => path);
    const kinds: [string, Record<string, string>][] = [
      ["GET", gzip],
      ["GET", {}],
      ["HEAD", gzip],
      ["GET", { ...gzip, "If-None-Match": "*" }],
      ["GET", { ...gzip, "If-Match": '"other"' }],
      ["GET", { ...gzip, Range: "bytes=0-9" }],
    ];
    let fromFiles = 0;
    for (const path of [...paths.filter((_, index) => index % 40 === 0), page(), "/v1/history", funderPage]) {
      const first = await send(keeping.app, path, "GET", gzip);
      await send(keeping.app, path, "GET", gzip); // kept, if it is read from a file
      if (first.headers.get("Server-Timing")?.startsWith("file")) fromFiles += 1;
      for (const [method, headers] of kinds) {
        const again = await steady(await send(keeping.app, path, method, headers));
        expect(again, `${method} ${path}`).toStrictEqual(
          await steady(await send(fresh.app, path, method, headers)),
        );
      }
    }
    expect(fromFiles).toBeGreaterThan(1);
  });

  it("needs no file, is logged and counted like one that is read, and has an id and a time of its own", async () => {
    const noted: AnsweredSearch[] = [];
    const metrics = new ServerMetrics({ current: undefined }, idleQueues(), () => fixedNow);
    const searchLog = { note: (search: AnsweredSearch) => noted.push(search) };
    const { ask, lines, reads } = start({ metrics, searchLog });
    for (const path of [page(), "/v1/history"]) {
      const answers = [await ask(path), await ask(path), await ask(path)];
      for (const { headers } of answers) expect(headers.get("Server-Timing")).toMatch(/^file;dur=\d+\.\d\d$/);
      expect(new Set(answers.map(({ headers }) => headers.get("X-Request-Id"))).size).toBe(3);
    }
    expect(reads()).toBe(4);
    const [first, , third] = lines.map(({ request_id, duration_ms, ...line }) => line);
    expect(third).toStrictEqual(first);
    expect(lines).toHaveLength(6);
    expect(noted.map(({ path, total }) => [path, total])).toStrictEqual(
      Array.from({ length: 3 }, () => ["file", served().lines.length]),
    );
    const counted = 'route="/v1/history",status="200",code="",answered_by="file"} 3\n';
    expect(await metrics.format()).toContain(counted);
  });

  it("is not sent to clients without gzip", async () => {
    const { ask, reads } = start();
    for (let round = 0; round < 3; round++) {
      expect((await ask(page())).headers.get("Content-Encoding")).toBe("gzip");
      expect((await ask(page(), {})).headers.get("Content-Encoding")).toBeNull();
    }
    expect(reads()).toBe(5);
  });

  it("is one that is read from a file: no search, slice or error is kept", async () => {
    const { app } = start();
    const enter = vi.spyOn(served().release, "enter");
    const isKept = async (url: string) => {
      for (let round = 0; round < 2; round++) await app.request(url, { headers: gzip });
      enter.mockClear();
      await app.request(url, { headers: gzip });
      return enter.mock.calls.length === 0;
    };
    for (const path of [page(), "/v1/history"]) expect(await isKept(path), path).toBe(true);
    for (const path of ["/v1/history?purpose=a", `${page()}1`, "/nowhere"])
      expect(await isKept(path), path).toBe(false);
  });

  it("has the Cache-Control of the moment", async () => {
    let now = fixedNow;
    const { ask, reads } = start({ clock: () => now });
    const seconds = async () =>
      /s-maxage=(\d+)/.exec((await ask(page())).headers.get("Cache-Control") ?? "")?.[1];
    for (let round = 0; round < 3; round++) expect(await seconds()).toBe("19800");
    now = new Date(fixedNow.getTime() + 60_000);
    expect(await seconds()).toBe("19740");
    expect(reads()).toBe(2);
  });
});

describe("kept answers", () => {
  it("are requested twice: a walk through other pages pushes none of them out", async () => {
    const size = Buffer.from(await (await start().ask(page())).arrayBuffer()).length;
    const { ask, reads } = start({ preparedBytes: 2 * (size + 3_000) + 2_000 }); // room for two pages
    for (let round = 0; round < 2; round++) await ask(page());
    for (let walked = 1; walked < 6; walked++) await ask(page(100 * walked));
    const before = reads();
    await ask(page());
    expect(reads() - before).toBe(0);
    await ask(page(500));
    expect(reads() - before).toBe(1);
  });

  it("stay within their bound; the least recently used goes first, and one that is larger is not kept", async () => {
    const size = Buffer.from(await (await start().ask(page())).arrayBuffer()).length;
    const { ask, reads } = start({ preparedBytes: 2 * (size + 3_000) + 2_000 }); // room for two pages
    const read = async (path: string) => {
      const before = reads();
      await ask(path);
      await ask(path);
      return reads() - before;
    };
    const order = [page(0), page(100), page(0), page(200), page(0), page(100)];
    const counts = [];
    for (const path of order) counts.push(await read(path));
    expect(counts).toStrictEqual([2, 2, 0, 2, 0, 2]);
    const large = "/v1/funders/131635294/history?limit=1000&offset=0";
    expect([await read(large), await read(large), await read(page(100))]).toStrictEqual([2, 2, 0]);
    const longUrl = page().replace(/0$/, "0".repeat(2 * size)); // its URL is larger than its body
    expect([await read(longUrl), await read(longUrl), await read(page(100))]).toStrictEqual([2, 2, 0]);
  });

  it("are not used for another release, neither without a prefix nor when their release is not kept any more", async () => {
    const { release } = served();
    const facts = { ...release.facts, release: "20261121T040000Z" };
    const other = new Proxy(release, {
      get: (target, name) => {
        const value = name === "facts" ? facts : Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    let current: Release = release;
    let keeps = true;
    const { ask } = start({
      releases: {
        get current() {
          return current;
        },
        enter: async (id) => {
          const named = id === undefined ? current : keeps ? release : undefined;
          return named?.enter() ? named : undefined;
        },
        findAsset: async () => undefined,
      },
    });
    const pinned = `/r/${release.facts.release}${page()}`;
    for (let round = 0; round < 3; round++) {
      expect((await ask(page())).headers.get("X-Release")).toBe(release.facts.release);
      expect((await ask(pinned)).status).toBe(200);
    }
    current = other;
    for (let round = 0; round < 3; round++) {
      expect((await ask(page())).headers.get("X-Release")).toBe("20261121T040000Z");
      expect((await ask(pinned)).headers.get("X-Release")).toBe(release.facts.release);
    }
    keeps = false;
    expect((await ask(pinned)).status).toBe(404);
  });
});
