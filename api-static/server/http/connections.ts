// Counts the running requests of each connection, and closes connections while the server drains: none is cut in a response.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipelinedMax } from "../../contract/limits.ts";

/** Milliseconds between two looks for idle connections while the server drains. A request that is on its way arrives before. */
const drainInterval = 500;

type Connection = {
  readonly running: Set<ServerResponse>;
  /** Called when the last running request has been answered. */
  onIdle?: () => void;
  /** True if a look found no running request; the next one closes the connection. */
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
    if (this.#isDraining) outgoing.shouldKeepAlive = false;
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

  /** Makes every response the last one of its connection, and closes connections without requests. */
  drain(): void {
    this.#isDraining = true;
    for (const { running } of this.#connections.values())
      for (const outgoing of running) outgoing.shouldKeepAlive = false;
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
