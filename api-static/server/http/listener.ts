// Listens for connections: limits their number, headers and time, and answers malformed requests in the one error shape.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ApiError, formatError, statuses } from "../../contract/errors.ts";
import * as headers from "../../contract/headers.ts";
import * as limits from "../../contract/limits.ts";
import { normalizePath } from "../../contract/query.ts";
import * as refusals from "../../contract/refusals.ts";
import { parseTarget } from "../../contract/request.ts";
import { systemCode } from "../../release/systemErrors.ts";
import { Connections } from "./connections.ts";
import type { ServiceRequest } from "./exchange.ts";
import { isStream, type Reply } from "./reply.ts";

export type ListenerContext = {
  /** The service. */
  readonly handle: (request: ServiceRequest) => Reply | Promise<Reply>;
  /** Open connections and running requests, at most. Further connections are closed at once. */
  readonly connections: number;
  /** Seconds that a response may take before its first byte. */
  readonly responseSeconds: number;
  readonly clock: () => Date;
  /** Called when the service itself fails. */
  readonly onFailure: (error: unknown) => void;
  /** Called for every request that is refused here, because the service does not see it. */
  readonly onRefusal: (error: ApiError) => void;
};

const overloaded: ApiError = {
  code: "overloaded",
  message: "too many requests are in progress; try again in a second",
  retryAfter: 1,
};

/** Errors by codes of Node.js' HTTP parser; any other code is `bad_request`. */
const parserErrors: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: refusals.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: refusals.requestTooSlow,
};

/** A failure of Node.js' HTTP parser: what it was reading, and how far it came. */
type ParserFailure = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Milliseconds that a client has to read an error before its connection is closed. */
const lingerTime = 1_000;

export type Listener = Server & {
  /**
   * Stops accepting connections. Running requests are answered with `Connection: close`.
   * @param onEnd called when all connections are closed
   */
  readonly drain: (onEnd: () => void) => void;
};

/** A server that is not listening yet. */
export function createListener(context: ListenerContext): Listener {
  const connections = new Connections();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const running = connections.enter(incoming.socket, outgoing);
    if (connections.running > context.connections || running > limits.pipelinedMax)
      return sendRefusal(outgoing, overloaded, context);
    if (!hasOneHost(incoming) || !hasTarget(incoming))
      return sendRefusal(outgoing, refusals.malformedRequest, context);
    void respond(incoming, outgoing, context);
  };
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headerSeconds * 1000,
    requestTimeout: limits.requestSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    connectionsCheckingInterval: 1_000,
    optimizeEmptyRequests: true,
    requireHostHeader: false, // hasOneHost checks it, because the response of Node.js has no body
  });
  server.maxConnections = context.connections;
  server.timeout = (limits.silenceSeconds + context.responseSeconds) * 1000;
  server.on("timeout", (socket: Socket) => {
    if (connections.runningOf(socket) === 0) socket.destroy();
    else socket.resetAndDestroy(); // a client of HTTP/1.0 takes a regular end for the end of the body
  });
  server.on("connection", (socket: Socket) => connections.add(socket));
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest); // unknown expectations may be ignored (RFC 9110, 10.1.1)
  server.on("connect", ({ method }: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined); // Node.js leaves the errors of a tunnel to us
    endSocket(socket, refusals.methodNotAllowed(String(method)), context);
  });
  server.on("clientError", (failure: ParserFailure, socket: Duplex) => {
    const refused = findUnknownMethod(failure);
    const error = refused?.error ?? parserErrors[failure.code ?? ""] ?? refusals.malformedRequest;
    connections.whenIdle(socket, () => endSocket(socket, error, context, refused?.methods));
  });
  const drain = (onEnd: () => void) => {
    connections.drain();
    NetServer.prototype.close.call(server, onEnd); // that of HTTP cuts responses that slow clients still read
  };
  return Object.assign(server, { drain });
}

