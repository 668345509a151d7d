// Owns the sockets: bounds on connections, headers and time, and the one error shape for what never reaches a route.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { type ApiError, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import * as limits from "../../contract/limits.ts";

export type ListenerContext = {
  /** The service, as a handler from Request to Response. */
  readonly fetch: Parameters<typeof getRequestListener>[0];
  /** Most connections, and most requests that are being answered; further connections are closed at once. */
  readonly connections: number;
  /** Seconds that an answer may take before its first byte: silence is counted from there. */
  readonly answerSeconds: number;
  readonly clock: () => Date;
  /** Told of what made the service itself fail. */
  readonly onFailure: (error: unknown) => void;
  /** Told of every request that is refused here: the service does not see it. */
  readonly onRefusal: (error: ApiError) => void;
};

const unreadable: ApiError = {
  code: "bad_request",
  message: "this is not a valid HTTP request",
};
const pressed: ApiError = {
  code: "overloaded",
  message: "too many requests are in progress; try again in a second",
  retryAfter: 1,
};

/** What Node.js finds wrong with a request that it cannot parse, by its error codes; anything else is `bad_request`. */
const parserErrors: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: {
    code: "headers_too_large",
    message: `request line and headers together must be at most ${limits.headerBytesMax} bytes`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "request_timeout",
    message: `the headers must arrive within ${limits.headerSeconds} seconds, the whole request within ${limits.requestSeconds}`,
  },
};

/** Milliseconds that a client gets to read why it was refused before its connection is cut. */
const farewell = 1_000;

/** A server that does not listen yet. */
export function createListener(context: ListenerContext): Server {
  const answer = getRequestListener(context.fetch, {
    hostname: "localhost", // of a request in HTTP/1.0 that names none
    errorHandler: (error) => refuseRequest(error, context),
  });
  const load = new Load();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    load.enter(incoming.socket, outgoing);
    if (load.total > context.connections || load.of(incoming.socket) > limits.pipelinedMax)
      return sendRefusal(outgoing, pressed, context);
    if (!hasOneHost(incoming) || !hasTarget(incoming)) return sendRefusal(outgoing, unreadable, context);
    return void answer(incoming, outgoing);
  };
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headerSeconds * 1000,
    requestTimeout: limits.requestSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false, // its refusal has no body; hasOneHost does it
  });
  server.maxConnections = context.connections;
  server.timeout = (limits.silenceSeconds + context.answerSeconds) * 1000;
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest); // an expectation that is not known is no reason to refuse (RFC 9110, 10.1.1)
  server.on("connect", ({ method }: IncomingMessage, socket: Duplex) => {
    const message = `${method} is not allowed; use GET or HEAD`;
    endSocket(socket, { code: "method_not_allowed", message }, context);
  });
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Duplex) => {
    load.whenIdle(socket, () => endSocket(socket, parserErrors[code] ?? unreadable, context));
  });
  return server;
}

/** The requests that are being answered, of each socket and of all. */
class Load {
  total = 0;
  readonly #running = new Map<Duplex, { requests: number; onIdle: (() => void) | undefined }>();

  of(socket: Duplex): number {
    return this.#running.get(socket)?.requests ?? 0;
  }

  enter(socket: Socket, outgoing: ServerResponse): void {
    let entry = this.#running.get(socket);
    if (entry === undefined) {
      entry = { requests: 0, onIdle: undefined };
      this.#running.set(socket, entry);
      // Answers that wait behind another one are not told when the connection ends.
      socket.once("close", () => {
        this.total -= entry?.requests ?? 0;
        this.#running.delete(socket);
      });
    }
    entry.requests += 1;
    this.total += 1;
    outgoing.once("close", () => this.#leave(socket));
  }

  #leave(socket: Duplex): void {
    const entry = this.#running.get(socket);
    if (entry === undefined) return;
    entry.requests -= 1;
    this.total -= 1;
    if (entry.requests === 0) entry.onIdle?.();
  }

  /** Calls back once every earlier request of the socket is answered: answers come in the order of requests. */
  whenIdle(socket: Duplex, work: () => void): void {
    const entry = this.#running.get(socket);
    if (entry === undefined || entry.requests === 0) work();
    else entry.onIdle = work;
  }
}

/** True for one Host header that can stand in a URL, and for none in HTTP/1.0 (RFC 9112, section 3.2). */
function hasOneHost({ headersDistinct, httpVersion }: IncomingMessage): boolean {
  const [host, another] = headersDistinct.host ?? [];
  if (host === undefined) return httpVersion === "1.0";
  return another === undefined && URL.canParse(`http://${host}`); // not an address such as 999.1.1.1
}

/** True for a path, and for a whole URL that is one (RFC 9112, section 3.2.2). */
function hasTarget({ url = "" }: IncomingMessage): boolean {
  return url.startsWith("/") || URL.canParse(url);
}

/** Answers a request whose Host or target cannot be read, or whose handler failed. */
function refuseRequest(error: unknown, { onFailure, onRefusal }: ListenerContext): Response {
  if (!(error instanceof RequestError)) onFailure(error);
  const refusal: ApiError =
    error instanceof RequestError
      ? unreadable
      : { code: "internal", message: "the service failed; the failure was logged" };
  onRefusal(refusal);
  return new Response(formatError(refusal), {
    status: statuses[refusal.code],
    headers: headersOf(refusal),
  });
}

function sendRefusal(outgoing: ServerResponse, error: ApiError, { onRefusal }: ListenerContext): void {
  onRefusal(error);
  outgoing.writeHead(statuses[error.code], headersOf(error));
  outgoing.end(formatError(error));
}

/** Writes an error where there is no request to answer, and ends the connection. */
function endSocket(socket: Duplex, error: ApiError, { onRefusal, clock }: ListenerContext): void {
  if (!socket.writable) return; // it ended already, and what still comes is not read
  onRefusal(error);
  const status = statuses[error.code];
  const lines = Object.entries({ ...headersOf(error), Date: clock().toUTCString() }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${formatError(error)}`);
  setTimeout(() => socket.destroy(), farewell).unref();
}

function headersOf(error: ApiError): Record<string, string> {
  return {
    ...headers.commonHeaders,
    ...(error.code === "method_not_allowed" ? { Allow: headers.allowedMethods } : {}),
    ...(error.retryAfter === undefined ? {} : { "Retry-After": String(error.retryAfter) }),
    "Cache-Control": headers.cacheOfError(error.code),
    "Content-Type": headers.jsonType,
    "Content-Length": String(Buffer.byteLength(formatError(error))),
    Connection: "close",
  };
}
