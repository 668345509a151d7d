// Tests that searches run in threads: several at once, ended when given up, and replaced when a thread fails.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emptySum } from "../../../api-static/contract/text/amount.ts";
import { Columns } from "../../../api-static/release/columns.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { ColumnSearch } from "../../../api-static/search/columnSearch.ts";
import { GroupSearch, newThreadSums } from "../../../api-static/search/groupSearch.ts";
import { type SearchClient, SearchQueue } from "../../../api-static/search/queue.ts";
import type { ScanJob } from "../../../api-static/search/scan.ts";
import { Search } from "../../../api-static/search/search.ts";
import {
  groupNiceness,
  type SearchedFiles,
  SearchThreads,
} from "../../../api-static/search/searchThreads.ts";
import { useRelease } from "../server/release.fixture.ts";
import { clientOf, poolsOf } from "./client.fixture.ts";

const served = useRelease({ sampleRows: 4_000 });
let files: SearchedFiles;

beforeAll(() => {
  const columns = Columns.open(join(served().folder, parts.columns));
  const { records, funders } = served().release;
  files = { columns, records, funders };
});
afterAll(() => files?.columns.close());

const page = { limit: 5, offset: 0 };

const unlimited = { waiting: Number.POSITIVE_INFINITY, seconds: Number.POSITIVE_INFINITY };
const makeThreads = (running: number, sharedRows = 1_000_000) =>
  new SearchThreads(new SearchQueue({ running, ...unlimited }), { sharedRows });

/** Finds records in the turn of the search. */
const findInTurn = (threads: SearchThreads, purpose: string, client?: SearchClient) =>
  threads.queue.run((signal) => threads.find(files, { purpose, ...page }, signal), client);

/** The niceness of each thread of this process, as in proc_pid_stat(5). */
async function readNiceness(): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const thread of await readdir("/proc/self/task")) {
    const stat = await readFile(`/proc/self/task/${thread}/stat`, "utf8").catch(() => undefined); // it may have ended
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" "); // from the third on
    if (fields !== undefined) found.set(Number(thread), Number(fields[16]));
  }
  return found;
}

