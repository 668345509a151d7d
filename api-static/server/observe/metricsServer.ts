// Serves the metrics on a port of their own, so that no host in front of the API can make them public.
import { createServer } from "node:http";
import { Registry } from "@prometheus-io/client";
import { listenOn } from "../http/listener.ts";
import type { ServerSettings } from "../settings.ts";
import type { Log } from "./log.ts";

/** Open connections, at most. */
const maxConnections = 16;

/**
 * Serves `/metrics`. If that fails, the server still answers requests: the log and an alert report it.
 * @param format returns all metrics in Prometheus' text format
 * @param announce receives a line for people that names the address
 */
export async function serveMetrics(
  format: () => Promise<string>,
  address: ServerSettings["metricsAddress"],
  log: Log,
  announce: (line: string) => void,
): Promise<void> {
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics") return void response.writeHead(404).end();
    const text = await format().catch(() => undefined); // a worker died in the meantime
    if (text === undefined) return void response.writeHead(503).end();
    response.writeHead(200, { "Content-Type": Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  });
  server.maxConnections = maxConnections;
  server.unref().on("connection", (socket) => socket.unref()); // no scraper keeps the process from ending
  const warn = (error: Error) => log.warn("metrics are not served", { err: error });
  try {
    const port = await listenOn(server, address, warn, "METRICS_");
    announce(`metrics at http://${address.host}:${port}/metrics`);
  } catch (error) {
    warn(error as Error);
  }
}
