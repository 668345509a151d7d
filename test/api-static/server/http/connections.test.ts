// Tests that a draining server answers every request that arrived, closes each connection after its response, and cuts none.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { ListenerContext } from "../../../../api-static/server/http/listener.ts";
import { listen, until } from "../socket.fixture.ts";

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
let sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});

/** A client with one connection, and the text that it received. */
function connectTo(port: number) {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const client = { socket, received: "", isClosed: false };
  socket.on("data", (text) => {
    client.received += text;
  });
  socket
    .on("error", () => undefined)
    .on("close", () => {
      client.isClosed = true;
    });
  sockets.push(socket);
  return client;
}

/** A draining server that has a client with a connection that was used before. */
async function startDraining(handle: ListenerContext["handle"], isSent: (received: string) => boolean) {
  const { server, port } = await listen(handle);
  const client = connectTo(port);
  client.socket.write(get);
  await until(() => (isSent(client.received) ? true : undefined));
  const state = { hasEnded: false };
  server.drain(() => {
    state.hasEnded = true;
  });
  return { client, port, state };
}

const answer = { status: 200, headers: ["Content-Length", "4"], body: Buffer.from("body") };

it("a request on a kept-alive connection is answered with Connection: close", async () => {
  const { client, port, state } = await startDraining(
    () => answer,
    (text) => text.endsWith("body"),
  );
  expect(client.received).not.toMatch(/connection: close/i);
  client.received = "";
  client.socket.write(get);
  await once(client.socket, "close");
  expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*body$/i);
  await until(() => (state.hasEnded ? true : undefined));
  await expect(once(connectTo(port).socket, "connect")).rejects.toThrow("ECONNREFUSED");
});

it("a running request is answered with Connection: close", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof answer>();
  let requests = 0;
  const { server, port } = await listen(() => (++requests > 0 ? promise : answer));
  const client = connectTo(port);
  client.socket.write(get);
  await until(() => (requests === 1 ? true : undefined));
  server.drain(() => undefined);
  await sleep(1_200); // longer than idle connections stay open
  resolve(answer);
  await once(client.socket, "close");
  expect(client.received).toMatch(/connection: close\r\n[\s\S]*body$/i);
});

it("pipelined requests are all answered, and only the last response closes the connection", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof answer>();
  let requests = 0;
  const { server, port } = await listen(() => (++requests > 0 ? promise : answer));
  const client = connectTo(port);
  client.socket.write(get + get);
  await until(() => (requests === 2 ? true : undefined));
  server.drain(() => undefined);
  client.socket.write(get + get);
  await until(() => (requests === 4 ? true : undefined));
  resolve(answer);
  await once(client.socket, "close");
  const responses = client.received.split("body").slice(0, -1);
  expect(responses.map((head) => /connection: close/i.test(head))).toStrictEqual([false, false, false, true]);
});

it("a response that its client still reads is sent whole", async () => {
  const body = Buffer.alloc(32 * 1024 * 1024, "x");
  const big = { status: 200, headers: ["Content-Length", String(body.length)], body };
  const { server, port } = await listen(() => big);
  const { socket } = connectTo(port);
  let bytes = 0;
  socket.removeAllListeners("data").on("data", (text) => {
    bytes += text.length;
  });
  socket.write(get);
  await once(socket, "data");
  socket.pause();
  server.drain(() => undefined);
  await sleep(1_200);
  socket.resume();
  await once(socket, "close");
  expect(bytes).toBeGreaterThan(body.length);
});

it("idle connections are closed, even after part of a request", async () => {
  const { client, port, state } = await startDraining(
    () => answer,
    (text) => text.endsWith("body"),
  );
  client.socket.write("GET / HT");
  await until(() => (client.isClosed && state.hasEnded ? true : undefined));
  expect(port).toBeGreaterThan(0);
});
