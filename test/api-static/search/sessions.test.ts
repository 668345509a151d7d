// Tests the connections to an index with real queries on a real release: interrupted, out of memory, reused, closed.
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { ClientGone, SearchQueue } from "../../../api-static/search/queue.ts";
import { Sessions } from "../../../api-static/search/sessions.ts";
import { useRelease } from "../server/release.fixture.ts";
import { until } from "../server/socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
let index = "";

beforeAll(() => {
  index = join(served().folder, parts.index);
});

/** Would take minutes: it compares every three records. */
const slow =
  "SELECT count(*)::DOUBLE FROM by_funder a, by_funder b, by_funder c WHERE (a.position * b.position + c.position) % 7 = $rest";
const fast = "SELECT count(*)::DOUBLE FROM by_funder";

describe("a query that would take minutes", () => {
  it("is stopped at the time limit, and its connection answers the next one", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 10, seconds: 0.2 });
    const sessions = await Sessions.open(index, queue);
    for (let round = 0; round < 3; round++) {
      await expect(sessions.use((session) => session.readColumn(slow, { rest: 3 }))).rejects.toMatchObject({
        error: { code: "timeout" },
      });
      await until(() => (queue.running === 0 ? true : undefined)); // fails if the query continues
      const read = sessions.useAtOnce((session) => session.readColumn(fast, {})); // its time is not limited
      expect(await read).toStrictEqual([served().lines.length]);
    }
    await sessions.close();
  });

  it("is stopped when its client disconnects, at any moment", async () => {
    const queue = new SearchQueue();
    const sessions = await Sessions.open(index, queue);
    for (const wait of [0, 1, 2, 5, 20, 100]) {
      const client = new AbortController();
      const work = sessions.use((session) => session.readColumn(slow, { rest: 3 }), client.signal);
      const gone = expect(work).rejects.toBeInstanceOf(ClientGone);
      setTimeout(() => client.abort(), wait);
      await gone;
      await until(() => (queue.running === 0 ? true : undefined));
    }
    expect(queue.ended.abandoned).toBe(6);
    expect(await sessions.use((session) => session.readColumn(fast, {}))).toStrictEqual([
      served().lines.length,
    ]);
    await sessions.close();
  });

  it("does not prevent the index from being closed: closing ends when the query has ended", async () => {
    const queue = new SearchQueue({ running: 2, waiting: 0, seconds: 0.1 });
    const sessions = await Sessions.open(index, queue);
    const work = sessions.use((session) => session.readColumn(slow, { rest: 3 }));
    await expect(work).rejects.toMatchObject({ error: { code: "timeout" } });
    await sessions.close();
    await expect(sessions.use((session) => session.readColumn(fast, {}))).rejects.toThrow("closed");
  });

  it("closes no sooner than the work of every session has ended", async () => {
    const sessions = await Sessions.open(index);
    const works = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ended = works.map(({ promise }) => sessions.useAtOnce(() => promise));
    let isClosed = false;
    const closed = sessions.close().then(() => {
      isClosed = true;
    });
    for (const [index, { resolve }] of works.entries()) {
      expect(isClosed).toBe(false);
      resolve();
      await ended[index];
    }
    await closed;
  });

  it("does not run a second statement for a search that was aborted during the first", async () => {
    const sessions = await Sessions.open(index);
    const client = new AbortController();
    let isSecondRun = false;
    const work = sessions.use(async (session) => {
      await session.readColumn(fast, {});
      client.abort();
      await session.readColumn(fast, {});
      isSecondRun = true;
    }, client.signal);
    await expect(work).rejects.toBeInstanceOf(ClientGone);
    expect(isSecondRun).toBe(false);
    await sessions.close();
  });
});

/** Keeps two million different numbers, which takes more memory than the test allows. */
const large = "SELECT count(DISTINCT (range * 7919) % 2000003)::DOUBLE FROM range(2_000_000)";

describe("a query that needs more memory than its limit", () => {
  it("fails, writes nothing into the release, which may be read-only, and leaves the session usable", async () => {
    const { folder } = served();
    const before = await readdir(folder);
    await chmod(folder, 0o555);
    const sessions = await Sessions.open(index);
    try {
      await sessions.use(async (session) => {
        expect(await session.readColumn("SELECT current_setting('temp_directory')", {})).toStrictEqual([""]);
        await session.readColumn("SET memory_limit = '10MB'", {});
        await expect(session.readColumn(large, {})).rejects.toThrow("Out of Memory");
        expect(await readdir(folder)).toStrictEqual(before);
        await session.readColumn("SET memory_limit = '512MB'", {});
        expect(await session.readColumn(large, {})).toStrictEqual([2_000_000]);
      });
    } finally {
      await sessions.close();
      await chmod(folder, 0o755);
    }
  });
});
