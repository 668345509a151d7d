// Tests the search log: its lines, its limits, and that its failures never affect clients.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseRequest } from "../../../../api-static/contract/request.ts";
import { listSearchLogs } from "../../../../api-static/search/searchLogFiles.ts";
import {
  type AnsweredSearch,
  SearchLog,
  type SearchLogBounds,
} from "../../../../api-static/server/observe/searchLog.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

let root = "";
let data = "";
let now = new Date();
let warnings: string[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "search-log-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  data = await mkdtemp(join(root, "data-"));
  now = new Date("2026-11-20T23:00:00Z");
  warnings = [];
});

const bounds: SearchLogBounds = { waiting: 1_000, fileBytes: 2 ** 22, folderBytes: 2 ** 26 };

function openLog(changes: Partial<SearchLogBounds> = {}): SearchLog {
  return new SearchLog(
    data,
    () => now,
    (line) => warnings.push(line),
    { ...bounds, ...changes },
  );
}

/** A search as the server reports it to the log. */
function searched(url: string, changes: Partial<AnsweredSearch> = {}): AnsweredSearch {
  const [path = "", query = ""] = url.split("?");
  const request = parseRequest(path, query);
  if (request.kind !== "history" && request.kind !== "totals") throw new Error(`${url} is not a search`);
  return { request, path: "search", milliseconds: 1.5, total: 7, ...changes };
}

const listFiles = async () => (await readdir(join(data, "search-log"))).sort();

async function readLines(): Promise<Record<string, unknown>[]> {
  const texts = await Promise.all(
    (await listFiles()).map((name) => readFile(join(data, "search-log", name), "utf8")),
  );
  const lines = texts.join("").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a line of the log", () => {
  it("has the canonical request, the number of identical ones, and their total time", async () => {
    const log = openLog();
    log.note(searched("/v1/history?min_amount=5&purpose=%20Caf%C3%A9"));
    now = new Date("2026-11-20T23:00:04Z");
    log.note(searched("/v1/history?purpose=CAF%C3%89&min_amount=5.00", { milliseconds: 2.345 }));
    log.note(searched("/v1/funders/131635294/history?purpose=a&offset=100", { path: "file" }));
    log.note(searched("/v1/funders/131635294/history/summary?purpose=A"));
    await log.flush();
    expect(await listFiles()).toEqual([`20261120T230004Z-${process.pid}.ndjson`]);
    expect(await readLines()).toEqual([
      {
        time: "2026-11-20T23:00:00.000Z",
        request: "/v1/history?purpose=caf%C3%A9&min_amount=5.00&limit=100&offset=0",
        ...{ path: "search", count: 2, milliseconds: 3.85, total: 7 },
      },
      {
        time: "2026-11-20T23:00:04.000Z",
        request: "/v1/history?funder_ein=131635294&purpose=a&limit=100&offset=100",
        ...{ path: "file", count: 1, milliseconds: 1.5, total: 7 },
      },
      {
        time: "2026-11-20T23:00:04.000Z",
        request: "/v1/history/summary?funder_ein=131635294&purpose=a",
        ...{ path: "search", count: 1, milliseconds: 1.5, total: 7 },
      },
    ]);
  });

  it("is written once, and nothing is written without a search", async () => {
    const log = openLog();
    await log.flush();
    expect(await readdir(data)).toEqual([]);
    log.note(searched("/v1/history"));
    await log.end();
    await log.end();
    expect(await readLines()).toHaveLength(1);
  });

  it("is written for every answered search, from a file or not, and for nothing else", async () => {
    const log = openLog();
    const { release, facts } = served();
    const app = createTestApp(release, undefined, { searchLog: log });
    const ask = async (path: string, headers: Record<string, string> = {}) =>
      (await app.fetch(new Request(`http://127.0.0.1${path}`, { headers, redirect: "manual" }))).status;
    const secret = { "User-Agent": "secret", "X-Forwarded-For": "203.0.113.7", Cookie: "secret" };
    expect(await ask("/v1/history", secret)).toBe(200);
    expect(await ask("/v1/history/all/100-0.json")).toBe(200);
    expect(await ask("/v1/history?purpose=Music&limit=3", secret)).toBe(200);
    expect(await ask(`/v1/funders/${facts.big.ein}/history?purpose=music`)).toBe(200);
    expect(await ask(`/v1/funders/${facts.big.ein}/history`)).toBe(200);
    expect(await ask(`/v1/history?funder_ein=${facts.big.ein}&limit=7`)).toBe(200);
    expect(await ask(`/v1/funders/${facts.unknownEin}/history?purpose=music`)).toBe(404);
    expect(await ask("/v1/history?limit=0")).toBe(400);
    expect(await ask("/v1/status")).toBe(200);
    await log.end();
    const lines = await readLines();
    expect(lines.map(({ path, request, count }) => [path, request, count])).toEqual([
      ["file", "/v1/history?limit=100&offset=0", 2],
      ["search", "/v1/history?purpose=music&limit=3&offset=0", 1],
      ["search", `/v1/history?funder_ein=${facts.big.ein}&purpose=music&limit=100&offset=0`, 1],
    ]);
    const keys = ["time", "request", "path", "count", "milliseconds", "total"];
    for (const line of lines) expect(Object.keys(line)).toEqual(keys);
  });
});

