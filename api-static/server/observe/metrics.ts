// Owns the server's figures, in Prometheus' text form. Every label has few values: names of ours, never a request's text.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { ErrorCode } from "../../contract/errors.ts";
import type { SearchQueue } from "../../search/queue.ts";
import { ageSeconds } from "../answers/health.ts";
import type { CurrentRelease } from "../releases/currentRelease.ts";

/** Upper bounds (seconds) of the duration buckets: a page takes about 1 ms, a search a few to some hundred. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Figures of the process whose names break Prometheus' rules, so that `promtool check metrics` complains; other figures
 * of the process tell the same.
 */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
  "nodejs_eventloop_utilization_histogram",
  "nodejs_eventloop_utilization_summary",
];

/** What is counted of an answered request. */
export type Answered = {
  /** Path template, or "other". */
  readonly route: string;
  readonly status: number;
  /** The way the answer came about, e.g., "file"; "none" where there was nothing to choose. */
  readonly answeredBy: string;
  /** Of an error; "" of a success. */
  readonly code: ErrorCode | "";
  readonly seconds: number;
};

export type WatchedSearches = Pick<SearchQueue, "running" | "waiting" | "ended">;

export class ServerMetrics {
  readonly #registry = new Registry();
  #format: () => Promise<string> = () => this.#registry.metrics();
  readonly #requests = new Counter({
    name: "grants_server_requests_total",
    help: "Requests answered, by route, status, error code and the way the answer came about",
    labelNames: ["route", "status", "code", "answered_by"],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: "grants_server_request_duration_seconds",
    help: "Seconds from a request to its answer, by route and the way the answer came about",
    labelNames: ["route", "answered_by"],
    buckets: durationBuckets,
    registers: [this.#registry],
  });

  /** The figures of releases and searches are read at the time of asking. */
  constructor(current: Pick<CurrentRelease, "get">, searches: WatchedSearches, clock: () => Date) {
    this.#watchRelease(current, clock);
    this.#watchSearches(searches);
  }

  #watchRelease(current: Pick<CurrentRelease, "get">, clock: () => Date): void {
    const registers = [this.#registry];
    new Gauge({
      name: "grants_server_release_info",
      aggregator: "max",
      help: "1 for the release that is served",
      labelNames: ["release"],
      registers,
      collect() {
        this.reset();
        const release = current.get();
        if (release !== undefined) this.set({ release: release.facts.release }, 1);
      },
    });
    new Gauge({
      name: "grants_server_release_age_seconds",
      aggregator: "max",
      help: "Seconds since the sync of the release that is served; absent without a release",
      labelNames: [],
      registers,
      collect() {
        this.remove();
        const release = current.get();
        if (release !== undefined) this.set(ageSeconds(release.facts, clock()));
      },
    });
  }

  #watchSearches(searches: WatchedSearches): void {
    const registers = [this.#registry];
    new Gauge({
      name: "grants_server_searches",
      help: "Searches that run and that wait for their turn",
      labelNames: ["state"],
      registers,
      collect() {
        this.set({ state: "running" }, searches.running);
        this.set({ state: "waiting" }, searches.waiting);
      },
    });
    new Counter({
      name: "grants_server_searches_ended_total",
      help: "Searches not answered: turned away (shed), stopped at the time limit, stopped as the client went away",
      labelNames: ["reason"],
      registers,
      collect() {
        const { shed, timedOut, abandoned } = searches.ended;
        this.reset();
        this.inc({ reason: "shed" }, shed);
        this.inc({ reason: "timed_out" }, timedOut);
        this.inc({ reason: "abandoned" }, abandoned);
      },
    });
  }

  /** Adds the figures of the process: memory, processor time, event loop, garbage collection. Once in a process. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    for (const name of misnamed) this.#registry.removeSingleMetric(name);
  }

  count({ route, status, code, answeredBy, seconds }: Answered): void {
    this.#requests.inc({ route, status, code, answered_by: answeredBy });
    this.#durations.observe({ route, answered_by: answeredBy }, seconds);
  }

  /** Gives the figures to the sum of several processes; from then on that sum is told instead of this process' own. */
  shareBy(share: (registry: Registry) => () => Promise<string>): void {
    this.#format = share(this.#registry);
  }

  /** All figures and the media type of their text. */
  async format(): Promise<{ type: string; text: string }> {
    return { type: this.#registry.contentType, text: await this.#format() };
  }
}
