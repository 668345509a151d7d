// Reads a request once: its id, its URL, whether its client accepts gzip, and whether its client has disconnected.
import type { IncomingMessage } from "node:http";
import { acceptsGzip } from "../../contract/headers.ts";
import { normalizePath } from "../../contract/query.ts";
import { type ParsedTarget, parseTarget } from "../../contract/request.ts";

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
