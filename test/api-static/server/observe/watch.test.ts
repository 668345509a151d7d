// Tests what is recorded of a request: its id, its log line, and its metrics.
import type { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServerMetrics } from "../../../../api-static/server/observe/metrics.ts";
import { idleQueues } from "../../search/client.fixture.ts";
import { createTestApp, fixedNow, useRelease } from "../release.fixture.ts";
import { until } from "../socket.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** Sends a request to a new service; returns the response, the log lines and the metrics. */
async function watch(path: string, headers: Record<string, string> = {}, method = "GET") {
  const lines: string[] = [];
  const counted = new ServerMetrics({ current: served().release }, idleQueues(), () => fixedNow);
  const app = createTestApp(served().release, (line) => lines.push(line), { metrics: counted });
  const answer = await app.fetch(new Request(`http://127.0.0.1${path}`, { headers, method }));
  const body = await answer.arrayBuffer();
  await until(() => lines[0]); // the line of an export comes when the export ends
  const metrics = await counted.format();
  return {
    answer,
    bytes: body.byteLength,
    lines: lines.slice(0, 1),
    line: JSON.parse(lines[0] ?? ""),
    metrics,
  };
}

/** A request of every kind, with the fields of its log line. */
function everyKind() {
  const { big, unknownEin } = served().facts;
  const funder = "/v1/funders/{funder_ein}/history";
  return [
    { path: `/v1/funders/${big.ein}/history`, route: funder, status: 200, by: "file" },
    { path: `/v1/funders/${big.ein}/history?limit=7`, route: funder, status: 200, by: "slice" },
    { path: `/v1/funders/${big.ein}/history?purpose=a`, route: funder, status: 200, by: "search" },
    { path: "/v1/history?min_amount=5", route: "/v1/history", status: 200, by: "search" },
    { path: "/v1/history.csv?purpose=a", route: "/v1/history.csv", status: 200, by: "search" },
    { path: `/v1/funders/${big.ein}/history.csv`, route: `${funder}.csv`, status: 200, by: "slice" },
    {
      path: `/v1/funders/${big.ein}/summary`,
      route: "/v1/funders/{funder_ein}/summary",
      status: 200,
      by: "search",
    },
    { path: "/v1/history?limit=0", route: "/v1/history", status: 400, code: "invalid_parameter" },
    { path: `/v1/funders/${unknownEin}/history`, route: funder, status: 404, code: "funder_not_found" },
    { path: "/nowhere/at-all", route: "other", status: 404, code: "not_found" },
    { path: "/", route: "other", status: 200 },
    { path: "/v1/status", route: "/v1/status", status: 200 },
    { path: "/healthz", route: "/healthz", status: 200 },
    { path: "/readyz", route: "/readyz", status: 200 },
  ].map((kind) => ({ by: "none", code: "", ...kind }));
}

describe("a request", () => {
  it("has one line with exactly these fields", async () => {
    for (const { path, status, by, code } of everyKind()) {
      for (const method of ["GET", "HEAD"]) {
        const { line, bytes, lines } = await watch(path, { "X-Request-Id": "of-client" }, method);
        expect(lines.length, path).toBe(1);
        expect(line, path).toStrictEqual({
          level: ["/healthz", "/readyz"].includes(path) ? "debug" : "info",
          time: fixedNow.toISOString(),
          request_id: "of-client",
          method,
          path: path.split("?")[0],
          status,
          ...(code === "" ? {} : { code }),
          duration_ms: expect.any(Number),
          answered_by: by,
          bytes,
          message: "answered",
        });
      }
    }
  });

  it("is counted by route, status, error code and how it was answered, and timed", async () => {
    for (const { path, route, status, by, code } of everyKind()) {
      const { metrics } = await watch(path);
      const labels = `route="${route}",status="${status}",code="${code}",answered_by="${by}"`;
      expect(metrics, path).toContain(`grants_server_requests_total{${labels}} 1\n`);
      expect(metrics, path).toContain(
        `grants_server_request_duration_seconds_count{route="${route}",answered_by="${by}"} 1\n`,
      );
    }
  });

  it("for an export is logged when the export ends, complete or not, with the bytes sent", async () => {
    const lines: string[] = [];
    const app = createTestApp(served().release, (line) => lines.push(line));
    const answer = await app.fetch(new Request("http://127.0.0.1/v1/history.csv"));
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(lines).toStrictEqual([]);
    await reader?.cancel();
    await until(() => lines[0]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ status: 200, bytes: value?.length });
  });

  it("whose response has no body is logged with 0 bytes", async () => {
    const { line } = await watch("/v1/history?limit=5", { "If-None-Match": "*" });
    expect(line).toMatchObject({ status: 304, bytes: 0 });
    expect((await watch("/v1/history", {}, "OPTIONS")).line).toMatchObject({ status: 204, bytes: 0 });
  });

  it("is watched with any method", async () => {
    const { line, metrics } = await watch("/v1/history", {}, "DELETE");
    expect(line).toMatchObject({ method: "DELETE", status: 405, code: "method_not_allowed" });
    expect(metrics).toContain(
      'route="/v1/history",status="405",code="method_not_allowed",answered_by="none"} 1\n',
    );
    expect((await watch("/v1/history", {}, "OPTIONS")).line).toMatchObject({
      method: "OPTIONS",
      status: 204,
    });
  });
});

