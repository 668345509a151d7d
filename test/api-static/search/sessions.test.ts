// Owns the tests of the connections to an index, with real queries on a real release: interrupted, reused, closed.
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

/** Would take minutes: every record with every other with every other. */
const slow =
  "SELECT count(*)::DOUBLE FROM by_rank a, by_rank b, by_rank c WHERE (a.position * b.position + c.position) % 7 = $rest";
const fast = "SELECT count(*)::DOUBLE FROM by_rank";

describe("a query that would take minutes", () => {
  it("is stopped at the time limit, and its connection answers the next one", async () => {
    const queue = new SearchQueue({ running: 1, waiting: 10, seconds: 0.2 });
    const sessions = await Sessions.open(index, queue);
    for (let round = 0; round < 3; round++) {
      await expect(sessions.use((session) => session.readColumn(slow, { rest: 3 }))).rejects.toMatchObject({
        error: { code: "timeout" },
      });
      await until(() => (queue.running === 0 ? true : undefined)); // else this would wait for ten seconds, and fail
      const read = sessions.use((session) => session.readColumn(fast, {}));
      expect(await read).toStrictEqual([served().lines.length]);
    }
    sessions.close();
  });

  it("is stopped when its client goes away, at whatever moment", async () => {
    const queue = new SearchQueue();
    const sessions = await Sessions.open(index, queue);
    for (const wait of [0, 1, 2, 5, 20, 100]) {
      const client = new AbortController();
      const asked = sessions.use((session) => session.readColumn(slow, { rest: 3 }), client.signal);
      const gone = expect(asked).rejects.toBeInstanceOf(ClientGone);
      setTimeout(() => client.abort(), wait);
      await gone;
      await until(() => (queue.running === 0 ? true : undefined));
    }
    expect(queue.ended.abandoned).toBe(6);
    expect(await sessions.use((session) => session.readColumn(fast, {}))).toStrictEqual([
      served().lines.length,
    ]);
    sessions.close();
  });

  it("does not keep the index from being closed: that waits for its end", async () => {
    const queue = new SearchQueue({ running: 2, waiting: 0, seconds: 0.1 });
    const sessions = await Sessions.open(index, queue);
    const asked = sessions.use((session) => session.readColumn(slow, { rest: 3 }));
    await expect(asked).rejects.toMatchObject({ error: { code: "timeout" } });
    sessions.close();
    await until(() => (queue.running === 0 ? true : undefined));
    await expect(sessions.use((session) => session.readColumn(fast, {}))).rejects.toThrow();
  });

  it("does not run a second statement for a search that was given up during the first", async () => {
    const sessions = await Sessions.open(index);
    const client = new AbortController();
    let isSecondRun = false;
    const asked = sessions.use(async (session) => {
      await session.readColumn(fast, {});
      client.abort();
      await session.readColumn(fast, {});
      isSecondRun = true;
    }, client.signal);
    await expect(asked).rejects.toBeInstanceOf(ClientGone);
    expect(isSecondRun).toBe(false);
    sessions.close();
  });
});
