// Tests what clients get when there are too many searches: 503 at once or at the time limit, and pages as usual.
import type { Server } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SearchBounds, SearchQueue } from "../../../api-static/search/queue.ts";
import { Release } from "../../../api-static/search/release.ts";
import { SearchThreads } from "../../../api-static/search/searchThreads.ts";
import type { AppContext } from "../../../api-static/server/app.ts";
import { Clients } from "../../../api-static/server/http/clients.ts";
import { poolsOf } from "../search/client.fixture.ts";
import { createTestApp, useRelease } from "./release.fixture.ts";
import { askRaw, listen, type RawAnswer, until } from "./socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const search = "/v1/history?limit=3";
const log: { status: number; code?: string; level: string }[] = [];

let release: Release;
let queue: SearchQueue;
let server: Server;
let port = 0;
let free: () => void;

/** Starts the server with these bounds; `held` searches take places until `free` is called. */
async function start(bounds: SearchBounds, held: number, changes: Partial<AppContext> = {}): Promise<void> {
  queue = new SearchQueue(bounds);
  release = await Release.open(served().folder, { threads: poolsOf(new SearchThreads(queue)) });
  const app = createTestApp(release, (line) => log.push(JSON.parse(line)), changes);
  ({ server, port } = await listen(app.handle));
  const { promise, resolve } = Promise.withResolvers<void>();
  free = resolve;
  for (let count = 0; count < held; count++) queue.run(() => promise).catch(() => undefined);
}

beforeEach(() => {
  log.length = 0;
});
afterEach(() => {
  free();
  server.closeAllConnections();
  server.close();
  release.leave();
});

function checkRefused({ status, headers, body }: RawAnswer, code: string): void {
  expect([status, headers["cache-control"]]).toStrictEqual([503, "no-store"]);
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(JSON.parse(body.toString())).toMatchObject({ success: false, code });
  for (const name of ["etag", "link"]) expect(headers[name]).toBeUndefined();
}

describe("searches beyond the limits", () => {
  it("are rejected at once, while page files and slices are served, and answered again afterwards", async () => {
    await start({ running: 1, waiting: 1, seconds: 60 }, 2);
    const { ein } = served().facts.big;
    for (let times = 0; times < 5; times++) {
      checkRefused(await askRaw(port, search), "overloaded");
      for (const path of [
        `/v1/funders/${ein}/history`,
        `/v1/funders/${ein}/history?limit=7&offset=3`,
        "/v1/status",
      ])
        expect((await askRaw(port, path)).status, path).toBe(200);
    }
    expect(queue.ended.shed).toBe(5);
    free();
    expect((await askRaw(port, search)).status).toBe(200);
    expect([queue.running, queue.waiting]).toStrictEqual([0, 0]);
  });

  it("of one client do not keep another from searching", async () => {
    const trusting = new Clients({ searchesPerMinute: 0, trustedProxies: ["loopback"] }, () => 0);
    await start({ running: 1, waiting: 64, seconds: 60 }, 1, { clients: trusting });
    const ask = (client: string) => askRaw(port, search, { "X-Forwarded-For": client });
    const flood = Array.from({ length: 66 }, () => ask("192.0.2.1"));
    await until(() => (queue.waiting === 64 ? true : undefined));
    const other = ask("192.0.2.2");
    await until(() => (queue.ended.shed === 3 ? true : undefined));
    free();
    expect((await other).status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
  });

  it("that wait too long get 503 timeout", async () => {
    await start({ running: 1, waiting: 10, seconds: 0.2 }, 1);
    const answers = await Promise.all([1, 2, 3].map(() => askRaw(port, search)));
    for (const answer of answers) checkRefused(answer, "timeout");
    free();
    await until(async () => ((await askRaw(port, search)).status === 200 ? true : undefined)); // a busy machine may miss the limit
    expect(queue.running).toBe(0);
  });
});

describe("a client that disconnects", () => {
  it("frees its place in the queue and leaves no failure in the log", async () => {
    await start({ running: 1, waiting: 3, seconds: 60 }, 1);
    const sockets = [1, 2, 3].map(() => connect(port, "127.0.0.1"));
    for (const socket of sockets) socket.write(`GET ${search} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => (queue.waiting === 3 ? true : undefined));
    checkRefused(await askRaw(port, search), "overloaded");
    for (const socket of sockets) socket.destroy();
    await until(() => (queue.waiting === 0 ? true : undefined));
    expect(queue.ended).toStrictEqual({ shed: 1, timedOut: 0, abandoned: 3 });
    expect(log.filter(({ status }) => status === 499)).toHaveLength(3);
    expect(log.filter(({ level }) => level === "error")).toStrictEqual([]);
    free();
    expect((await askRaw(port, search)).status).toBe(200);
  });
});
