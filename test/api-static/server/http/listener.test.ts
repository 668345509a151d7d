// Tests the listener: errors for malformed requests, limits on connections, slow and silent clients.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type ErrorCode, statuses } from "../../../../api-static/contract/errors.ts";
import {
  headerBytesMax,
  headerSeconds,
  keepAliveSeconds,
  pipelinedMax,
  requestSeconds,
  silenceSeconds,
  urlLengthMax,
} from "../../../../api-static/contract/limits.ts";
import type { ServiceRequest } from "../../../../api-static/server/http/exchange.ts";
import {
  createListener,
  type ListenerContext,
  listenOn,
} from "../../../../api-static/server/http/listener.ts";
import { createTestApp } from "../release.fixture.ts";
import { askRaw, listen, sendBytes, until } from "../socket.fixture.ts";

let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

async function start(handle: ListenerContext["handle"], bounds: Partial<ListenerContext> = {}) {
  const started = await listen(handle, bounds);
  servers.push(started.server);
  return started;
}

/** The service without a release: enough to see which requests reach it. */
const app = createTestApp(undefined);

/** A service that responds when `end` is called. */
function heldService() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let requests = 0;
  const handle = async () => {
    requests += 1;
    await promise;
    return { status: 200, headers: ["Content-Length", "4"], body: Buffer.from("held") };
  };
  return { handle, end: resolve, requests: () => requests };
}

it("a stream whose client disconnects before it starts is canceled", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const handle = async ({ socket }: ServiceRequest) => {
    if (socket !== undefined) await once(socket, "close");
    const stream = new ReadableStream<Uint8Array>({ cancel: resolve });
    return { status: 200, headers: [], body: { stream, sent: Promise.resolve(0) } };
  };
  const { port } = await start(handle);
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n", () => socket.destroy());
  expect(await promise).toBeUndefined();
});

/** Checks that a raw response has the one error shape and closes the connection. */
function checkRefused(answer: string, code: ErrorCode): void {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head.split("\r\n")[0], answer.slice(0, 200)).toMatch(new RegExp(`^HTTP/1.1 ${statuses[code]} \\w`));
  expect(head).toMatch(/^connection: close$/im);
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
  expect(head).toMatch(/^cache-control: no-store$/im);
  expect(head).toMatch(/^access-control-allow-origin: \*$/im);
  expect(head).toMatch(/^date: \w{3}, \d\d /im);
  expect(head).toMatch(new RegExp(`^content-length: ${body.length}$`, "im"));
  expect(JSON.parse(body)).toMatchObject({ success: false, code });
}

