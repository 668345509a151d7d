// Tests that nginx answers as the server does: other methods and headers, exports, pinned releases, conditions, encodings.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { formType } from "../../../api-static/contract/headers.ts";
import { askRaw, readPort, startServer } from "../server/socket.fixture.ts";
import { expectSame, gzip, type Headers, useEdge } from "./edge.fixture.ts";
import { isNginxInstalled, startNginx } from "./nginx.fixture.ts";

const host = useEdge();
const server = (path: string, headers?: Headers, method?: string) => host().ask(path, headers, method);
const edge = (path: string, headers?: Headers, method?: string) => host().askEdge(path, headers, method);

describe.skipIf(!isNginxInstalled)("nginx", () => {
  it("has the server's answers to other methods, bodies, ranges and conditions", async () => {
    const path = `/v1/funders/${host().facts.big.ein}/history`;
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
      for (const target of [path, `${path}/100-0.json`, "/v1/history?purpose=a"])
        expectSame(target, await server(target, {}, method), await edge(target, {}, method));
    for (const headers of [
      { Range: "bytes=0-9" },
      { "If-Match": '"other"' },
      { "If-Match": "*", Range: "bytes=0-9" },
      { "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT" },
      { "If-Modified-Since": "Thu, 01 Jan 2099 00:00:00 GMT" },
    ] as Headers[])
      for (const target of [
        path,
        "/v1/history?limit=9",
        "/v1/history?limit=9",
        "/v1/downloads/grants.parquet",
      ])
        expectSame(
          `${target} ${JSON.stringify(headers)}`,
          await server(target, headers),
          await edge(target, headers),
        );
    const { status, body } = await askWithBody(path, 100_000);
    expect([status, JSON.parse(body).code]).toStrictEqual([405, "method_not_allowed"]);
  });

  it("passes on forms with names to reconcile and calls of agents, and refuses those that are too long as the server does", async () => {
    const ports = [host().serverPort, host().nginx?.port ?? 0];
    const form = (queries: unknown) => `queries=${encodeURIComponent(JSON.stringify(queries))}`;
    const toolsList = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const long = "a".repeat(65_537);
    for (const [path, type, body, status] of [
      ["/v1/reconcile", formType, form({}), 200],
      ["/r/20261119T040000Z/v1/reconcile", formType, form({}), 200],
      ["/v1/reconcile", formType, form({ q0: { query: "a", limit: 0 } }), 400],
      ["/v1/reconcile", formType, "", 400],
      ["/v1/reconcile", "text/plain", form({}), 415],
      ["/v1/reconcile", formType, long, 413],
      ["/v1/reconcile/preview", formType, form({}), 405],
      ["/mcp", "application/json", toolsList, 200],
      ["/mcp", formType, form({}), 415],
      ["/mcp", "application/json", long, 413],
    ] as const) {
      const send = (port: number) =>
        fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers: { "Content-Type": type }, body });
      const [ours, theirs] = await Promise.all(ports.map(send));
      expect([ours?.status, theirs?.status], path).toStrictEqual([status, status]);
      expect(await theirs?.text(), path).toBe(await ours?.text());
      for (const name of ["allow", "cache-control", "content-type", "access-control-allow-origin"])
        expect(theirs?.headers.get(name), `${path} ${name}`).toBe(ours?.headers.get(name));
    }
    for (const method of ["OPTIONS", "DELETE"])
      expectSame(method, await server("/v1/reconcile", {}, method), await edge("/v1/reconcile", {}, method));
  });

  it("has the same bytes as a server for exports and pinned releases", async () => {
    const { ein } = host().facts.big;
    for (const path of [
      `/v1/funders/${ein}/history.csv`,
      "/v1/history.csv?transaction_year=2021",
      `/r/20261120T040000Z/v1/funders/${ein}/history?limit=100`,
      "/r/20261119T040000Z/v1/history?limit=50",
      "/r/20261119T040000Z/v1/history.csv?transaction_year=2021",
      "/r/20200101T040000Z/v1/history",
    ])
      for (const _ of ["first", "cached"]) expectSame(path, await server(path), await edge(path));
  });

  it("answers 304 to the server's ETag from its cache", async () => {
    for (const path of [`/v1/funders/${host().facts.big.ein}/history`, "/v1/history?limit=20"]) {
      for (const headers of [gzip, {}] as Headers[]) {
        const { headers: given } = await edge(path, headers);
        const again = await edge(path, { ...headers, "If-None-Match": String(given.etag) });
        expect([again.status, again.body.length], path).toStrictEqual([304, 0]);
        expect(again.headers["cache-control"], path).toBe(given["cache-control"]);
      }
    }
  });

  it("sends gzip only to clients that accept it, also through other proxies and for HEAD", async () => {
    const path = `/v1/funders/${host().facts.big.ein}/history`;
    const plain = await edge(path);
    for (const via of [{}, { Via: "1.1 cache.example" }]) {
      const packed = await edge(path, { ...gzip, ...via });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    }
    const head = await edge(path, gzip, "HEAD");
    expect([head.status, head.body.length]).toStrictEqual([200, 0]);
    expect(head.headers["content-length"]).toBe((await edge(path, gzip)).headers["content-length"]);
    expect((await edge(path, { "Accept-Encoding": "gzip;q=0" })).body.equals(plain.body)).toBe(true);
    for (const accepted of [
      "gzip;q=0.5, identity;q=0.8",
      "identity;q=0.3,gzip;q=0.5",
      "*",
      "gzip;q=1.0, *;q=0",
      "br",
    ])
      for (const _ of ["first", "cached"]) {
        const { headers } = await server(path, { "Accept-Encoding": accepted });
        const theirs = await edge(path, { "Accept-Encoding": accepted });
        expect(theirs.headers["content-encoding"], accepted).toBe(headers["content-encoding"]);
      }
  });
});

it.skipIf(!isNginxInstalled)("nginx passes on the site's pages before the first release", async () => {
  const data = await mkdtemp(join(tmpdir(), "early-"));
  const server = startServer({ DATA: data, PORT: "0" });
  const port = await readPort(server);
  const nginx = await startNginx(data, [port]);
  try {
    for (const [path, status, type] of [
      ["/", 503, "text/html; charset=utf-8"],
      ["/funder?ein=131635294", 503, "text/html; charset=utf-8"],
      ["/nothing", 404, "text/html; charset=utf-8"],
      ["/v1/history", 503, "application/json; charset=utf-8"],
    ] as const) {
      const ours = await askRaw(port, path, gzip);
      for (const _ of ["first", "again"]) {
        const theirs = await askRaw(nginx.port, path, gzip);
        expect([theirs.status, theirs.headers["content-type"]], path).toStrictEqual([status, type]);
        expect(theirs.headers["retry-after"], path).toBe(status === 503 ? "5" : undefined);
        expectSame(path, ours, theirs);
      }
    }
  } finally {
    await nginx.stop();
    server.child.kill("SIGKILL");
    await server.ended;
    await rm(data, { recursive: true });
  }
});

async function askWithBody(path: string, bytes: number): Promise<{ status: number; body: string }> {
  const answer = await fetch(`http://127.0.0.1:${host().nginx?.port}${path}`, {
    method: "POST",
    body: "x".repeat(bytes),
  });
  return { status: answer.status, body: await answer.text() };
}
