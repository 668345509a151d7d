// Tests queries of an index with a real release: interrupted, out of memory, and while the index closes.
import { chmod, copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Ein } from "../../../api-static/contract/ein.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { IndexDatabases, keySql } from "../../../api-static/search/indexDatabase.ts";
import { ClientGone, type SearchClient, SearchQueue } from "../../../api-static/search/queue.ts";
import { Search } from "../../../api-static/search/search.ts";
import { SearchThreads } from "../../../api-static/search/searchThreads.ts";
import { useRelease } from "../server/release.fixture.ts";
import { until } from "../server/socket.fixture.ts";
import { clientOf, poolsOf } from "./client.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const ein = "131635294" as Ein;

/** Would take minutes: it compares every three records. */
const slow =
  "SELECT count(*)::DOUBLE FROM by_funder a, by_funder b, by_funder c WHERE (a.position * b.position + c.position) % 7 = 3";
const fast = `SELECT count(*)::DOUBLE FROM by_funder WHERE funder_ein = ${keySql}`;

let search: Search | undefined;
afterEach(close);
afterEach(() => vi.restoreAllMocks());

async function close(): Promise<void> {
  await search?.close();
  search = undefined;
}

async function open(queue = new SearchQueue()): Promise<Search> {
  search = await Search.open(served().folder, served().release, {
    threads: poolsOf(new SearchThreads(queue)),
    heldBytes: 0,
  });
  return search;
}

const readSlow = (search: Search, client?: SearchClient) => search.query(ein, (read) => read(slow), client);

async function expectAnswer(search: Search): Promise<void> {
  const ofFunder = served().lines.filter((line) => line.includes(`"funder_ein":"${ein}"`));
  expect(await search.query(ein, (read) => read(fast))).toStrictEqual([[ofFunder.length]]);
}

describe("a query that would take minutes", () => {
  it("is stopped at the time limit, and the next one is answered", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 10, seconds: 0.2 });
    const search = await open(queue);
    for (let round = 0; round < 3; round++) {
      await expect(readSlow(search)).rejects.toMatchObject({ error: { code: "timeout" } });
      await until(() => (queue.running === 0 ? true : undefined)); // fails if the query continues
    }
    const isAnswered = () =>
      expectAnswer(search).then(
        () => true,
        () => undefined,
      );
    await until(isAnswered); // a busy machine may miss the limit
  });

  it("is stopped when its client disconnects, at any moment", async () => {
    const queue = new SearchQueue();
    const search = await open(queue);
    for (const wait of [0, 1, 2, 5, 20, 100]) {
      const client = new AbortController();
      const gone = expect(readSlow(search, clientOf(client.signal))).rejects.toBeInstanceOf(ClientGone);
      setTimeout(() => client.abort(), wait);
      await gone;
      await until(() => (queue.running === 0 ? true : undefined));
    }
    expect(queue.ended.abandoned).toBe(6);
    await expectAnswer(search);
  });

  it("does not run a second statement if it was aborted during the first", async () => {
    const search = await open();
    const client = new AbortController();
    let isSecondRun = false;
    const work = search.query(
      ein,
      async (read) => {
        await read(fast);
        client.abort();
        await read(fast);
        isSecondRun = true;
      },
      clientOf(client.signal),
    );
    await expect(work).rejects.toBeInstanceOf(ClientGone);
    await close();
    expect(isSecondRun).toBe(false);
  });
});

describe("a fatal error in one index", () => {
  it("does not stop queries of the others", async () => {
    const search = await open();
    const read = (sql: string) => search.query(ein, (read) => read(sql));
    expect(await read("SELECT current_setting('disable_database_invalidation')")).toStrictEqual([[true]]);
  });
});

describe("closing an index", () => {
  it("closes DuckDB with the last one", async () => {
    const close = vi.spyOn(DuckDBInstance.prototype, "closeSync");
    const databases = new IndexDatabases();
    const copy = join(await mkdtemp(join(tmpdir(), "index-")), parts.index);
    await copyFile(join(served().folder, parts.index), copy);
    await expect(databases.open(`${copy}.missing`)).rejects.toThrow("does not exist");
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1));
    const [one, other] = [
      await databases.open(join(served().folder, parts.index)),
      await databases.open(copy),
    ];
    await one?.close();
    const signal = new AbortController().signal;
    expect(await other?.query(1n, (read) => read("SELECT 2"), signal)).toStrictEqual([[2]]);
    expect(close).toHaveBeenCalledTimes(1);
    await other?.close();
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(2));
    await rm(dirname(copy), { recursive: true });
  });

  it("waits for a query that was given up, and interrupts it", async () => {
    const queue = new SearchQueue({ running: 2, waiting: 0, seconds: 0.1 });
    const search = await open(queue);
    await expect(readSlow(search)).rejects.toMatchObject({ error: { code: "timeout" } });
    await close();
    await until(() => (queue.running === 0 ? true : undefined));
  });

  it("waits for the work of every query", async () => {
    const search = await open();
    const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ended = works.map(({ promise }) => search.query(ein, () => promise));
    let isClosed = false;
    const closed = close().then(() => {
      isClosed = true;
    });
    for (const [index, { resolve }] of works.entries()) {
      expect(isClosed).toBe(false);
      resolve();
      await ended[index];
    }
    await closed;
  });
});

/** Keeps two million different numbers, which takes more memory than the test allows. */
const large = "SELECT count(DISTINCT (range * 7919) % 2000003)::DOUBLE FROM range(2_000_000)";

describe("a query that needs more memory than its limit", () => {
  it("fails, writes nothing into the release, which may be read-only, and further ones are answered", async () => {
    const { folder } = served();
    const before = await readdir(folder);
    await chmod(folder, 0o555);
    const search = await open();
    try {
      await search.query(ein, async (read) => {
        expect(await read("SELECT current_setting('temp_directory')")).toStrictEqual([[""]]);
        await read("SET memory_limit = '10MB'");
        await expect(read(large)).rejects.toThrow("Out of Memory");
        expect(await readdir(folder)).toStrictEqual(before);
        await read("SET memory_limit = '512MB'");
        expect(await read(large)).toStrictEqual([[2_000_000]]);
      });
    } finally {
      await chmod(folder, 0o755);
    }
  });
});
