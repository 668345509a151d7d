// Tests searches for organizations in their thread: whole answers, turns, and the end of a release.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { Organizations } from "../../../../api-static/release/organizations.ts";
import { OrganizationSearch } from "../../../../api-static/search/names/organizationSearch.ts";
import { ClientGone, SearchQueue, unlimitedBounds } from "../../../../api-static/search/queue.ts";
import { SearchThreads } from "../../../../api-static/search/searchThreads.ts";
import { buildIndex } from "./nameIndex.fixture.ts";

let folder = "";
let organizations: Organizations;
beforeAll(async () => {
  folder = await buildIndex(
    [{ ein: 1, name: "AMERICAN LEGION", city: "AUSTIN", state: "TX", also: "POST 12" }],
    [{ funder: 1, recipient: 2, amount: "10.50" }],
  );
  const line = '{"ein":"000000001","name":"AMERICAN LEGION","city":"AUSTIN","state":"TX"}\n';
  await writeFile(join(folder, parts.organizations), line);
  await writeFile(join(folder, parts.profiles), "");
  organizations = new Organizations(folder);
});
afterAll(async () => {
  organizations.close();
  await rm(folder, { recursive: true });
});

const oneThread = () => new SearchThreads(new SearchQueue({ ...unlimitedBounds, running: 1 }));
const open = (threads = oneThread()) => new OrganizationSearch(folder, organizations, threads);
const none = { records: 0, amount: 0n };

describe("OrganizationSearch", () => {
  it("answers with the name and place of the list, the other name and the sums", async () => {
    const search = open();
    expect(await search.find({ name: "american legion", limit: 5 })).toStrictEqual({
      total: 1,
      organizations: [
        {
          ...{ ein: "000000001", name: "AMERICAN LEGION", city: "AUSTIN", state: "TX", also: "POST 12" },
          ...{ given: { records: 1, amount: 1050n }, received: none, match: "exact", score: 100 },
        },
      ],
    });
    await search.close();
  });

  it("answers several queries, also about an EIN that is not on the list", async () => {
    const search = open();
    const found = await search.findMany([
      { name: "000000002", limit: 1 },
      { name: "nobody", limit: 1 },
    ]);
    expect(found).toStrictEqual([
      {
        total: 1,
        organizations: [
          {
            ...{ ein: "000000002", name: null, city: null, state: null },
            ...{ given: none, received: { records: 1, amount: 1050n }, match: "exact", score: 100 },
          },
        ],
      },
      { total: 0, organizations: [] },
    ]);
    await search.close();
  });

  it("lets the query of another client wait for one query of a batch only, and one of its own for two", async () => {
    const search = open();
    await search.load();
    const ended: string[] = [];
    const ask = async (network: string) => {
      await search.find({ name: "legion", limit: 1 }, { network });
      ended.push(network);
    };
    const batch = Array.from({ length: 50 }, (_, index) => ({ name: `legion ${index}`, limit: 1 }));
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    const found = search.findMany(batch, { network: "a" }).finally(() => ended.push("batch"));
    await Promise.all([ask("b"), ask("a")]);
    const started = sent.mock.calls.length;
    sent.mockRestore();
    expect(ended).toStrictEqual(["b", "a"]);
    expect(started).toBeLessThanOrEqual(5);
    expect(await found).toHaveLength(50);
    await search.close();
  });

  it("refuses queries when too many wait, and drops those of a client that is gone", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 1, seconds: 60 });
    const search = open(new SearchThreads(queue));
    const gone = new AbortController();
    const ask = () => search.find({ name: "legion", limit: 1 }, { network: "a", gone: gone.signal });
    const [first, second, third] = [ask(), ask(), ask()];
    await expect(third).rejects.toMatchObject({ error: { code: "overloaded" } });
    gone.abort();
    await expect(first).rejects.toBeInstanceOf(ClientGone);
    await expect(second).rejects.toBeInstanceOf(ClientGone);
    expect(await search.find({ name: "legion", limit: 1 })).toMatchObject({ total: 1 });
    await search.close();
  });

  it("reads the index without the time limit of queries", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 1, seconds: 0.001 }); // starting the thread takes longer
    const search = open(new SearchThreads(queue));
    await search.load();
    expect(queue.ended.timedOut).toBe(0);
    await search.close();
  });

  it("replaces a thread that failed", async () => {
    const search = open();
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    const query = { name: "legion", limit: 1 };
    await search.load();
    const worker = sent.mock.contexts[0] as Worker;
    const ended = worker.terminate(); // as a thread that calls process.exit, it ends without an error
    await expect(search.find(query)).rejects.toThrow(/^a worker thread ended with [01] in a task$/);
    await ended;
    const found = [await search.find(query), await search.find(query)];
    expect(found).toMatchObject([{ total: 1 }, { total: 1 }]);
    expect(new Set(sent.mock.contexts).size).toBe(2);
    sent.mockRestore();
    await search.close();
  });

  it("serves two releases from one thread, and the second after the first is closed", async () => {
    const threads = oneThread();
    const [first, second] = [open(threads), open(threads)];
    for (const search of [first, second, first])
      expect(await search.find({ name: "legion", limit: 1 })).toMatchObject({ total: 1 });
    await first.close();
    expect(await second.find({ name: "legion", limit: 1 })).toMatchObject({ total: 1 });
    await second.close();
  });
});
