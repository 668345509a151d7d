// Tests that every host answers the one table of requests as the server does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtSite } from "../../pipeline/release.fixture.ts";
import { findPorts } from "../../ports.ts";
import { requestTable, siteTable } from "../requestTable.ts";
import { repository } from "../server/release.fixture.ts";
import { askRaw, type RawAnswer, until } from "../server/socket.fixture.ts";
import type { TableRequest } from "../tableRequest.ts";
import { Distribution } from "./cloudfront.fixture.ts";
import { essence, expectSame, gzip, type Headers, releaseIds, useEdge } from "./edge.fixture.ts";
import { isNginxInstalled } from "./nginx.fixture.ts";
import { readPublished } from "./published.fixture.ts";
import { Worker } from "./worker.fixture.ts";

type Ask = (path: string, headers: Headers) => Promise<RawAnswer>;

const edge = useEdge();
/** The server's answers, each asked once. */
const answers = new Map<string, Promise<RawAnswer>>();
const server: Ask = (path, headers) => {
  const key = JSON.stringify([path, headers]);
  const answer = answers.get(key) ?? edge().ask(path, headers);
  answers.set(key, answer);
  return answer;
};
let worker: Worker;

beforeAll(async () => {
  worker = await Worker.start(edge().publicFolder, edge().serverPort);
});

afterAll(() => worker?.stop());

/** The server's answer. Only a server describes a funder or a search in the tags of a page: a bucket has one file for all queries. */
const untagged: Ask = (path, headers) =>
  server(/^\/(?:[a-z]+)?\?/.test(path) ? path.replace(/\?.*/s, "") : path, headers);

/** Every request of the table once. */
function table(): readonly TableRequest[] {
  const rows = [...new Map(requestTable(edge().facts).map((row) => [row.path, row])).values()];
  return [...rows, ...siteTable(readdirSync(join(builtSite, "assets")).slice(0, 5))];
}

/** Sends the requests in groups, because a runtime for tests has few connections. */
async function forEachRequest(check: (row: TableRequest) => Promise<void>): Promise<void> {
  const rows = table();
  for (let from = 0; from < rows.length; from += 8) await Promise.all(rows.slice(from, from + 8).map(check));
}

/** True if an escape of the URL is not UTF-8. */
const hasOddEscape = (path: string) => {
  try {
    return decodeURIComponent(path) === undefined;
  } catch {
    return true;
  }
};

describe.each([
  ["gzip", gzip],
  ["no", {}],
] as const)("the request table, with %s encoding,", (_, headers) => {
  it.skipIf(!isNginxInstalled)(
    "has the server's status, body and headers through nginx, also from its cache",
    async () => {
      await forEachRequest(async ({ path, status }) => {
        const ours = await server(path, headers);
        for (const _ of ["first", "cached"]) {
          const theirs = await edge().askEdge(path, headers);
          expect(theirs.status, path).toBe(status);
          expectSame(path, ours, theirs);
        }
      });
    },
  );

  it("has the server's status, body, caching and links through the Worker, also from its cache", async () => {
    const releases = new Set<unknown>();
    await forEachRequest(async ({ path, status }) => {
      if (hasOddEscape(path)) return; // the runtime replaces such escapes before the Worker sees them
      const ours = await untagged(path, headers);
      for (const _ of ["first", "cached"]) {
        const theirs = await worker.ask(path, headers);
        expect(theirs.status, path).toBe(status);
        expect(essence(theirs), path).toStrictEqual(essence(ours));
        releases.add(theirs.headers["x-release"]);
      }
    });
    expect([...releases].sort()).toStrictEqual([releaseIds[1], undefined]); // responses without a server have none
  });

  it("has the server's status, body, caching and links through the CloudFront functions and the bucket", async () => {
    const distribution = await Distribution.create(edge().publicFolder, server);
    await forEachRequest(async ({ path, status }) => {
      const { isFromBucket, ...theirs } = await distribution.ask(path, headers);
      const ours = await server(path, headers);
      expect(theirs.status, path).toBe(status);
      if (isFromBucket) expect(essence(theirs), path).toMatchObject(contentOf(await untagged(path, headers)));
      else expect(essence(theirs), path).toMatchObject(essence(ours));
      expect(theirs.headers["x-release"], path).toBe(isFromBucket ? undefined : ours.headers["x-release"]);
    });
    expect(distribution.fromBucket).toBeGreaterThan(5);
  });
});

describe("the request table, where a URL is the path of a file,", () => {
  let host: ChildProcess;
  let port = 0;

  beforeAll(async () => {
    port = await findPorts(1);
    const program = join(repository, "node_modules/serve/build/main.js");
    const listen = ["--no-clipboard", "--no-port-switching", "--listen", `tcp://127.0.0.1:${port}`];
    host = spawn(process.execPath, [program, ...listen, edge().publicFolder], {
      env: { ...process.env, NO_UPDATE_CHECK: "1" },
      stdio: "ignore",
    });
    await until(() => askRaw(port, "/").catch(() => undefined));
  });

  afterAll(async () => {
    const ended = once(host, "close");
    host.kill();
    await ended;
  });

  it("has the server's status and body from a static host", async () => {
    const rows = table().filter(
      ({ path, status }) =>
        (/\.(?:json|js|css|svg|woff2)$/.test(path) && !/[+%?]/.test(path)) ||
        (status === 200 && path.startsWith("/v1/downloads/")),
    );
    const pages = [
      "/",
      "/funder?ein=131635294",
      "/docs",
      "/nothing",
      "/none.png",
      "/docs/peers?utm_source=a",
    ];
    let found = 0;
    for (const path of [...rows.map((row) => row.path), ...pages]) {
      const theirs = essence(await askRaw(port, path, gzip));
      const folder = edge().publicFolder;
      const isFile = (await readPublished(folder, path.slice(1))) !== undefined || existsSync(folder + path);
      if (!pages.includes(path) && !isFile) {
        expect(theirs.status, path).toBe(404); // a page without a file: only a server can answer
        continue;
      }
      found += 1;
      const ours = essence(await untagged(path, gzip));
      expect([theirs.status, theirs.body], path).toStrictEqual([ours.status, ours.body]);
      if (path.endsWith(".json") || path.startsWith("/v1/downloads/"))
        expect(theirs.type, path).toBe(ours.type);
    }
    expect(found).toBeGreaterThan(pages.length + 3);
  });
});

/** The headers that a bucket sends like the server; the distribution adds CORS and security headers. */
function contentOf(answer: RawAnswer): Record<string, unknown> {
  const { status, body, type, cache, link } = essence(answer);
  return { status, body, type, cache, link };
}