describe("SearchThreads", () => {
  it("answers many searches at once, each with its own result", async () => {
    const threads = makeThreads(2);
    const patterns = ["a", "e", "support", "general support", "zzz"];
    const alone = new Map<string, number>();
    for (const purpose of patterns)
      alone.set(purpose, (await threads.find(files, { purpose, ...page })).total);
    expect(alone.get("a")).toBeGreaterThan(0);
    const many = Array.from({ length: 40 }, (_, index) => patterns[index % patterns.length] ?? "");
    const found = await Promise.all(many.map((purpose) => findInTurn(threads, purpose)));
    expect(found.map(({ total }) => total)).toStrictEqual(many.map((purpose) => alone.get(purpose)));
  });

  it("shares a scan with a thread that has nothing to do, and finds the same", async () => {
    const requests = [
      { purpose: "support", minAmountCents: 100n },
      { purpose: "e", recipientName: "a", transactionYear: 2020 },
      { purpose: "e", recipientName: "a" },
    ].map((filters) => ({ ...filters, offset: 3, limit: 500 }));
    const alone = makeThreads(1);
    const shared = makeThreads(3, 0);
    shared.startAll();
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    for (const request of requests) {
      const expected = await alone.find(files, request);
      expect(expected.total).toBeGreaterThan(10);
      for (let round = 0; round < 20; round++)
        expect(await shared.find(files, request)).toStrictEqual(expected);
    }
    const jobs = sent.mock.calls.flatMap(([task]) => (task as { work?: { job?: ScanJob } }).work?.job ?? []);
    sent.mockRestore();
    expect(jobs.length).toBeGreaterThan(0);
    for (const { texts, progress, conditions } of jobs)
      for (const values of [progress, ...[...conditions, ...(texts ? [texts] : [])].map(({ bits }) => bits)])
        expect(values.buffer).toBeInstanceOf(SharedArrayBuffer); // the event loop copies none of them
    expect(jobs.some(({ texts }) => texts !== undefined)).toBe(true);
    await shared.close(files);
  });

  it("asks for no help for a page that is full after a few rows", async () => {
    const shared = makeThreads(2, 2_000);
    shared.startAll();
    const request = { purpose: "e", offset: 0 };
    const alone = await makeThreads(1).find(files, { ...request, limit: 1_500 });
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    const countSent = async (limit: number) => {
      sent.mockClear();
      const { total, positions } = await shared.find(files, { ...request, limit });
      expect([total, positions]).toStrictEqual([alone.total, alone.positions.slice(0, limit)]);
      return sent.mock.calls.length;
    };
    try {
      expect(alone.total).toBeGreaterThan(1_500);
      expect(await countSent(10)).toBe(1); // the search, to one thread
      expect(await countSent(1_500)).toBe(2);
    } finally {
      sent.mockRestore();
    }
  });

  it("reads the lines of the page, if they are wanted", async () => {
    const threads = makeThreads(1);
    for (const limit of [1, page.limit, 500]) {
      const request = { purpose: "support", offset: 0, limit, isReading: true };
      const { positions, lines } = await threads.find(files, request);
      expect(positions).toHaveLength(limit);
      expect(lines).toStrictEqual(files.records.readLines(positions));
    }
    expect((await threads.find(files, { purpose: "support", ...page })).lines).toHaveLength(0);
    expect((await threads.find(files, { purpose: "zzz", ...page, isReading: true })).lines).toHaveLength(0);
  });

  it("opens a release again in a thread that could not open it", async () => {
    const threads = makeThreads(1);
    const { records, funders } = files;
    const opened = {
      columns: { ...files.columns, file: -1, header: {} } as unknown as Columns,
      records,
      funders,
    };
    await expect(threads.find(opened, { purpose: "e", ...page })).rejects.toThrow("a search failed");
    opened.columns = files.columns;
    const { total } = await threads.find(opened, { purpose: "e", ...page });
    expect(total).toBe((await threads.find(files, { purpose: "e", ...page })).total);
  });

  it("makes a release ready only while its threads answer", async () => {
    const search = await Search.open(served().folder, files, { threads: poolsOf(makeThreads(1)) });
    expect(await search.isAnswering()).toBe(true);
    const sent = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(() => {
      throw new Error("no thread");
    });
    await expect(search.find({}, 1, 0)).rejects.toThrow("no thread");
    expect(await search.isAnswering()).toBe(false);
    sent.mockRestore();
    expect(await search.isAnswering()).toBe(true);
    await search.close();
  });

  it("ends a search that is given up, waiting or running, and uses the thread for the next one", async () => {
    const threads = makeThreads(1);
    for (let round = 0; round < 5; round++) {
      const client = new AbortController();
      const given = [1, 2, 3].map(() => findInTurn(threads, "e", clientOf(client.signal)));
      const ended = Promise.allSettled(given);
      client.abort();
      const reasons = (await ended).flatMap((end) => (end.status === "rejected" ? [end.reason.name] : []));
      expect(reasons).toStrictEqual(Array.from({ length: 3 }, () => "ClientGone"));
      expect((await findInTurn(threads, "zzz")).total).toBe(0);
    }
  });

  it("ends totals and groups that are given up, and uses the thread for the next ones", async () => {
    const threads = makeThreads(1);
    const groupInTurn = (client?: SearchClient) =>
      threads.queue.run((signal) => threads.group(files, { matches: {} }, signal), client);
    const expected = await groupInTurn();
    for (let round = 0; round < 3; round++) {
      const client = new AbortController();
      const ended = Promise.allSettled([1, 2].map(() => groupInTurn(clientOf(client.signal))));
      client.abort();
      const reasons = (await ended).flatMap((end) => (end.status === "rejected" ? [end.reason.name] : []));
      expect(reasons).toStrictEqual(["ClientGone", "ClientGone"]);
      expect(await groupInTurn()).toStrictEqual(expected);
    }
  });

  const isLinux = process.platform === "linux";
  const reason = isLinux ? "" : " (skipped: only Linux has a priority for each thread)";
  it.skipIf(!isLinux)(
    `have a lower priority than the first thread, which keeps its own${reason}`,
    async () => {
      const before = await readNiceness();
      const threads = makeThreads(2);
      const groupThreads = new SearchThreads(new SearchQueue({ running: 1, ...unlimited }), {
        niceness: groupNiceness,
      });
      for (const some of [threads, groupThreads]) some.startAll();
      const found = ["a", "e"].map((purpose) => threads.find(files, { purpose, ...page }));
      await Promise.all([...found, groupThreads.group(files, { matches: {} })]);
      const after = await readNiceness();
      expect(after.get(process.pid)).toBe(before.get(process.pid));
      const added = [...after].filter(([thread]) => !before.has(thread)).map(([, niceness]) => niceness);
      const lowered = (by: number) => Math.min((before.get(process.pid) ?? 0) + by, 19);
      expect(added.filter((niceness) => niceness === lowered(5))).toHaveLength(2);
      expect(added).toContain(lowered(groupNiceness)); // those for totals and groups give way to searches
    },
  );

  it("rejects a search that fails, with its reason, and answers the next one", async () => {
    const threads = makeThreads(1);
    const { columns } = files;
    const damaged = { ...files, columns: new Columns(columns.file, { ...columns.header, columns: {} }) };
    await expect(threads.find(damaged, { purpose: "e", ...page })).rejects.toThrow(
      "a search failed: the index has no column",
    );
    expect((await threads.find(files, { purpose: "e", ...page })).total).toBeGreaterThan(0);
  });

  it("rejects a search whose thread exits without an error, and replaces the thread, busy or idle", async () => {
    const threads = makeThreads(1);
    const sent = vi.spyOn(Worker.prototype, "postMessage");
    const find = () => threads.find(files, { purpose: "e", ...page });
    for (let round = 1; round <= 2; round++) {
      const failed = expect(find()).rejects.toThrow(/^a worker thread ended with [01] in a task$/);
      await (sent.mock.contexts.at(-1) as Worker).terminate();
      await failed;
      expect((await find()).total).toBeGreaterThan(0);
      await (sent.mock.contexts.at(-1) as Worker).terminate();
    }
    expect((await find()).total).toBeGreaterThan(0);
    expect(new Set(sent.mock.contexts).size).toBe(5);
    sent.mockRestore();
  });

  it("replaces a thread that failed", async () => {
    const threads = makeThreads(1);
    const columns = new Columns(files.columns.file, files.columns.header);
    Object.defineProperty(columns, "header", { value: { columns: { symbol: Symbol("cannot be sent") } } });
    const broken = { ...files, columns };
    await expect(threads.find(broken, { purpose: "e", ...page })).rejects.toThrow("could not be cloned");
    expect((await threads.find(files, { purpose: "e", ...page })).total).toBeGreaterThan(0);
  });
});