describe("the log's files", () => {
  it("start each day, and when one would grow too large", async () => {
    const log = openLog({ fileBytes: 300 });
    const write = async (moment: string, ...urls: string[]) => {
      now = new Date(moment);
      for (const url of urls) log.note(searched(url));
      await log.flush();
    };
    await write("2026-11-20T23:00:00Z", "/v1/history?purpose=a");
    await write("2026-11-20T23:00:05Z", "/v1/history?purpose=a");
    await write("2026-11-20T23:00:10Z", "/v1/history?purpose=a");
    await write("2026-11-21T00:00:01Z", "/v1/history?purpose=a");
    const names = ["20261120T230000Z", "20261120T230010Z", "20261121T000001Z"];
    expect(await listFiles()).toEqual(names.map((name) => `${name}-${process.pid}.ndjson`));
    expect(await readLines()).toHaveLength(4);
    const modeOf = async (...path: string[]) => (await stat(join(data, "search-log", ...path))).mode & 0o777;
    expect([await modeOf(), await modeOf(...(await listFiles()).slice(0, 1))]).toEqual([0o750, 0o640]);
  });

  it("are removed after thirty days, and the oldest first if all are too large; other files are kept", async () => {
    const folder = join(data, "search-log");
    await mkdir(folder);
    const put = (name: string, bytes: number) => writeFile(join(folder, name), "x".repeat(bytes));
    await put("20261020T000000Z-1.ndjson", 10);
    await put("20261021T000000Z-1.ndjson", 600);
    await put("20261118T000000Z-77.ndjson", 600);
    await put("20261119T000000Z-1.ndjson", 200);
    await put("notes.txt", 5_000);
    await put("20261001T000000Z-1.ndjson.gz", 5_000);
    const log = openLog({ fileBytes: 1_000, folderBytes: 2_000 });
    log.note(searched("/v1/history"));
    await log.flush();
    expect(await listFiles()).toEqual([
      "20261001T000000Z-1.ndjson.gz",
      "20261118T000000Z-77.ndjson",
      "20261119T000000Z-1.ndjson",
      `20261120T230000Z-${process.pid}.ndjson`,
      "notes.txt",
    ]);
  });

  it("are listed for the last thirty days, oldest first; empty and huge ones, and folders, are skipped", async () => {
    const folder = join(data, "search-log");
    expect(await listSearchLogs(data, now)).toEqual([]);
    await mkdir(join(folder, "20261112T000000Z-1.ndjson"), { recursive: true });
    const sizes = { "20261020T235959Z-1": 1, "20261021T000000Z-9": 1, "20261120T000000Z-1": 1 };
    for (const [name, size] of Object.entries({
      ...sizes,
      "20261119T000000Z-1": 0,
      "20261118T000000Z-1": 2 ** 24 + 1,
    }))
      await writeFile(join(folder, `${name}.ndjson`), Buffer.alloc(size));
    expect(await listSearchLogs(data, now)).toEqual(
      ["20261021T000000Z-9", "20261120T000000Z-1"].map((name) => join(folder, `${name}.ndjson`)),
    );
  });
});

describe("the limits of the log", () => {
  it("drop and count searches beyond those that may wait", async () => {
    const log = openLog({ waiting: 2 });
    for (const purpose of ["a", "b", "c", "d", "a"]) log.note(searched(`/v1/history?purpose=${purpose}`));
    await log.end();
    const lines = await readLines();
    expect(lines.map(({ count, dropped }) => count ?? { dropped })).toEqual([2, 1, { dropped: 2 }]);
    log.note(searched("/v1/history"));
    await log.end();
    expect(await readLines()).toHaveLength(4);
    const modeOf = async (...path: string[]) => (await stat(join(data, "search-log", ...path))).mode & 0o777;
    expect([await modeOf(), await modeOf(...(await listFiles()).slice(0, 1))]).toEqual([0o750, 0o640]);
  });

  it("report once that the folder is not writable, and what was lost once it is", async () => {
    const log = openLog();
    await rm(data, { recursive: true });
    for (let failure = 0; failure < 3; failure++) {
      log.note(searched("/v1/history"));
      log.note(searched("/v1/history"));
      await log.flush();
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^searches are not logged until .*search-log is writable: ENOENT/);
    await mkdir(data);
    log.note(searched("/v1/history"));
    await log.end();
    expect((await readLines()).map(({ count, dropped }) => count ?? { dropped })).toEqual([
      1,
      { dropped: 6 },
    ]);
    expect(warnings).toHaveLength(1);
  });

  it("keep requests working if there is a file in place of the folder", async () => {
    await writeFile(join(data, "search-log"), "");
    const log = openLog();
    const app = createTestApp(served().release, undefined, { searchLog: log });
    const answer = await app.fetch(new Request("http://127.0.0.1/v1/history?purpose=a"));
    await log.end();
    expect(answer.status).toBe(200);
    expect(warnings).toHaveLength(1);
  });
});
