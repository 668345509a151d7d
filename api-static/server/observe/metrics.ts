// Collects the server's metrics in Prometheus' text format, and serves them on a port of their own, so that no host in front of the API can make
// them public. Label values are names from the code, never text from a request.

import { createServer } from "node:http";
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from "@prometheus-io/client";
import type { ErrorCode } from "../../contract/errors.ts";
import { ageSeconds } from "../../release/status.ts";
import type { SearchQueue } from "../../search/queue.ts";
import { listenOn } from "../http/listener.ts";
import type { Releases } from "../releases.ts";
import type { ServerSettings } from "../settings.ts";
import type { Log } from "./log.ts";

/** Upper bounds (seconds) of the duration buckets: a page takes about 1 ms, a search up to some hundred. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Process metrics that are omitted because their names break Prometheus' rules and `promtool check metrics` complains.
 * Other process metrics have the same information.
 */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

/** An answered request, as it is counted. */
export type CountedRequest = {
  /** Path template, or "other". */
  readonly route: string;
  readonly status: number;
  /** How it was answered, e.g., "file"; "none" if there is only one way. */
  readonly answeredBy: string;
  /** The error's code, or "" for a success. */
  readonly code: ErrorCode | "";
  readonly seconds: number;
};

/** The queues of searches, of totals and groups, and of organizations' names, by the names that metrics have for them. */
export type SearchQueues = Readonly<Record<"search" | "totals" | "names", SearchQueue>>;

export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "grants_server_requests_total",
    help: "Requests answered, by route, status, error code and how they were answered",
    labelNames: ["route", "status", "code", "answered_by"],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: "grants_server_request_duration_seconds",
    help: "Seconds from a request to its response, by route and how it was answered",
    labelNames: ["route", "answered_by"],
    buckets: durationBuckets,
    registers: [this.#registry],
  });
  readonly #damagedPages = new Counter({
    name: "grants_server_damaged_pages_total",
    help: "Requests answered with 500 because their page file is damaged",
    registers: [this.#registry],
  });

  /** The metrics of releases and queues are read when the metrics are requested. */
  constructor(releases: Pick<Releases, "current">, queues: SearchQueues, clock: () => Date) {
    const registers = [this.#registry];
    new Gauge({
      name: "grants_server_release_info",
      aggregator: "max",
      help: "1 for the current release",
      labelNames: ["release"],
      registers,
      collect() {
        this.reset();
        const release = releases.current;
        if (release !== undefined) this.set({ release: release.facts.release }, 1);
      },
    });
    new Gauge({
      name: "grants_server_release_age_seconds",
      aggregator: "max",
      help: "Seconds since the sync of the current release; absent without a release",
      registers,
      collect() {
        this.remove();
        const release = releases.current;
        if (release !== undefined) this.set(ageSeconds(release.facts, clock()));
      },
    });
    new Gauge({
      name: "grants_server_searches",
      help: "Searches that are running and waiting, in the queue of searches, of totals and groups, or of organizations by name",
      labelNames: ["queue", "state"],
      registers,
      collect() {
        for (const [queue, { running, waiting }] of Object.entries(queues)) {
          this.set({ queue, state: "running" }, running);
          this.set({ queue, state: "waiting" }, waiting);
        }
      },
    });
    new Counter({
      name: "grants_server_searches_ended_total",
      help: "Searches without an answer, by queue: rejected (shed), stopped at the time limit, or abandoned by the client",
      labelNames: ["queue", "reason"],
      registers,
      collect() {
        this.reset();
        for (const [queue, { ended }] of Object.entries(queues)) {
          this.inc({ queue, reason: "shed" }, ended.shed);
          this.inc({ queue, reason: "timed_out" }, ended.timedOut);
          this.inc({ queue, reason: "abandoned" }, ended.abandoned);
        }
      },
    });
  }

  /** Adds metrics of the process: memory, processor time, event loop, garbage collection. Call it once per process. */
  addProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of misnamed) this.#registry.removeSingleMetric(name);
  }

  /** Counts a request that was answered. */
  count({ route, status, code, answeredBy, seconds }: CountedRequest): void {
    this.#requests.inc({ route, status, code, answered_by: answeredBy });
    this.#durations.observe({ route, answered_by: answeredBy }, seconds);
  }

  /** Counts a request whose page file is damaged. */
  countDamagedPage(): void {
    this.#damagedPages.inc();
  }

  /** In a worker: lets the primary process add these metrics to its sum. */
  share(): void {
    AggregatorRegistry.setRegistries(this.#registry);
    new AggregatorRegistry(); // from here on it answers the primary process
  }

  /** All metrics as text. */
  format(): Promise<string> {
    return this.#registry.metrics();
  }
}

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
