// Watches every request: gives it an id, counts it, and writes its line in the log.
import type { Context, MiddlewareHandler } from "hono";
import type { ErrorCode } from "../../contract/errors.ts";
import { findRoute, routes } from "../../contract/routes.ts";
import type { AnswerPath } from "../../search/answer.ts";
import type { Clients } from "../http/clients.ts";
import { setHeaders, startResponse } from "../http/response.ts";
import { readTarget } from "../http/target.ts";
import type { Log } from "./log.ts";
import type { ServerMetrics } from "./metrics.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The id of the request, as the log and X-Request-Id name it. */
    requestId: string;
    /** How the request was answered; undefined if there is only one way. */
    answeredBy: AnswerPath | undefined;
    /** The code of the error that was sent; undefined for a success. */
    errorCode: ErrorCode | undefined;
    /** The bytes sent of a streamed body, known when it has ended, complete or not; undefined for any other body. */
    sentBytes: Promise<number> | undefined;
  }
}

export type WatchContext = {
  readonly log: Log;
  readonly metrics: ServerMetrics;
  /** Makes an id for a request that came without one. */
  readonly newRequestId: () => string;
  readonly clients: Clients;
  /** True if the log has clients' addresses. */
  readonly isClientLogged: boolean;
};

/** A request id that is accepted from a client or a proxy: it goes into the log and back as a header. */
const requestIdForm = /^[\w.:=+/-]{1,128}$/;

/** Routes that machines request every few seconds: their log lines have level `debug`. */
const probes: ReadonlySet<string> = new Set([routes.health, routes.ready, routes.metrics]);

/** Middleware that watches every request. The log line of a failure (`internal`) has its stack. */
export function watchRequests(context: WatchContext): MiddlewareHandler {
  return async (c, next) => {
    const start = performance.now();
    const given = c.req.header("X-Request-Id") ?? "";
    const requestId = requestIdForm.test(given) ? given : context.newRequestId();
    c.set("requestId", requestId);
    startResponse(c);
    readTarget(c);
    setHeaders(c, { "X-Request-Id": requestId });
    await next();
    const sentBytes = c.get("sentBytes");
    const report = (bytes: number) => reportResponse(context, c, performance.now() - start, bytes);
    if (sentBytes === undefined)
      report(c.req.method === "HEAD" ? 0 : Number(c.get("responseHeaders")["Content-Length"] ?? 0));
    else void sentBytes.then(report);
  };
}

function reportResponse(context: WatchContext, c: Context, milliseconds: number, bytes: number): void {
  const { log, metrics, clients, isClientLogged } = context;
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
