// Tests the Worker in Cloudflare's runtime: its own responses, and those from the bucket, its cache and the server.

import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formType } from "../../../api-static/contract/headers.ts";
import { pageKey } from "../../../api-static/contract/operations/searches.ts";
import { parts, readNamesKeys } from "../../../api-static/release/layout.ts";
import { Clients } from "../../../api-static/server/http/clients.ts";
import { modernRequest } from "../server/mcp/modernRequest.ts";
import { createTestApp, useRelease } from "../server/release.fixture.ts";
import { askRaw, listen, type RawAnswer } from "../server/socket.fixture.ts";
import { Worker } from "./worker.fixture.ts";

const served = useRelease({ sampleRows: 200 });
const gzip = { "Accept-Encoding": "gzip" };
/** Results for agents link to the host that was asked. */
const hidePort = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, "host");
let worker: Worker;
let server: Server;
let serverPort = 0;
/** The paths that the Worker asked the server for. */
let asked: string[] = [];
/** The client's address that the Worker sent last. */
let forwarded: unknown;

beforeAll(async () => {
  const { release, folder } = served();
  const clients = new Clients({ searchesPerMinute: 0, trustedProxies: ["loopback"] }, () => 0);
  const app = createTestApp(release, undefined, { clients });
  const listening = await listen((request) => {
    asked.push(request.url ?? "");
    forwarded = request.headers["x-forwarded-for"];
    return app.handle(request);
  });
  server = listening.server;
  serverPort = listening.port;
  worker = await Worker.start(join(folder, "public"), serverPort);
});

afterAll(async () => {
  await worker?.stop();
  server?.close();
});

