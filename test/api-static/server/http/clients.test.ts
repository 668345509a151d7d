// Tests clients: which address counts, how many searches a client may run, and that others are not affected.
import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../api-static/contract/errors.ts";
import { Clients } from "../../../../api-static/server/http/clients.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";
import { askRaw, listen } from "../socket.fixture.ts";

/** A request as it arrives over a socket. */
const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as IncomingMessage;

function clientsAt(searchesPerMinute: number, trustedProxies: string[] = []) {
  let now = 0;
  const clients = new Clients({ searchesPerMinute, trustedProxies }, () => now);
  /** The seconds to wait; 0 when admitted. */
  const ask = (address: string, forwarded?: string) => {
    try {
      clients.admitSearch(from(address, forwarded));
      return 0;
    } catch (error) {
      if (error instanceof Refusal && error.error.code === "rate_limited") return error.error.retryAfter;
      throw error;
    }
  };
  return {
    clients,
    ask,
    turn: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("the address of a client", () => {
  it.each([
    ["the socket's if no proxy is trusted", [], "9.9.9.9", "1.1.1.1", "9.9.9.9"],
    ["the socket's if another proxy is trusted", ["10.0.0.7"], "9.9.9.9", "1.1.1.1", "9.9.9.9"],
    ["the one that the trusted proxy sends", ["10.0.0.7"], "10.0.0.7", "1.1.1.1", "1.1.1.1"],
    [
      "the last one that is not a trusted proxy's, whatever the client sent",
      ["10.0.0.0/8"],
      "10.0.0.7",
      "6.6.6.6, 1.1.1.1, 10.0.0.8",
      "1.1.1.1",
    ],
    ["the proxy's if it sends none", ["loopback"], "127.0.0.1", undefined, "127.0.0.1"],
    ["the proxy's if it sends no valid address", ["loopback"], "::1", "unknown", "::1"],
    ["an IPv6 address", ["::1"], "::1", "2001:db8::7", "2001:db8::7"],
    [
      "the client's of a Cloudflare Worker, whose own address the tunnel appends",
      ["loopback", "2a06:98c0:3600::103"],
      "127.0.0.1",
      "1.1.1.1, 2a06:98c0:3600::103",
      "1.1.1.1",
    ],
  ])("is %s", (_, trusted, socket, forwarded, address) => {
    expect(clientsAt(0, trusted).clients.addressOf(from(socket, forwarded))).toBe(address);
  });

  it("is undefined without a socket", () => {
    expect(clientsAt(0).clients.addressOf({ method: "GET", url: "/", headers: {} })).toBeUndefined();
  });
});

describe("a client's search limit", () => {
  it("admits a minute's searches at once, then at an even rate, and reports the time to wait", () => {
    const { ask, turn } = clientsAt(4);
    expect([1, 2, 3, 4, 5, 6].map(() => ask("1.1.1.1"))).toStrictEqual([0, 0, 0, 0, 15, 15]);
    turn(14_999);
    expect(ask("1.1.1.1")).toBe(1);
    turn(1);
    expect([ask("1.1.1.1"), ask("1.1.1.1")]).toStrictEqual([0, 15]);
    expect(ask("2.2.2.2")).toBe(0);
  });

  it("never admits more than a minute's searches plus those of the time that passed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 300 }),
        (rate, waits) => {
          const { ask, turn } = clientsAt(rate);
          let [admitted, passed] = [0, 0];
          for (const wait of waits) {
            turn(wait);
            passed += wait;
            const seconds = ask("1.1.1.1") ?? Number.NaN;
            if (seconds === 0) admitted += 1;
            else expect(seconds).toBeGreaterThan(0);
            expect(seconds).toBeLessThanOrEqual(Math.ceil(60 / rate));
            expect(admitted).toBeLessThanOrEqual(rate + (rate * passed) / 60_000 + 1e-6);
          }
        },
      ),
    );
  });

  it("counts an IPv6 network as one client, and an IPv4 address as the same in either form", () => {
    const { ask } = clientsAt(1);
    expect([ask("2001:db8:1:2::1"), ask("2001:db8:1:2:ffff::9"), ask("2001:db8:1:3::1")]).toStrictEqual([
      0, 60, 0,
    ]);
    expect([ask("1.1.1.1"), ask("::ffff:1.1.1.1")]).toStrictEqual([0, 60]);
  });

  it("is off at 0", () => {
    const { ask } = clientsAt(0);
    for (let times = 0; times < 1_000; times++) expect(ask("1.1.1.1")).toBe(0);
  });

  it("can leave out clients on the same machine", () => {
    const settings = { searchesPerMinute: 1, isLoopbackExempt: true, trustedProxies: [] };
    const clients = new Clients(settings, () => 0);
    for (const address of ["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"])
      for (let times = 0; times < 3; times++) clients.admitSearch(from(address));
    clients.admitSearch(from("10.0.0.1"));
    expect(() => clients.admitSearch(from("10.0.0.1"))).toThrow("at most 1 searches per minute");
  });
});

describe("the host and the scheme that a request claims", () => {
  const served = useRelease({ sampleRows: 0 });
  const claims = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };

  it.each([
    ["are ignored, unless", [], (port: number) => `http://127.0.0.1:${port}`],
    ["count if", ["loopback"], () => "https://evil.example"],
  ])("%s a trusted proxy sends them", async (_, trustedProxies, origin) => {
    const clients = new Clients({ searchesPerMinute: 0, trustedProxies }, () => 0);
    const app = createTestApp(served().release, undefined, { clients });
    const { server, port } = await listen(app.handle);
    try {
      const { body } = await askRaw(port, "/v1/reconcile", claims);
      expect(JSON.parse(body.toString()).view.url).toBe(`${origin(port)}/recipient?ein={{id}}`);
      const call = {
        method: "tools/call",
        params: { name: "search_grants", arguments: {} },
      };
      const headers = { ...claims, "Content-Type": "application/json", Accept: "application/json" };
      const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: "POST",
        headers,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
      });
      const { url } = ((await answer.json()) as { result: { structuredContent: { url: string } } }).result
        .structuredContent;
      expect(new URL(url).origin).toBe(origin(port));
    } finally {
      server.close();
    }
  });
});

describe("a client that searches too often", () => {
  const served = useRelease({ sampleRows: 0 });

  it("gets 429 for searches only; pages, slices and other clients are not affected", async () => {
    const clients = new Clients({ searchesPerMinute: 2, trustedProxies: ["loopback"] }, () => 0);
    const app = createTestApp(served().release, undefined, { clients });
    const { server, port } = await listen(app.handle);
    try {
      const ask = (path: string, client: string) => askRaw(port, path, { "X-Forwarded-For": client });
      const search = "/v1/history?limit=2";
      const statuses = [];
      for (let times = 0; times < 3; times++) statuses.push((await ask(search, "1.1.1.1")).status);
      expect(statuses).toStrictEqual([200, 200, 429]);
      const refused = await ask(search, "1.1.1.1");
      expect(refused.headers["retry-after"]).toBe("30");
      expect(refused.headers["cache-control"]).toBe("no-store");
      expect(JSON.parse(refused.body.toString())).toMatchObject({ success: false, code: "rate_limited" });
      for (const path of [
        "/v1/funders/131635294/history",
        "/v1/funders/131635294/history?limit=7",
        "/v1/status",
        "/",
      ])
        expect((await ask(path, "1.1.1.1")).status, path).toBe(200);
      expect((await ask(search, "2.2.2.2")).status).toBe(200);
    } finally {
      server.close();
    }
  });
});
