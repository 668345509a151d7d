// Reads a request once: its id, its URL, its form, whether its client accepts gzip, and whether its client has disconnected.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { Refusal } from "../../contract/errors.ts";
import { acceptsGzip, formType } from "../../contract/headers.ts";
import { formBytesMax, formSeconds } from "../../contract/limits.ts";
import { missing } from "../../contract/operations/operation.ts";
import { normalizePath } from "../../contract/query.ts";
import { formTooLarge, formTooSlow, invalidParameters, notOfType } from "../../contract/refusals.ts";
import { type ParsedTarget, parseRequest, parseTarget } from "../../contract/request.ts";
import { ClientGone } from "../../search/queue.ts";

/** A request as Node.js has it. A request without a socket needs only its method, URL and headers. `complete` is true once all of it is read. */
export type ServiceRequest = Pick<IncomingMessage, "method" | "url" | "headers"> &
  Partial<Pick<IncomingMessage, "socket" | "complete">>;

/** A parsed URL, with the whole path as it was sent, percent-encoded. */
export type Target = ParsedTarget & { readonly pathname: string };

/** A request id that is accepted from a client or a proxy: it goes into the log and back as a header. */
const requestIdForm = /^[\w.:=+/-]{1,128}$/;

/** A request while it is answered. */
export class Exchange {
  readonly request: ServiceRequest;
  readonly start = performance.now(); // milliseconds
  /** The id of the request, as the log and X-Request-Id name it. */
  readonly id: string;
  readonly acceptsGzip: boolean;
  /** Headers of the answer that are known before it is prepared: the release that answers. */
  headers: readonly string[] = [];
  #target: Target | undefined;
  #signal: AbortSignal | undefined;
  #end: (() => void) | undefined;

  /** @param newRequestId makes an id for a request that came without one */
  constructor(request: ServiceRequest, newRequestId: () => string) {
    const { "x-request-id": given, "accept-encoding": accepted } = request.headers;
    this.request = request;
    this.id = typeof given === "string" && requestIdForm.test(given) ? given : newRequestId();
    this.acceptsGzip = acceptsGzip(accepted as string | undefined);
  }

  get target(): Target {
    this.#target ??= readTarget(this.request.url ?? "");
    return this.#target;
  }

  /** Set to the target with the form of a POST. */
  set target(target: Target) {
    this.#target = target;
  }

  /** Aborted when the client closes its connection before the answer has ended. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const { socket } = this.request;
      const controller = new AbortController();
      const abort = () => controller.abort();
      if (socket?.destroyed) abort();
      socket?.once("close", abort);
      this.#end = () => socket?.removeListener("close", abort);
      this.#signal = controller.signal;
    }
    return this.#signal;
  }

  /** Ends the exchange: its signal is not aborted any more. */
  end(): void {
    this.#end?.();
  }
}

/** Where the client reaches the service: SITE_URL, or else the host that it asked. */
export function originOf({ request: { headers } }: Exchange, siteUrl: string): string {
  if (siteUrl !== "") return siteUrl;
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  const forwarded = String(headers["x-forwarded-host"] ?? "");
  const host = /^[\w.:[\]-]+$/.test(forwarded) ? forwarded : headers.host;
  return `${scheme}://${host ?? "localhost"}`;
}

function readTarget(url: string): Target {
  const { pathname, search } = new URL(url.startsWith("/") ? `http://localhost${url}` : url);
  return { ...parseTarget(normalizePath(pathname), search), pathname };
}

/**
 * The text of a form, as a query has it.
 * @throws Refusal if the body is no form, too long or too slow; ClientGone if the connection closes before its end
 */
export async function readForm(request: ServiceRequest, seconds = formSeconds): Promise<string> {
  const body = await readBody(request, formType, seconds);
  if (isUtf8(body)) return body.toString();
  const message = "queries must be UTF-8 text";
  throw new Refusal(invalidParameters([{ parameter: "queries", code: "malformed", message }]));
}

/**
 * A body of this type. The rest of a body that is refused is discarded as it arrives.
 * @param seconds that the body may take
 * @throws as `readForm`
 */
export async function readBody(
  request: ServiceRequest,
  expected: string,
  seconds = formSeconds,
): Promise<Buffer> {
  const { "content-type": type = "", "content-length": length = "0" } = request.headers;
  if (type.split(";")[0]?.trim().toLowerCase() !== expected) throw new Refusal(notOfType(type, expected));
  if (Number(length) > formBytesMax) throw new Refusal(formTooLarge);
  if (!(request instanceof Readable) || request.readableEnded) return Buffer.alloc(0);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > formBytesMax) reject(new Refusal(formTooLarge));
    else chunks.push(chunk);
  };
  const onClose = () => reject(new ClientGone("the client went away"));
  const onHalfClose = () => request.complete || onClose(); // Node.js reports it only when the response has ended
  const timer = setTimeout(() => reject(new Refusal(formTooSlow)), seconds * 1000);
  request.on("data", onData).once("end", resolve).once("close", onClose).once("error", onClose);
  request.socket?.once("end", onHalfClose);
  try {
    await promise;
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
    request.off("data", onData).off("end", resolve).off("close", onClose);
    request.socket?.off("end", onHalfClose);
    request.resume();
  }
}

/** The target of a POST: its form counts as a part of its query, and must not be empty. */
export async function addForm({ request, target }: Exchange): Promise<Target> {
  const form = await readForm(request);
  const parsed = parseRequest(target.path, [target.search.slice(1), form].filter(Boolean).join("&"));
  if (parsed.kind !== "reconcile" || parsed.queries !== undefined) return { ...target, request: parsed };
  const problems = [missing({ name: "queries", rule: "a JSON object of queries, in the form" })];
  return { ...target, request: { kind: "refused", problems } };
}
