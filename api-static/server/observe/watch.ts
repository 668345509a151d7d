// Reports every answer: its line in the log, and its metrics.
import { routes } from "../../contract/routes.ts";
import type { Clients } from "../http/clients.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Prepared } from "../http/prepared.ts";
import type { Log } from "./log.ts";
import type { ServerMetrics } from "./metrics.ts";

export type WatchContext = {
  readonly log: Log;
  readonly metrics: ServerMetrics;
  readonly clients: Clients;
  /** True if the log has clients' addresses. */
  readonly isClientLogged: boolean;
};

/** Routes that machines request every few seconds: their log lines have level `debug`. */
const probes: ReadonlySet<string> = new Set([routes.health, routes.ready, routes.metrics]);

/**
 * Reports an answer. The log line of a failure (`internal`) has its stack.
 * @param status as sent: 304 if the client has the content
 * @param bytes of the body that were sent
 */
export function reportAnswer(
  { log, metrics, clients, isClientLogged }: WatchContext,
  { id, request, target, start }: Exchange,
  prepared: Prepared,
  status: number,
  bytes: number,
): void {
  const { code, failure } = prepared;
  const answeredBy = prepared.answeredBy ?? "none";
  const { route, pathname } = target;
  const milliseconds = performance.now() - start;
  metrics.count({ route, status, code: code ?? "", answeredBy, seconds: milliseconds / 1000 });
  const fields = {
    request_id: id,
    method: request.method,
    path: pathname,
    status,
    code, // JSON omits what is undefined
    duration_ms: Math.round(milliseconds * 1000) / 1000,
    answered_by: answeredBy,
    bytes,
    client: isClientLogged ? clients.addressOf(request) : undefined,
  };
  if (code === "internal") log.error("failed", { ...fields, err: failure });
  else if (probes.has(route)) log.debug("answered", fields);
  else log.info("answered", fields);
}
