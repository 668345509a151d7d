// Owns the watching of requests: each gets an id, is counted, and leaves one line in the log.
import type { Context, MiddlewareHandler } from "hono";
import type { ErrorCode } from "../../contract/errors.ts";
import { findRoute, routes } from "../../contract/routes.ts";
import type { AnswerPath } from "../../search/answer.ts";
import type { Clients } from "../http/clients.ts";
import { addHeaders, beginReply } from "../http/reply.ts";
import { readTarget } from "../http/target.ts";
import type { Log } from "./log.ts";
import type { ServerMetrics } from "./metrics.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The id of the request, as the log and X-Request-Id name it. */
    requestId: string;
    /** The way the answer came about, set by whoever had a choice. */
    answeredBy: AnswerPath | undefined;
    /** The code of an error that was answered. */
    errorCode: ErrorCode | undefined;
    /** The bytes of a body that is sent while it is made, once it is over, whole or not. */
    sent: Promise<number> | undefined;
  }
}

export type Watching = {
  readonly log: Log;
  readonly metrics: ServerMetrics;
  /** A new id for a request that brought none. */
  readonly newRequestId: () => string;
  readonly clients: Clients;
  /** True when the log may name clients' addresses. */
  readonly isClientLogged: boolean;
};

/** A request id that is taken over from a client or a host in front: it goes into the log and back as a header. */
const requestIdForm = /^[\w.:=+/-]{1,128}$/;

/** Routes that machines ask every few seconds: their lines are of level `debug`. */
const probes: ReadonlySet<string> = new Set([routes.health, routes.ready, routes.metrics]);

/** Watches every request that passes; a failure that was answered with `internal` is in the line, with its stack. */
export function watchRequests(watching: Watching): MiddlewareHandler {
  return async (c, next) => {
    const start = performance.now();
    const given = c.req.header("X-Request-Id") ?? "";
    const requestId = requestIdForm.test(given) ? given : watching.newRequestId();
    c.set("requestId", requestId);
    beginReply(c);
    readTarget(c);
    addHeaders(c, { "X-Request-Id": requestId });
    await next();
    const sent = c.get("sent");
    const tell = (bytes: number) => tellAnswer(watching, c, performance.now() - start, bytes);
    if (sent === undefined)
      tell(c.req.method === "HEAD" ? 0 : Number(c.get("headers")["Content-Length"] ?? 0));
    else void sent.then(tell);
  };
}

function tellAnswer(watching: Watching, c: Context, milliseconds: number, bytes: number): void {
  const { log, metrics, clients, isClientLogged } = watching;
  const { status } = c.res;
  const { pathname, path } = c.get("target");
  const route = findRoute(path) ?? "other";
  const answeredBy = c.get("answeredBy") ?? "none";
  const code = c.get("errorCode") ?? "";
  metrics.count({ route, status, code, answeredBy, seconds: milliseconds / 1000 });
  const fields = {
    request_id: c.get("requestId"),
    method: c.req.method,
    path: pathname,
    status,
    ...(code === "" ? {} : { code }),
    duration_ms: Math.round(milliseconds * 1000) / 1000,
    answered_by: answeredBy,
    bytes,
    ...(isClientLogged ? { client: clients.addressOf(c.env?.incoming) } : {}),
  };
  if (code === "internal") log.error({ ...fields, err: c.error }, "failed");
  else if (probes.has(route)) log.debug(fields, "answered");
  else log.info(fields, "answered");
}
