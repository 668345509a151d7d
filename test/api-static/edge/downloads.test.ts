// Tests that every host sends downloads, their parts and refusals as the server does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DownloadName,
  downloadKey,
  downloadNames,
} from "../../../api-static/contract/answers/downloads.ts";
import type { RawAnswer } from "../server/socket.fixture.ts";
import { Distribution } from "./cloudfront.fixture.ts";
import { essence, expectSame, gzip, type Headers, useEdge } from "./edge.fixture.ts";
import { isNginxInstalled } from "./nginx.fixture.ts";
import { Worker } from "./worker.fixture.ts";

type Ask = (path: string, headers?: Headers, method?: string) => Promise<RawAnswer>;

const edge = useEdge();
const server: Ask = (path, headers, method) => edge().ask(path, headers, method);
let worker: Worker;
beforeAll(async () => {
  worker = await Worker.start(edge().publicFolder, edge().serverPort);
});
afterAll(() => worker?.stop());

const hosts = [
  ...(isNginxInstalled ? [["nginx", (...asked: Parameters<Ask>) => edge().askEdge(...asked)] as const] : []),
  ["the Worker", (...asked: Parameters<Ask>) => worker.ask(...asked)] as const,
];

/** Stands for the ETag that the host sends. */
const own = "own";

/** Headers of a request, its status, and the bytes of its answer, of a file of `size` bytes. */
const rows = (size: number): readonly (readonly [Headers, number, (readonly [number, number])?])[] => [
  [{}, 200, [0, size]],
  [{ Range: "bytes=0-99" }, 206, [0, 100]],
  [{ Range: "bytes=1-" }, 206, [1, size]],
  [{ Range: "bytes=-8" }, 206, [size - 8, size]],
  [{ Range: `bytes=-${size + 262_144}` }, 206, [0, size]],
  [{ Range: `bytes=${size - 1}-${size + 5}` }, 206, [size - 1, size]],
  [{ Range: "bytes=0-1,5-6" }, 200, [0, size]],
  [{ Range: "lines=0-1" }, 200, [0, size]],
  ...[`bytes=${size}-`, "bytes=-0", "bytes=9-0", "bytes=x"].map((Range) => [{ Range }, 416] as const),
  [{ Range: "bytes=0-99", "If-Range": own }, 206, [0, 100]],
  [{ Range: "bytes=0-99", "If-Range": '"other"' }, 200, [0, size]],
  [{ Range: "bytes=x", "If-Range": "Fri, 20 Nov 2026 04:00:00 GMT" }, 200, [0, size]],
  [{ Range: "bytes=0-99", "If-None-Match": own }, 304, [0, 0]],
];

const read = (name: DownloadName) => readFileSync(join(edge().publicFolder, downloadKey(name)));
const named = ["accept-ranges", "content-encoding", "content-length", "content-range", "vary"];

/** Asks a host, with its own ETag where the headers name it. */
async function askWithOwn(ask: Ask, path: string, headers: Headers, method?: string): Promise<RawAnswer> {
  const etag = String((await ask(path, {}, "HEAD")).headers.etag);
  expect(etag).toMatch(/^"[^"]+"$/);
  const filled = Object.entries(headers).map(([name, value]) => [name, value === own ? etag : value]);
  return ask(path, { ...gzip, ...Object.fromEntries(filled) }, method);
}

describe.each([["the server", server] as const, ...hosts])("%s", (host, ask) => {
  it.each(downloadNames)("sends %s whole, in part, or not, as each request asks", async (name) => {
    const path = `/${downloadKey(name)}`;
    const file = read(name);
    for (const [headers, status, window] of rows(file.length)) {
      const about = JSON.stringify(headers);
      const answer = await askWithOwn(ask, path, headers);
      const ours = await askWithOwn(server, path, headers);
      expect(answer.status, about).toBe(status);
      if (window !== undefined) expect(answer.body.equals(file.subarray(...window)), about).toBe(true);
      expect(essence(answer), about).toStrictEqual(essence(ours));
      for (const header of named)
        expect(answer.headers[header], `${about} ${header}`).toBe(ours.headers[header]);
      expect(answer.headers["content-encoding"], about).toBeUndefined();
      if (host === "nginx") expectSame(path, ours, answer);
    }
  });

  it("sends the headers of the whole file for HEAD, and parts of a pinned release", async () => {
    const path = `/${downloadKey("grants.parquet")}`;
    const file = read("grants.parquet");
    const head = await ask(path, { ...gzip, Range: "bytes=0-9" }, "HEAD");
    expect([head.status, head.body.length]).toStrictEqual([200, 0]);
    expect(head.headers["content-length"]).toBe(String(file.length));
    const pinned = `/r/20261120T040000Z${path}`;
    for (const headers of [{}, { Range: "bytes=-8" }, { Range: "bytes=x" }] as Headers[]) {
      const answer = await ask(pinned, headers);
      const ours = await server(pinned, headers);
      expect(essence(answer)).toStrictEqual(essence(ours));
      for (const header of [...named, "etag"])
        expect(answer.headers[header], header).toBe(ours.headers[header]);
    }
    const missing = await ask("/v1/downloads/grants.csv");
    expect([missing.status, JSON.parse(missing.body.toString()).code]).toStrictEqual([404, "not_found"]);
  });
});

describe("hosts of files", () => {
  it("have the bytes and types in a bucket behind CloudFront", async () => {
    const distribution = await Distribution.create(edge().publicFolder, server);
    for (const name of downloadNames) {
      const { isFromBucket, ...answer } = await distribution.ask(`/${downloadKey(name)}`, gzip);
      const ours = await server(`/${downloadKey(name)}`);
      expect([isFromBucket, answer.headers["content-encoding"]], name).toStrictEqual([true, undefined]);
      expect(essence(answer), name).toMatchObject({
        status: 200,
        body: essence(ours).body,
        type: essence(ours).type,
      });
    }
  });
});