/**
 * Starts listening.
 * @param onLateError called for errors after the start, such as a connection that cannot be accepted
 * @param prefix of the names of the settings in an error
 * @returns the port
 * @throws Error that names HOST and PORT if the server cannot listen there
 */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  onLateError: (error: Error) => void,
  prefix = "",
): Promise<number> {
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  let onError = reject;
  server.on("error", (error) => onError(error));
  server.listen(port, host, () => {
    onError = onLateError;
    resolve();
  });
  try {
    await started;
  } catch (error) {
    const reason = systemCode(error) === "EADDRINUSE" ? "the port is in use" : (error as Error).message;
    const rule = `cannot listen on ${prefix}HOST "${host}" ${prefix}PORT "${port}"`;
    throw new Error(`${rule}: ${reason}`, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}

/** The refusal of a method that Node.js does not know; undefined for other failures. */
function findUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserFailure) {
  const text = code === "HPE_INVALID_METHOD" ? String(rawPacket?.toString("latin1")) : "";
  const line = text.slice(text.lastIndexOf("\n", bytesParsed - 1) + 1); // requests before it may be in the same packet
  const [, method, target = ""] = /^([A-Z_-]{1,32}) (\S+) HTTP\/1\.[01]\r?\n/.exec(line) ?? [];
  const url = URL.parse(target, "http://localhost");
  if (method === undefined || url === null) return undefined;
  const { methods } = parseTarget(normalizePath(url.pathname), "");
  return { error: refusals.methodNotAllowed(method, methods), methods };
}

/** True if there is one Host header that is valid in a URL, or none in HTTP/1.0 (RFC 9112, section 3.2). */
function hasOneHost({ rawHeaders, headers: { host }, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === "1.0";
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 && isHost(host);
}

/** True if a URL has this host as it was sent; 999.1.1.1 is not valid, and 0x7f.1 means another one. */
function isHost(host: string): boolean {
  const hostname = host.replace(/:\d+$/, "").toLowerCase();
  return URL.parse(`http://${host}`)?.hostname === hostname;
}

/** True if the target is a path or a URL (RFC 9112, section 3.2.2). A URL parser takes a backslash for a slash. */
function hasTarget({ url = "" }: IncomingMessage): boolean {
  const backslash = url.indexOf("\\");
  if (backslash >= 0 && !url.slice(0, backslash).includes("?")) return false;
  return url.startsWith("/") || (/^https?:\/\//.test(url) && URL.canParse(url));
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: ListenerContext,
): Promise<void> {
  try {
    const { status, headers, body } = await context.handle(incoming);
    outgoing.writeHead(status, headers);
    if (isStream(body)) void sendStream(outgoing, body.stream);
    else outgoing.end(body);
  } catch (error) {
    context.onFailure(error);
    if (outgoing.headersSent) outgoing.destroy();
    else sendRefusal(outgoing, refusals.serviceFailed, context);
  }
}

/** Sends the chunks of a stream, each when the client has taken the one before it. Never throws: the stream resets a connection. */
async function sendStream(outgoing: ServerResponse, stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed) return cancel(); // its client disconnected before; `close` does not come again
  outgoing.once("close", cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!outgoing.write(value)) await new Promise((resolve) => outgoing.once("drain", resolve));
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
}

function sendRefusal(outgoing: ServerResponse, error: ApiError, { onRefusal }: ListenerContext): void {
  onRefusal(error);
  outgoing.writeHead(statuses[error.code], headersOf(error));
  outgoing.end(formatError(error));
}

/** Writes an error to a connection that has no request, and ends the connection. */
function endSocket(
  socket: Duplex,
  error: ApiError,
  { onRefusal, clock }: ListenerContext,
  methods?: string,
): void {
  if (!socket.writable) return; // it has ended, and further input is ignored
  onRefusal(error);
  const status = statuses[error.code];
  const lines = Object.entries({ ...headersOf(error, methods), Date: clock().toUTCString() }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${formatError(error)}`);
  setTimeout(() => socket.destroy(), lingerTime).unref();
}

function headersOf(error: ApiError, methods = headers.readMethods): Record<string, string> {
  return {
    ...headers.commonHeaders,
    ...(error.code === "method_not_allowed" ? { Allow: methods } : {}),
    ...headers.errorHeaders(error),
    "Content-Type": headers.jsonType,
    "Content-Length": String(Buffer.byteLength(formatError(error))),
    Connection: "close",
  };
}
