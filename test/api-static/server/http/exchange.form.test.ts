// Tests forms over real sockets: too long, too slow, cut off, on the wrong path, and the methods that each path allows.
import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClientGone } from "../../../../api-static/search/queue.ts";
import { readForm } from "../../../../api-static/server/http/exchange.ts";
import type { Listener } from "../../../../api-static/server/http/listener.ts";
import { fakeRelease, found } from "../answers/fakeRelease.fixture.ts";
import { createTestApp } from "../release.fixture.ts";
import { askRaw, listen, sendBytes, until } from "../socket.fixture.ts";

const path = "/v1/reconcile";
const form = "application/x-www-form-urlencoded";
const log: Record<string, unknown>[] = [];
const app = createTestApp(fakeRelease({ a: [found(1)] }).release, (line) => log.push(JSON.parse(line)));
let server: Listener;
let port = 0;

beforeAll(async () => {
  ({ server, port } = await listen((request) => app.handle(request)));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const queries = `queries=${encodeURIComponent('{"q0":{"query":"a"}}')}`;
const head = (...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, "Host: a", `Content-Type: ${form}`, ...lines, "", ""].join("\r\n");
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const healthy = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

describe("a form", () => {
  it("is read whole, in chunks or not", async () => {
    const whole = await sendBytes(port, `${head(`Content-Length: ${queries.length}`)}${queries}`);
    expect(whole).toContain('"id":"000000001"');
    const [start, end] = [queries.slice(0, 12), queries.slice(12)];
    const chunked = await sendBytes(
      port,
      `${head("Transfer-Encoding: chunked")}${chunk(start)}${chunk(end)}0\r\n\r\n`,
    );
    expect(chunked.split("\r\n\r\n")[1]).toBe(whole.split("\r\n\r\n")[1]);
  });

  it("that is too long is refused before it is read, and the connection goes on", async () => {
    const long = "a".repeat(65_537);
    for (const sent of [
      `${head(`Content-Length: ${long.length}`)}${long}`,
      `${head("Transfer-Encoding: chunked")}${chunk(long)}0\r\n\r\n`,
    ]) {
      const received = await sendBytes(port, sent + healthy);
      expect(received).toMatch(/^HTTP\/1\.1 413 /);
      expect(received).toContain(
        '{"success":false,"error":"the body must be at most 65536 bytes","code":"content_too_large"}',
      );
      expect(received).toMatch(/HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok\n$/);
    }
  });

  it("that does not arrive in time is refused", async () => {
    const slow = Object.assign(new Readable({ read: () => undefined }), {
      headers: { "content-type": form },
    });
    await expect(readForm(slow as never, 0.01)).rejects.toMatchObject({
      error: {
        code: "request_timeout",
        message: "the body must arrive within 10 seconds after the headers",
      },
    });
    expect(["data", "end", "close"].map((event) => slow.listenerCount(event))).toStrictEqual([0, 0, 0]);
    expect(slow.readableFlowing).toBe(true); // the rest is discarded
  });

  it("whose client goes away is counted as such", async () => {
    log.length = 0;
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(`${head("Content-Length: 100")}queries=`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await until(() => log.at(-1))).toMatchObject({ method: "POST", path, status: 499 });
  });

  it("is refused if its bytes are not UTF-8", async () => {
    const request = (body: Readable) => Object.assign(body, { headers: { "content-type": form } }) as never;
    const read = readForm(request(Readable.from([Buffer.from([0x71, 0x3d, 0xff])])));
    await expect(read).rejects.toThrow("queries must be UTF-8 text");
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from("queries=");
        throw new Error("reset");
      })(),
    );
    await expect(readForm(request(failing))).rejects.toThrow(ClientGone);
  });

  it("may be absent", async () => {
    const received = await sendBytes(port, head());
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain("queries must be given");
  });

  it("is no part of requests for other paths", async () => {
    for (const other of [
      "/v1/history",
      "/v1/organizations?name=a",
      "/v1/reconcile/preview?id=131635294",
      "/v1/reconcile/",
    ]) {
      const { status, headers, body } = await askRaw(port, other, { "Content-Type": form }, "POST");
      expect([status, headers.allow, JSON.parse(body.toString()).error], other).toStrictEqual([
        ...[405, "GET, HEAD, OPTIONS"],
        "POST is not allowed; use GET or HEAD",
      ]);
    }
  });
});

describe("the methods", () => {
  it("of names to reconcile are GET, HEAD, POST and OPTIONS, also in a pinned release", async () => {
    for (const url of [path, `${path}?queries={}`, `/r/20261120T040000Z${path}`]) {
      const preflight = await askRaw(port, url, { "Access-Control-Request-Method": "POST" }, "OPTIONS");
      expect([preflight.status, preflight.headers.allow]).toStrictEqual([204, "GET, HEAD, POST, OPTIONS"]);
      expect(preflight.headers["access-control-allow-methods"]).toBe("GET, HEAD, POST, OPTIONS");
      const refused = await askRaw(port, url, {}, "DELETE");
      expect([
        refused.status,
        refused.headers.allow,
        JSON.parse(refused.body.toString()).error,
      ]).toStrictEqual([
        ...[405, "GET, HEAD, POST, OPTIONS"],
        "DELETE is not allowed; use GET, HEAD or POST",
      ]);
      const got = await askRaw(port, url);
      const head = await askRaw(port, url, {}, "HEAD");
      expect([head.status, head.body.length, head.headers["content-length"]]).toStrictEqual([
        ...[200, 0],
        String(got.body.length),
      ]);
    }
  });
});