describe("a request id", () => {
  it("is kept if it is well-formed, otherwise replaced; the header and the line have it", async () => {
    const given = ["a", "0f8fad5b-d9cd-469f-a165-70867728950e", "Root=1-67891233-abcdef", "x".repeat(128)];
    for (const id of given) {
      const { answer, line } = await watch("/v1/status", { "X-Request-Id": id });
      expect([answer.headers.get("X-Request-Id"), line.request_id]).toStrictEqual([id, id]);
    }
    for (const id of ["", " ", "x".repeat(129), 'a"b', "a b", "a,b", "<script>", "é"]) {
      const { answer, line } = await watch("/v1/status", { "X-Request-Id": id });
      expect([answer.headers.get("X-Request-Id"), line.request_id], id).toStrictEqual(["id-1", "id-1"]);
    }
  });

  it("is different for each request that comes without one", async () => {
    const { ask } = served();
    const ids = [await ask("/v1/status"), await ask("/nowhere")].map(({ headers }) =>
      headers.get("X-Request-Id"),
    );
    expect(new Set(ids).size).toBe(2);
    expect((await ask("/")).headers.get("Access-Control-Expose-Headers")).toContain("X-Request-Id");
  });
});

describe("the log", () => {
  it("has no search text and no client address", async () => {
    const { lines } = await watch("/v1/history?purpose=secret", {
      "X-Forwarded-For": "203.0.113.7",
      "User-Agent": "secret",
      Authorization: "secret",
    });
    expect(lines[0]).not.toMatch(/secret|203\.0\.113\.7/);
  });

  it("has the client's address if LOG_CLIENTS is 1", async () => {
    const lines: string[] = [];
    const app = createTestApp(served().release, (line) => lines.push(line), { isClientLogged: true });
    const socket = { remoteAddress: "203.0.113.7" } as Socket;
    await app.fetch(new Request("http://127.0.0.1/v1/status"), { socket });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ client: "203.0.113.7" });
  });

  it("has the stack of a failure, which the client never sees", async () => {
    const lines: string[] = [];
    const app = createTestApp(served().release, (line) => lines.push(line), {
      clock: () => {
        throw new Error("the clock stopped");
      },
    });
    const answer = await app.fetch(new Request("http://127.0.0.1/v1/status"));
    const id = answer.headers.get("X-Request-Id");
    expect([answer.status, id]).toStrictEqual([500, "id-1"]);
    expect(await answer.text()).not.toContain("clock");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: "error",
        message: "failed",
        request_id: id,
        code: "internal",
        err: { message: "the clock stopped", stack: expect.stringContaining("watch.test.ts") },
      },
    ]);
  });

  it("has one line of JSON for a request, whatever its path", async () => {
    const { ask, log } = served();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 50 }), async (text) => {
        log.length = 0;
        const path = `/${encodeURIComponent(text.toWellFormed())}`;
        await ask(path);
        expect(log).toMatchObject([{ path: new URL(path, "http://127.0.0.1").pathname }]);
      }),
      { numRuns: 50 },
    );
  });
});