describe("a request that never reaches a route", () => {
  const get = "GET /healthz HTTP/1.1\r\n";
  it.each([
    ["a Host that is not valid", `${get}Host: a b\r\n\r\n`, "bad_request"],
    ["a Host with a path", `${get}Host: x/y@z:99999\r\n\r\n`, "bad_request"],
    ["a Host that is not an address", `${get}Host: 999.1.1.1\r\n\r\n`, "bad_request"],
    ["a Host of too many numbers", `${get}Host: 1.2.3.4.5\r\n\r\n`, "bad_request"],
    [
      "a URL whose host is not valid",
      "GET http://0x100000000/healthz HTTP/1.1\r\nHost: a\r\n\r\n",
      "bad_request",
    ],
    ["no Host", `${get}\r\n`, "bad_request"],
    ["two Hosts", `${get}Host: a\r\nHost: b\r\n\r\n`, "bad_request"],
    ["a method in lower case", "get /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request"],
    ["a target that is not valid", "GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request"],
    ["a target without a slash", "GET ?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request"],
    ["noise", "\u0000\u0001 what?\r\n\r\n", "bad_request"],
    ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001", "bad_request"],
    ["an unknown version", "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n", "bad_request"],
    [
      "two lengths",
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
      "bad_request",
    ],
    [
      "headers beyond the bound",
      `${get}Host: a\r\nX: ${"y".repeat(headerBytesMax)}\r\n\r\n`,
      "headers_too_large",
    ],
    [
      "headers far beyond the bound",
      `${get}Host: a\r\nX: ${"y".repeat(500_000)}\r\n\r\n`,
      "headers_too_large",
    ],
    ["an unknown method", "FOO /v1/history HTTP/1.1\r\nHost: a\r\n\r\n", "method_not_allowed"],
    ["an unknown method without a path", "FOO\r\n\r\n", "bad_request"],
    ["a tunnel", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "method_not_allowed"],
  ] as const)("is answered in the one error shape: %s", async (_, bytes, code) => {
    const counted: ErrorCode[] = [];
    const { port } = await start(app.handle, { onRefusal: (error) => counted.push(error.code) });
    checkRefused(await sendBytes(port, bytes, 5_000), code); // the server closes the connection
    expect(counted).toStrictEqual([code]);
    expect((await askRaw(port, "/healthz")).status).toBe(200);
  });

  it("is answered after the requests that came before it", async () => {
    const { handle, end, requests } = heldService();
    const { port } = await start(handle);
    const received = sendBytes(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\nget\r\n\r\n", 1_000);
    await until(() => (requests() === 1 ? true : undefined));
    end();
    const [, first, second] = (await received).split("HTTP/1.1 ");
    expect(first).toMatch(/^200 OK\r\n[\s\S]*held$/);
    checkRefused(`HTTP/1.1 ${second}`, "bad_request");
  });

  it.each([
    ["/v1/history?limit=5", "GET, HEAD, OPTIONS"],
    ["/r/20261120T040000Z/v1/reconcil%65", "GET, HEAD, POST, OPTIONS"],
    ["/mcp", "POST, OPTIONS"],
  ])("lists the methods of %s if its own is unknown, also after other requests", async (path, allowed) => {
    const { port } = await start(app.handle);
    const request = `GETT ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    for (const before of ["", `${get}Host: a\r\n\r\n`]) {
      const answer = (await sendBytes(port, before + request)).split(/(?=HTTP\/1\.1 )/).at(-1) ?? "";
      checkRefused(answer, "method_not_allowed");
      expect(answer).toContain(`\r\nAllow: ${allowed}\r\n`);
    }
  });

  it("ends no server if its client resets a tunnel", async () => {
    const { server, port } = await start(app.handle);
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
    );
    const [, peer] = (await once(server, "connect")) as [unknown, Socket];
    const failed = new Promise((resolve) => peer.on("error", resolve));
    peer.destroy(new Error("read ECONNRESET")); // without a listener of its own, the error would end the process
    await failed;
    expect(peer.listenerCount("error")).toBe(2);
    socket.destroy();
    expect((await askRaw(port, "/healthz")).status).toBe(200);
  });

  it("is not one from an old client, with an unknown expectation, or with an upgrade", async () => {
    const { port } = await start(app.handle);
    for (const bytes of [
      "GET /healthz HTTP/1.0\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(headerBytesMax - 100)}\r\n\r\n`,
    ])
      expect(await sendBytes(port, bytes)).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it("hides a failure of the service itself and logs it", async () => {
    const logged: unknown[] = [];
    const failure = new Error("secret");
    const handle = () => Promise.reject(failure);
    const { port } = await start(handle, { onFailure: (error) => logged.push(error) });
    const { status, headers, body } = await askRaw(port, "/");
    expect([status, headers["cache-control"]]).toStrictEqual([500, "no-store"]);
    expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: "internal" });
    expect(body.toString()).not.toContain("secret");
    expect(logged).toStrictEqual([failure]);
  });
});

describe("a long URL", () => {
  it("is rejected beyond the limit, not at it, for any method", async () => {
    const { port } = await start(app.handle);
    const pathOf = (length: number) =>
      `/v1/history?purpose=${"a".repeat(length - "/v1/history?purpose=".length)}`;
    for (const method of ["GET", "HEAD", "POST"]) {
      const { status, headers } = await askRaw(port, pathOf(urlLengthMax + 1), {}, method);
      expect([status, headers["cache-control"]]).toStrictEqual([414, "public, max-age=60"]);
    }
    const { body } = await askRaw(port, pathOf(urlLengthMax + 1));
    expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: "uri_too_long" });
    expect((await askRaw(port, pathOf(urlLengthMax))).status).toBe(400); // the purpose is too long
  });
});

