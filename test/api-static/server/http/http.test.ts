// Tests the contract's rules for HTTP over a real socket: methods, CORS, caching, validation, compression, status.
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { useRelease } from "../release.fixture.ts";
import { useSocket } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });
const ask = useSocket(served);
const gzip = { "Accept-Encoding": "gzip" };

/** The longest error. */
const manyProblems = `/v1/history?${Array.from({ length: 1_300 }, (_, index) => `p${index}`).join("&")}`;

/** URLs of a page from its file and by its key, a window, a search with and without matches. */
function pages(): string[] {
  const { ein } = served().facts.big;
  return [
    `/v1/funders/${ein}/history`,
    `/v1/funders/${ein}/history?limit=7`,
    `/v1/funders/${ein}/history-100-0.json`,
    "/v1/history?limit=20",
    "/v1/history?purpose=zzzzzz",
  ];
}

describe("methods", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])("refuse %s with 405 and Allow", async (method) => {
    for (const path of ["/v1/history", "/v1/status", "/nowhere", "/"]) {
      const { status, headers, body } = await ask(path, { "Content-Length": "0" }, method);
      expect(status).toBe(405);
      expect(headers.allow).toBe("GET, HEAD, OPTIONS");
      expect(headers["cache-control"]).toBe("no-store");
      expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: "method_not_allowed" });
    }
  });

  it("reject a POST with a body and keep serving", async () => {
    const answer = await served().app.fetch(
      new Request("http://127.0.0.1/v1/history", { method: "POST", body: "x".repeat(100_000) }),
    );
    expect(answer.status).toBe(405);
    expect((await ask("/healthz")).status).toBe(200);
  });

  it("answer the preflight request of a browser", async () => {
    const preflight = { Origin: "https://example.org", "Access-Control-Request-Method": "GET" };
    const { status, headers, body } = await ask("/v1/history", preflight, "OPTIONS");
    expect(status).toBe(204);
    expect(body.length).toBe(0);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["access-control-allow-methods"]).toBe("GET, HEAD, OPTIONS");
    expect(headers["access-control-allow-headers"]).toBe("*");
  });
});

describe("caching", () => {
  it("keeps a redirect for a day and the status for five seconds", async () => {
    const { ein } = served().facts.big;
    const moved = await ask(`/v1/funders/${ein.slice(0, 2)}-${ein.slice(2)}/history`);
    expect([moved.status, moved.headers["cache-control"]]).toStrictEqual([308, "public, max-age=86400"]);
    const status = await ask("/v1/status");
    expect([status.status, status.headers["cache-control"]]).toStrictEqual([200, "public, max-age=5"]);
  });

  it("keeps a 400 and a 404 for at most 60 seconds", async () => {
    for (const path of [
      "/v1/history?limit=0",
      "/nowhere",
      `/v1/funders/${served().facts.unknownEin}/history`,
    ]) {
      const { headers } = await ask(path);
      const [, seconds] = /max-age=(\d+)$/.exec(headers["cache-control"] ?? "") ?? [];
      expect(Number(seconds), path).toBeLessThanOrEqual(60);
      expect(headers.etag, path).toBeUndefined();
    }
  });

  it("answers 304 to an ETag in every form, in either encoding", async () => {
    for (const path of pages()) {
      const { headers } = await ask(path);
      const packed = await ask(path, gzip);
      const etag = String(headers.etag);
      expect(etag, path).toMatch(/^"[0-9a-f]{32}"$/);
      for (const sent of [
        etag,
        `W/${etag}`,
        `"other", ${etag}`,
        `"a" ,W/${etag}`,
        "*",
        String(packed.headers.etag),
      ]) {
        for (const encoding of [{}, gzip]) {
          const answer = await ask(path, { "If-None-Match": sent, ...encoding });
          expect(answer.status, `${path} ${sent}`).toBe(304);
          expect(answer.body.length).toBe(0);
          expect(answer.headers["content-length"]).toBeUndefined();
          expect(answer.headers["cache-control"]).toBe(headers["cache-control"]);
          expect(answer.headers.vary).toBe("Accept-Encoding");
          expect(answer.headers.etag).toBeDefined();
        }
      }
      for (const sent of ['"other"', etag.slice(1, -1), `"${"0".repeat(32)}"`, ""])
        expect((await ask(path, { "If-None-Match": sent })).status, `${path} ${sent}`).toBe(200);
    }
  });

  it("answers 412 if the content is not what If-Match names, whatever the other conditions", async () => {
    for (const path of pages()) {
      const etag = String((await ask(path)).headers.etag);
      for (const others of [{}, gzip, { "If-None-Match": etag }, { Range: "bytes=0-5" }] as (typeof gzip)[])
        for (const sent of ['"other"', `W/${etag}`]) {
          const { status, headers, body } = await ask(path, { ...others, "If-Match": sent });
          expect([status, JSON.parse(body.toString()).code], path).toStrictEqual([
            412,
            "precondition_failed",
          ]);
          expect([headers["cache-control"], headers.etag], path).toStrictEqual(["no-store", undefined]);
          expect(headers["x-release"], path).toBe((await ask(path)).headers["x-release"]);
        }
      for (const sent of [etag, "*", `"other", ${etag.replace(/"$/, '-gzip"')}`, ""])
        expect((await ask(path, { "If-Match": sent })).status, `${path} ${sent}`).toBe(200);
      expect((await ask(path, { "If-Match": etag, "If-None-Match": etag })).status).toBe(304);
    }
    for (const [path, status] of [
      ["/v1/funders/1/history", 400],
      ["/v1/status", 200],
      ["/none.js", 404],
    ] as const)
      expect((await ask(path, { "If-Match": '"other"' })).status, path).toBe(status);
  });
});

