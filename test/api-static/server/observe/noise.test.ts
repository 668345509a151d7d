// Tests that random requests never cause a 5xx or reveal an internal detail, and that the server keeps serving.

import type { Server } from "node:http";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parameterNames } from "../../../../api-static/contract/parameters.ts";
import { isPageAddress } from "../../../../api-static/contract/sitePaths.ts";
import { proofs } from "../../../proofs.ts";
import { noise } from "../../contract/arbitraries.ts";
import { repository, useRelease } from "../release.fixture.ts";
import { askRaw, listen, sendBytes } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
let server: Server;
let port = 0;

beforeAll(async () => {
  ({ server, port } = await listen(served().app.handle));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Internal details: stacks, file paths, and names of modules and of SQL. */
const inside = new RegExp(
  `\\bat .+:\\d+:\\d+|node_modules|/tmp/|${repository}|\\.ts\\b|ENOENT|SELECT|duckdb`,
  "i",
);

/** Random text that is valid in a URL. */
const part = noise.map((text) => text.replaceAll(/[^\x21-\x7e]/gu, (letter) => encodeAnything(letter)));

function encodeAnything(letter: string): string {
  return letter.isWellFormed() ? encodeURIComponent(letter) : "%ED%A0%80";
}

const value = fc.oneof(
  part,
  fc.constantFrom("5", "-1", "131635294", "13-1635294", "2021", "a", "%00", "1e3"),
);
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...parameterNames), part), value), { maxLength: 6 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("&"));
const path = fc.oneof(
  part.map((text) => `/${text}`),
  fc.constantFrom(
    "/v1/history",
    "/v1/funders/131635294/history",
    "/v1/status",
    "/",
    "/../../etc/passwd",
    "//x/y",
  ),
  part.map((text) => `/v1/funders/${text}/history`),
  part.map((text) => `/v1/funders/131635294/history-${text}.json`),
  fc.nat().map((offset) => `/v1/funders/131635294/history-100-${offset}.json`),
);
const headerValue = fc
  .string({ unit: "binary-ascii", maxLength: 40 })
  .map((text) => text.replaceAll(/[^\x20-\x7e]/g, ""));
const headers = fc.dictionary(
  fc.constantFrom(
    "Accept",
    "Accept-Encoding",
    "If-None-Match",
    "Range",
    "Origin",
    "X-Forwarded-Host",
    "Cookie",
  ),
  fc.oneof(
    headerValue,
    fc.constantFrom("*", "gzip", '"', "W/", "bytes=50-10", "bytes=0-", "gzip;q=nan", ",,,"),
  ),
);
const method = fc.constantFrom("GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "DELETE", "QUERY");

describe("random text", () => {
  it("in URLs, headers and methods never gets a 5xx or an internal detail", async () => {
    const { app, log } = served();
    const statuses = new Map<number, number>();
    log.length = 0;
    await fc.assert(
      fc.asyncProperty(path, query, headers, method, async (path, query, headers, method) => {
        const url = `http://127.0.0.1${path}${query === "" ? "" : `?${query}`}`;
        if (!URL.canParse(url)) return;
        const response = await app.fetch(new Request(url, { headers, method }));
        const body = Buffer.from(await response.arrayBuffer());
        const isGzipped = response.headers.has("Content-Encoding") && body.length > 0;
        const text = (isGzipped ? gunzipSync(body) : body).toString();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        expect(response.status).toBeLessThan(500);
        if (response.status === 404 && isPageAddress(new URL(url).pathname)) {
          expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
          expect(text).not.toMatch(inside);
        } else if (response.status >= 400) {
          expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
          if (method !== "HEAD") expect(JSON.parse(text)).toMatchObject({ success: false });
          expect(JSON.parse(text || "{}").details === undefined ? text : "").not.toMatch(inside);
        }
        const location = response.headers.get("Location");
        if (location !== null) expect(location).toMatch(/^\/v1\/funders\/\d{9}\/history(\?|$)/);
      }),
      { numRuns: proofs.noiseRequests },
    );
    expect(log.filter(({ level }) => level === "error")).toStrictEqual([]);
    for (const status of [200, 400, 404, 405]) expect(statuses.get(status), `${status}`).toBeGreaterThan(0);
  }, 30_000);

  it("in raw bytes never gets a 5xx or an internal detail, and the server keeps serving", async () => {
    const bytes = fc.sample(rawRequest, { numRuns: 200, seed: 20261120 });
    for (let from = 0; from < bytes.length; from += 25) {
      const answers = await Promise.all(
        bytes.slice(from, from + 25).map((request) => sendBytes(port, Buffer.from(request, "latin1"))),
      );
      for (const [index, answer] of answers.entries()) {
        const sent = JSON.stringify(bytes[from + index]).slice(0, 200);
        expect(answer, sent).not.toMatch(/^HTTP\/1\.1 5/m);
        if (/^HTTP\/1\.1 4/.test(answer) && !sent.startsWith('"HEAD'))
          expect(answer, sent).toMatch(/\{"success":false|<h1>There is no page at this address</);
        expect(answer, sent).not.toMatch(/\bat .+:\d+:\d+|node_modules|ENOENT/);
      }
    }
    expect(served().log.filter(({ level }) => level === "error")).toStrictEqual([]);
    const { status, body } = await askRaw(port, "/v1/history?limit=1");
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toMatchObject({ success: true });
  }, 30_000);
});

/** A raw request: well-formed but unusual, or broken. */
const rawRequest = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("GET", "HEAD", "TRACE", "CONNECT", "get", "PROPFIND", "PRI", "M-SEARCH"),
      path,
      noise,
    )
    .map(
      ([method, path, host]) => `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    ),
  fc
    .constantFrom(
      "http://evil.example/v1/history",
      "//evil.example/v1/history",
      "*",
      "http://",
      "http://[::1",
      "/%",
      "?limit=1",
      "/v1/history#x",
      "/\\evil",
      `/v1/history?purpose=${"a".repeat(20_000)}`,
      "/v1/history?limit=1 HTTP/1.1 x",
    )
    .chain((target) =>
      fc
        .constantFrom(
          "Host: 127.0.0.1",
          "Host: a b",
          "Host:",
          "Host: x/y@z:99999",
          "Host: a\r\nHost: b",
          "X: y",
        )
        .map((host) => `GET ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`),
    ),
  fc.constantFrom(
    "GET /v1/history HTTP/1.0\r\n\r\n",
    "GET /v1/history HTTP/9.9\r\n\r\n",
    "GET /v1/history\r\n\r\n",
    "POST /v1/history HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "GET /v1/history HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=50-10\r\nConnection: close\r\n\r\n",
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(70_000)}\r\n\r\n`,
  ),
  noise,
);