describe("many requests at once", () => {
  it("are rejected beyond the limit of pipelined requests of a connection, in their order", async () => {
    const { handle, end, requests } = heldService();
    const { port } = await start(handle);
    const received = sendBytes(port, held.repeat(pipelinedMax + 5), 1_000);
    await until(() => (requests() === pipelinedMax ? true : undefined));
    end();
    const answers = (await received).split("HTTP/1.1 ").slice(1);
    expect(answers.map((answer) => answer.slice(0, 3))).toStrictEqual([
      ...Array.from({ length: pipelinedMax }, () => "200"),
      "503", // and the connection is closed
    ]);
    checkRefused(`HTTP/1.1 ${answers.at(-1)}`, "overloaded");
    expect(requests()).toBe(pipelinedMax);
  });

  it("are rejected beyond the limit for all connections, and answered again when the others have ended", async () => {
    const { handle, end, requests } = heldService();
    const { port } = await start(handle, { connections: 6 });
    const sockets = [1, 2].map(() =>
      connect(port, "127.0.0.1", function (this: { write(text: string): void }) {
        this.write(held.repeat(3));
      }),
    );
    await until(() => (requests() === 6 ? true : undefined));
    const refused = await askRaw(port, "/");
    expect([refused.status, refused.headers["retry-after"]]).toStrictEqual([503, "1"]);
    for (const socket of sockets) socket.destroy();
    await until(async () => {
      const answer = askRaw(port, "/");
      await Promise.race([answer, until(() => (requests() > 6 ? true : undefined))]);
      end();
      return (await answer).status === 200 ? true : undefined;
    });
  });

  it("have their connection closed at once beyond the limit of connections", async () => {
    const { port } = await start(app.handle, { connections: 2 });
    const idle = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    await until(async () => ((await sendBytes(port, held)) === "" ? true : undefined));
    for (const socket of idle) socket.destroy();
    const answer = await until(async () => (await sendBytes(port, held)) || undefined);
    expect(answer).toMatch(/^HTTP\/1\.1 /);
  });
});

describe("a slow client", () => {
  it("gets an error and is disconnected when its headers do not arrive, on a new or a used connection", async () => {
    const { server, port } = await start(app.handle);
    server.headersTimeout = 100;
    for (const before of ["", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"]) {
      const received = await sendBytes(port, `${before}GET /healthz HT`, 10_000);
      checkRefused(received.slice(received.lastIndexOf("HTTP/1.1")), "request_timeout");
    }
  });

  it.each(["1.0", "1.1"])(
    "is cut off with a reset when it does not read, so that it sees that the body is incomplete: HTTP/%s",
    async (version) => {
      const { server, port } = await start(() => ({
        status: 200,
        headers: [],
        body: Buffer.alloc(20_000_000),
      }));
      server.timeout = 200;
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`),
      );
      socket.pause();
      await once(server, "request");
      await until(async () => ((await countConnections(server)) === 0 ? true : undefined));
      socket.resume();
      await expect(once(socket, "end")).rejects.toThrow("ECONNRESET");
    },
  );

  it("is disconnected without a reset when its connection is idle", async () => {
    const { server, port } = await start(app.handle);
    server.keepAliveTimeout = 100;
    const socket = connect(port, "127.0.0.1", () => socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"));
    let received = "";
    socket.setEncoding("latin1").on("data", (text) => {
      received += text;
    });
    await once(socket, "end");
    expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe("the listener", () => {
  it("limits the time for headers, for a request, between requests and in silence", () => {
    const ignore = () => undefined;
    const server = createListener({
      handle: app.handle,
      connections: 7,
      responseSeconds: 5,
      clock: () => new Date(),
      onFailure: ignore,
      onRefusal: ignore,
    });
    expect(server.headersTimeout).toBe(headerSeconds * 1_000);
    expect(server.requestTimeout).toBe(requestSeconds * 1_000);
    expect(server.keepAliveTimeout).toBe(keepAliveSeconds * 1_000);
    expect(server.timeout).toBe((silenceSeconds + 5) * 1_000);
    expect(server.maxConnections).toBe(7);
  });

  it("names HOST and PORT when it cannot listen there", async () => {
    const { port } = await start(app.handle);
    await expect(listenOn(createServer(), { host: "127.0.0.1", port }, () => undefined)).rejects.toThrow(
      `cannot listen on HOST "127.0.0.1" PORT "${port}": the port is in use`,
    );
    await expect(listenOn(createServer(), { host: "256.1.1.1", port: 0 }, () => undefined)).rejects.toThrow(
      'cannot listen on HOST "256.1.1.1" PORT "0": getaddrinfo',
    );
  });

  it("reports an error after its start and keeps listening", async () => {
    const errors: Error[] = [];
    const server = createServer((_, outgoing) => outgoing.end("here"));
    servers.push(server);
    const port = await listenOn(server, { host: "127.0.0.1", port: 0 }, (error) => errors.push(error));
    const late = new Error("accept EMFILE");
    server.emit("error", late);
    expect(errors).toStrictEqual([late]);
    expect((await askRaw(port, "/")).body.toString()).toBe("here");
  });
});

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_, count) => resolve(count));
  });
}

const held = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