describe("compression", () => {
  it("sends a client with gzip a body that decompresses to the plain one", async () => {
    for (const path of [...pages().slice(0, 4), "/v1/history?limit=1000", manyProblems]) {
      const [plain, packed] = [await ask(path), await ask(path, gzip)];
      expect(plain.headers["content-encoding"], path).toBeUndefined();
      expect(packed.headers["content-encoding"], path).toBe("gzip");
      expect(packed.body.length, path).toBeLessThan(plain.body.length);
      expect(gunzipSync(packed.body).equals(plain.body), path).toBe(true);
      for (const { headers } of [plain, packed]) expect(headers.vary, path).toBe("Accept-Encoding");
    }
  });

  it("is omitted if the client refuses it, accepts only others, or the body is short", async () => {
    const path = pages()[0] ?? "";
    for (const accepted of [
      "",
      "identity",
      "br",
      "gzip;q=0",
      "gzip; q=0.0, *",
      "*;q=0",
      "gzip;q=0.5, identity;q=0.8",
    ])
      expect((await ask(path, { "Accept-Encoding": accepted })).headers["content-encoding"]).toBeUndefined();
    for (const accepted of ["gzip", "GZIP", "br, gzip;q=0.5", "*", "deflate, *;q=0.1"])
      expect((await ask(path, { "Accept-Encoding": accepted })).headers["content-encoding"]).toBe("gzip");
    expect((await ask("/v1/history?purpose=zzzzzz", gzip)).headers["content-encoding"]).toBeUndefined();
  });
});

describe("the other paths", () => {
  it("report the release at /v1/status", async () => {
    const { status, body } = await ask("/v1/status");
    const { release, lines } = served();
    expect(status).toBe(200);
    const created = lines.map((line) => /"created_at":"([^"]+)"/.exec(line)?.[1] ?? "").map(Date.parse);
    const facts = JSON.parse(body.toString()) as Record<string, unknown>;
    expect(facts).toMatchObject({
      success: true,
      release: release.facts.release,
      synced_at: "2026-11-20T04:00:00Z",
      age_seconds: 19 * 3600,
      next_sync: "2026-11-21T04:00:00Z",
      sync_scheduled: true,
      releases_kept: 10,
      synthetic: true,
      records: lines.length,
      funders: new Set(lines.map((line) => /"funder_ein":"(\d{9})"/.exec(line)?.[1])).size,
    });
    expect(Date.parse(String(facts.newest_created_at))).toBe(created.reduce((a, b) => Math.max(a, b)));
  });

  it("report that the process runs at /healthz", async () => {
    const { status, headers, body } = await ask("/healthz");
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-store");
    expect(body.toString()).toBe("ok\n");
  });

  it("give the site's page at /", async () => {
    const { status, headers, body } = await ask("/");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body.toString()).toMatch(/^<!doctype html>/i);
  });

  it("answer a page key with the bytes and the ETag of its request", async () => {
    const { ein } = served().facts.big;
    for (const [limit, offset] of [
      [100, 0],
      [100, 200],
      [1000, 1000],
    ]) {
      const key = await ask(`/v1/funders/${ein}/history-${limit}-${offset}.json`);
      const request = await ask(`/v1/funders/${ein}/history?limit=${limit}&offset=${offset}`);
      expect(key.status).toBe(200);
      expect(key.body.equals(request.body)).toBe(true);
      expect(key.headers.etag).toBe(request.headers.etag);
    }
  });
});