describe("totals and groups", () => {
  it("are added up once for the pages of an export, until its groups are dropped", () => {
    const { columns, records, funders } = files;
    const control = { checkpoint: () => {}, askHelp: () => {}, sharedRows: 1_000_000 };
    const search = new ColumnSearch(columns, records, control);
    const visited = vi.spyOn(search, "findMatches");
    const sums = newThreadSums();
    const groups = new GroupSearch(columns, { funders, records }, search, { sums, ...control });
    const find = (offset: number) =>
      groups.find({ matches: {}, groups: { by: "funder", sort: "amount", limit: 1, offset, kept: 5 } });
    find(0);
    find(1);
    expect(visited).toHaveBeenCalledOnce();
    groups.drop();
    find(2);
    expect(visited).toHaveBeenCalledTimes(2);
  });

  it("never take the place of a search", async () => {
    const [threads, groupThreads] = [makeThreads(1), makeThreads(1)];
    const { folder, release } = served();
    const search = await Search.open(folder, release, { threads: poolsOf(threads, groupThreads) });
    const { promise, resolve } = Promise.withResolvers<never>();
    vi.spyOn(groupThreads, "group").mockReturnValue(promise);
    const totals = [
      search.findTotals({}),
      search.findGroups({}, { by: "year", sort: "amount", limit: 1, offset: 0 }),
    ];
    const ended = Promise.allSettled(totals);
    expect([groupThreads.queue.running, groupThreads.queue.waiting]).toStrictEqual([1, 1]);
    expect((await search.find({}, 1, 0)).total).toBe(served().lines.length);
    resolve({ all: emptySum, total: 0, lines: Buffer.alloc(0) } as never);
    await ended;
    await search.close();
  });
});

describe("closing a release", () => {
  it("waits for searches that were given up, because their threads still read its files", async () => {
    const threads = makeThreads(1);
    const search = await Search.open(served().folder, served().release, { threads: poolsOf(threads) });
    const held = Promise.withResolvers<never>();
    vi.spyOn(threads, "find").mockReturnValue(held.promise);
    const client = new AbortController();
    const found = search.find({}, 1, 0, clientOf(client.signal));
    await new Promise(setImmediate);
    client.abort();
    await expect(found).rejects.toThrow("went away");
    let isClosed = false;
    const closed = search.close().then(() => {
      isClosed = true;
    });
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    held.reject(new Error("given up"));
    await closed;
  });
});
