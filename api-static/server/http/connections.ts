// Counts the running requests of each connection, and closes connections while the server drains: none is cut in a response.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipelinedMax } from "../../contract/limits.ts";

/** Milliseconds between two checks for idle connections while the server drains: a request that is on its way arrives in time. */
const drainInterval = 500;

type Connection = {
  readonly running: Set<ServerResponse>;
  /** Called when the last running request has been answered. */
  onIdle?: () => void;
  /** True if a check found no running request; the next check closes the connection. */
  wasIdle: boolean;
};

export class Connections {
  /** Running requests of all connections. */
  running = 0;
  readonly #connections = new Map<Duplex, Connection>();
  #isDraining = false;

  /** Adds a connection until it closes. */
  add(socket: Socket): void {
    const connection: Connection = { running: new Set(), wasIdle: false };
    this.#connections.set(socket, connection);
    socket.setMaxListeners(2 * pipelinedMax); // each request may wait for its end
    // A response that waits behind another one has no `close` event when the connection ends.
    socket.once("close", () => {
      this.running -= connection.running.size;
      this.#connections.delete(socket);
    });
  }

  runningOf(socket: Duplex): number {
    return this.#connections.get(socket)?.running.size ?? 0;
  }

  /** Counts a request until its response ends; returns the running requests of its connection. */
  enter(socket: Socket, outgoing: ServerResponse): number {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return 0; // it has closed
    connection.running.add(outgoing);
    connection.wasIdle = false;
    this.running += 1;
    if (this.#isDraining) closeAfterLast(connection);
    outgoing.on("close", () => {
      if (!this.#connections.has(socket) || !connection.running.delete(outgoing)) return;
      this.running -= 1;
      if (connection.running.size === 0) connection.onIdle?.();
    });
    return connection.running.size;
  }

  /** Calls back once every earlier request of the connection is answered, because responses come in the order of requests. */
  whenIdle(socket: Duplex, work: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.running.size === 0) work();
    else connection.onIdle = work;
  }

  /** Closes each connection after the responses to its running requests, and connections without requests. */
  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#connections.values()) closeAfterLast(connection);
    setInterval(() => this.#closeIdle(), drainInterval).unref();
  }

  #closeIdle(): void {
    for (const [socket, connection] of this.#connections) {
      if (connection.running.size > 0) continue;
      if (connection.wasIdle) (socket as Socket).destroySoon();
      connection.wasIdle = true;
    }
  }
}

/** Only the last response has `Connection: close`: Node.js closes a connection after it, and drops pipelined responses behind it. */
function closeAfterLast({ running }: Connection): void {
  const last = [...running].at(-1);
  for (const outgoing of running) outgoing.shouldKeepAlive = outgoing !== last;
}