/** A response of the Worker, and its requests to the server. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<RawAnswer & { readonly asked: readonly string[] }> {
  asked = [];
  const answer = await worker.ask(path, headers, method);
  return { ...answer, asked };
}

const codeOf = ({ body }: RawAnswer) => (JSON.parse(body.toString()) as { code: string }).code;

describe("the Worker", () => {
  it("answers bad requests as the server does, without asking it", async () => {
    for (const path of [
      "/v1/history?limit=0&offset=x",
      "/v1/funders/abc/history",
      "/v1/history.csv?sort=amount",
      "/v1/recipients/530196605/summary?limit=5",
      "/v1/organizations/12",
      "/v1/nothing",
      "/%00",
      `/v1/history?purpose=${"a".repeat(8_000)}`,
    ]) {
      const answer = await ask(path);
      expect(answer.asked, path).toStrictEqual([]);
      expect(answer.status, path).toBeGreaterThanOrEqual(400);
      const { status, body, headers } = await askRaw(serverPort, path);
      expect([answer.status, answer.body.toString()], path).toStrictEqual([status, body.toString()]);
      expect(answer.headers["cache-control"], path).toBe(headers["cache-control"]);
    }
  });

  it("answers other methods and preflights as the server does, without asking it", async () => {
    for (const method of ["POST", "DELETE", "OPTIONS"]) {
      const { status, headers, body } = await askRaw(serverPort, "/v1/history", {}, method);
      const answer = await ask("/v1/history", {}, method);
      expect([answer.status, answer.headers.allow, answer.body.toString()]).toStrictEqual([
        status,
        headers.allow,
        body.toString(),
      ]);
      expect(answer.asked).toStrictEqual([]);
    }
  });

  it("passes on forms with names to reconcile and calls of agents, and their preflights and methods", async () => {
    const form = `queries=${encodeURIComponent("{}")}`;
    const call = modernRequest("tools/call", { name: "describe_data" });
    const json = { "Content-Type": "application/json", ...call.headers };
    for (const [path, body, headers, status] of [
      ["/v1/reconcile", form, { "Content-Type": formType }, 200],
      ["/v1/reconcile", "queries=[]", { "Content-Type": formType }, 400],
      ["/v1/reconcile", form, { "Content-Type": "text/plain" }, 415],
      ["/v1/reconcile", `queries=${"a".repeat(70_000)}`, { "Content-Type": formType }, 413],
      ["/mcp", call.body, json, 200],
      ["/mcp", call.body, { ...json, Origin: "https://evil.example" }, 403],
    ] as const) {
      const send = (port: number) =>
        fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
      const [ours, theirs] = [await send(serverPort), await send(worker.port)];
      expect([ours.status, theirs.status]).toStrictEqual([status, status]);
      expect(hidePort(await theirs.text())).toBe(hidePort(await ours.text()));
      expect(theirs.headers.get("Cache-Control")).toBe(ours.headers.get("Cache-Control"));
    }
    for (const method of ["OPTIONS", "DELETE"]) {
      const { status, headers, body } = await askRaw(serverPort, "/v1/reconcile", {}, method);
      const answer = await ask("/v1/reconcile", {}, method);
      expect([answer.status, answer.headers.allow, answer.body.toString()]).toStrictEqual([
        status,
        headers.allow,
        body.toString(),
      ]);
      expect(answer.asked).toStrictEqual([]);
    }
  });

  it("names itself where clients reach the service for reconciliation", async () => {
    const { body } = await ask("/v1/reconcile");
    expect(JSON.parse(body.toString())).toMatchObject({
      view: { url: `http://127.0.0.1:${worker.port}/recipient?ein={{id}}` },
    });
  });

  it("serves pages, names and the site from the bucket, with the server's headers", async () => {
    const { facts, folder } = served();
    const { ein } = facts.big;
    const [namesKey = ""] = readNamesKeys(await readFile(join(folder, parts.names), "utf8"));
    for (const path of [
      `/v1/funders/${ein}/history`,
      `/v1/funders/${ein}/history?limit=1000`,
      `/v1/history?funder_ein=${ein}&offset=100`,
      "/v1/history",
      `/${namesKey}`,
      "/",
      "/funder?utm_source=a",
      "/openapi.json",
    ]) {
      for (const headers of [gzip, {}] as Record<string, string>[]) {
        const answer = await ask(path, headers);
        expect([answer.status, answer.asked], path).toStrictEqual([200, []]);
        const expected = await askRaw(serverPort, path, headers);
        expect(plain(answer).equals(plain(expected)), path).toBe(true);
        for (const name of ["content-type", "link", "content-security-policy", "access-control-allow-origin"])
          expect(answer.headers[name], `${path} ${name}`).toBe(expected.headers[name]);
        expect(opaque(answer), path).toBe(opaque(expected));
        expect(answer.headers["cache-control"], path).toMatch(/^public, max-age=300, s-maxage=\d+, /);
      }
    }
  });

  it("serves the page for addresses without one from the bucket, once for all those that no file can have", async () => {
    const expected = await askRaw(serverPort, "/nothing");
    expect(expected.headers["content-type"]).toBe("text/html; charset=utf-8");
    for (const path of [
      "/nothing",
      "/wp-login.php",
      "/nothing/",
      "/404",
      "/releases/20261120T040000Z/records",
    ]) {
      for (const headers of [gzip, {}] as Record<string, string>[]) {
        const answer = await ask(path, headers);
        expect([answer.status, answer.asked, plain(answer).equals(expected.body)], path).toStrictEqual([
          404,
          [],
          true,
        ]);
        for (const name of ["content-type", "cache-control", "content-security-policy", "etag"])
          expect(answer.headers[name], `${path} ${name}`).toBe(expected.headers[name]);
      }
    }
  });

  it("answers 304 to the ETag of either encoding, and HEAD without a body", async () => {
    const path = `/v1/funders/${served().facts.big.ein}/history?limit=100&offset=200`;
    const { headers, body } = await ask(path, gzip);
    expect(headers["content-encoding"]).toBe("gzip");
    const { headers: plainHeaders } = await ask(path);
    expect(String(headers.etag)).toBe(String(plainHeaders.etag).replace(/"$/, '-gzip"'));
    for (const etag of [headers.etag, plainHeaders.etag]) {
      const again = await ask(path, { ...gzip, "If-None-Match": String(etag) });
      expect([again.status, again.body.length]).toStrictEqual([304, 0]);
    }
    const head = await ask(path, gzip, "HEAD");
    expect([head.status, head.body.length]).toStrictEqual([200, 0]);
    expect(head.headers["content-length"]).toBe(String(body.length));
  });

  it("asks the server once for all spellings of a request", async () => {
    const spellings = [
      "/v1/history?purpose=Education&transaction_year=2021",
      "/v1/history?transaction_year=2021&purpose=education",
      "/v1/history?offset=0&purpose=%20education&limit=100&transaction_year=2021&",
    ];
    const answers = [];
    for (const path of spellings) answers.push(await ask(path, gzip));
    expect(answers.map((answer) => answer.asked.length)).toStrictEqual([1, 0, 0]);
    for (const answer of answers) expect(answer.body.equals(answers[0]?.body ?? Buffer.alloc(0))).toBe(true);
    const expected = await askRaw(serverPort, spellings[1] ?? "");
    expect(plain(answers[0] as RawAnswer).equals(expected.body)).toBe(true);
    expect((await ask("/v1/history?transaction_year=2021&purpose=educatio", gzip)).asked).toHaveLength(1);
  });

  it("sends the server the address of the client, whatever the client claims", async () => {
    for (const path of ["/v1/history?limit=11", "/v1/history.csv?transaction_year=2021"]) {
      await ask(path, { "CF-Connecting-IP": "203.0.113.9", "X-Forwarded-For": "10.1.1.1" });
      expect(forwarded, path).toBe("203.0.113.9");
    }
  });

  it("asks the server for a page that the bucket does not have, and keeps neither failures nor exports", async () => {
    const { unknownEin, small } = served().facts;
    const missing = await ask(`/v1/funders/${unknownEin}/history`);
    expect([missing.status, codeOf(missing)]).toStrictEqual([404, "funder_not_found"]);
    expect((await ask(`/v1/funders/${small.ein}/history?limit=1000`)).asked).toHaveLength(1); // has no file
    for (const _ of ["first", "again"]) {
      expect((await ask(`/v1/funders/${small.ein}/history.csv`)).asked).toHaveLength(1);
      expect((await ask("/readyz")).asked).toHaveLength(1);
    }
  });

  it("lets the server answer if an object is not the page of its key", async () => {
    const { ein, records } = served().facts.big;
    const offset = Math.floor((records - 1) / 100) * 100;
    const filters = { funderEin: ein as never };
    const key = pageKey({ kind: "history", scope: "funder", filters, limit: 100, offset }) ?? "";
    await worker.put(key, { body: Buffer.from("not a page"), contentType: "application/json" });
    const path = `/v1/funders/${ein}/history?offset=${offset}`;
    const answer = await ask(path);
    expect(answer.asked).toHaveLength(1);
    expect(answer.body.equals((await askRaw(serverPort, path)).body)).toBe(true);
  });

  it("answers 412 as the server does to If-Match for a page, a search and a file of the site", async () => {
    const { ein } = served().facts.big;
    for (const path of [
      `/v1/funders/${ein}/history`,
      "/v1/history?purpose=a",
      "/r/20200101T000000Z/v1/history",
      "/icon.svg",
    ])
      for (const sent of ['"other"', "*"]) {
        const ours = await askRaw(serverPort, path, { ...gzip, "If-Match": sent });
        const theirs = await ask(path, { ...gzip, "If-Match": sent });
        expect(
          [theirs.status, theirs.headers["cache-control"]?.replace(/s-maxage=\d+/, "")],
          path,
        ).toStrictEqual([ours.status, ours.headers["cache-control"]?.replace(/s-maxage=\d+/, "")]);
        if (ours.status === 412) expect(theirs.body.equals(ours.body), path).toBe(true);
      }
  });

  it("reads downloads and their parts from the bucket", async () => {
    const path = "/v1/downloads/grants.parquet";
    const body = Buffer.from(`PAR1${"rows".repeat(1_000)}PAR1`);
    await worker.put(path.slice(1), { body, contentType: "application/vnd.apache.parquet" });
    const part = async (range: string, more: Record<string, string> = {}) => {
      const { status, headers, body } = await ask(path, { ...gzip, Range: range, ...more });
      return [status, headers["content-range"], body.toString()];
    };
    const whole = await ask(path, gzip);
    expect([whole.status, whole.body.equals(body), whole.asked]).toStrictEqual([200, true, []]);
    expect(whole.headers).toMatchObject({ "accept-ranges": "bytes", "content-length": "4008" });
    const etag = String(whole.headers.etag);
    expect(await part("bytes=0-3", { "If-Range": etag })).toStrictEqual([206, "bytes 0-3/4008", "PAR1"]);
    expect(await part("bytes=-4")).toStrictEqual([206, "bytes 4004-4007/4008", "PAR1"]);
    expect(await part("bytes=4000-9000")).toStrictEqual([206, "bytes 4000-4007/4008", "rowsPAR1"]);
    for (const range of ["bytes=5000-", "bytes=3-0"]) {
      const [status, range416, text] = await part(range);
      expect([status, range416]).toStrictEqual([416, "bytes */4008"]);
      expect(JSON.parse(String(text)).code).toBe("range_not_satisfiable");
    }
    expect((await part("bytes=0-3", { "If-Range": '"other"' }))[0]).toBe(200);
    expect((await ask(path, { "If-None-Match": etag })).status).toBe(304);
    expect((await part("bytes=0-3", { "If-Match": etag }))[0]).toBe(206);
    const [status, , text] = await part("bytes=0-3", { "If-Match": '"other"' });
    expect([status, JSON.parse(String(text)).code]).toStrictEqual([412, "precondition_failed"]);
    const head = await ask(path, { Range: "bytes=0-3" }, "HEAD");
    expect([head.status, head.headers["content-length"]]).toStrictEqual([200, "4008"]);
    for (const other of [
      `${path}?a=1`,
      "/v1/downloads/other.parquet",
      "/grants.parquet",
      "/releases/a/rejects.parquet",
    ])
      expect((await ask(other)).status, other).toBe(404);
  });

  it("reads changes from the bucket, and knows from its index which of them are not kept", async () => {
    const [first, second] = ["20261119T040000Z", "20261120T040000Z"];
    const path = `/v1/changes/${first}..${second}.parquet`;
    const files = [{ format: "parquet", url: path, bytes: 4, sha256: "" }];
    const entry = { from: first, to: second, at: "2026-11-20T04:01:00Z", files };
    const index = Buffer.from(JSON.stringify({ current: second, entries: [entry] }));
    await worker.put("v1/changes/index.json", { body: index, contentType: "application/json" });
    await worker.put(path.slice(1), { body: Buffer.from("PAR1"), contentType: "application/x" });
    const known = await ask("/v1/changes/index.json");
    expect([known.status, known.body.equals(index), known.asked]).toStrictEqual([200, true, []]);
    expect(known.headers["cache-control"]).toBe("public, max-age=5");
    const file = await ask(path, gzip);
    expect([file.status, file.body.toString(), file.asked]).toStrictEqual([200, "PAR1", []]);
    expect(file.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const old = await ask(path.replace(first, "20200101T000000Z"));
    expect([old.status, JSON.parse(old.body.toString()).code]).toStrictEqual([410, "release_too_old"]);
    expect((await ask(path.replace(".parquet", ".ndjson.gz"))).status).toBe(404);
  });

  it("still serves pages and cached responses when no server answers", async () => {
    const { ein } = served().facts.middle;
    const kept = "/v1/history?limit=3&offset=3";
    const before = await ask(kept);
    server.close();
    server.closeAllConnections();
    try {
      expect((await ask(`/v1/funders/${ein}/history`)).status).toBe(200);
      expect((await ask(kept)).body.equals(before.body)).toBe(true);
      const answer = await ask("/v1/history?limit=3&offset=333");
      expect([answer.status, codeOf(answer)]).toStrictEqual([503, "not_ready"]);
      const { "cache-control": caching, "retry-after": after } = answer.headers;
      expect([caching, after]).toStrictEqual(["no-store", "5"]);
    } finally {
      await new Promise<void>((resolve) => server.listen(serverPort, "127.0.0.1", resolve));
    }
  });
});

function plain({ headers, body }: RawAnswer): Buffer {
  return headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}

function opaque({ headers }: RawAnswer): string {
  return String(headers.etag).replace(/-gzip"$/, '"');
}
