// Runs the server process: reads settings, listens, follows the current release, and ends cleanly on a signal.
import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { AggregatorRegistry } from "@prometheus-io/client";
import { statuses } from "../contract/errors.ts";
import { readSyncs } from "../release/chain.ts";
import { readSite, type SiteFile } from "../release/siteFiles.ts";
import { isAbsence } from "../release/systemErrors.ts";
import { startThreads } from "../search/searchThreads.ts";
import { chooseEngine } from "../search/sql/open.ts";
import { ChangesFolder } from "./answers/changesFolder.ts";
import { Exports } from "./answers/export.ts";
import { App } from "./app.ts";
import { Clients } from "./http/clients.ts";
import { createListener, listenOn } from "./http/listener.ts";
import { createLog, type Log, Stdout } from "./observe/log.ts";
import { ServerMetrics, serveMetrics } from "./observe/metrics.ts";
import { SearchLog, searchLogInterval } from "./observe/searchLog.ts";
import { Releases } from "./releases.ts";
import { readServerSettings, type ServerSettings } from "./settings.ts";
import { announceStart, checkCode, superviseWorkers } from "./workers.ts";

/** Milliseconds between two checks of `current`: a new release is served within that time. */
const followInterval = 500;

/**
 * Milliseconds that running requests have to finish after a signal; then their connections are cut. Process managers usually
 * kill a server after 30 seconds.
 */
const endGrace = 25_000;

/**
 * V8 marks the whole heap when half of its room for more is taken. By default, a small heap that receives many buffers is marked
 * after every few dozen searches, which holds up other requests for 3 to 20 ms each time.
 */
setFlagsFromString("--incremental-marking-soft-trigger=50");

// Standard output has the log, for machines. Lines for people go to standard error.
try {
  await main();
} catch (error) {
  console.error(`serve: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(2);
}

async function main(): Promise<void> {
  const settings = readServerSettings(process.env);
  const clock = () => new Date();
  const announce = (line: string) => console.error(line);
  const stdout = new Stdout();
  const log = createLog(settings.logLevel, clock, stdout);
  const startMetrics = (format: () => Promise<string>) =>
    serveMetrics(format, settings.metricsAddress, log, announce);
  if (settings.workers > 1 && cluster.isPrimary) {
    const registry = new AggregatorRegistry();
    const onStarted = (line: string) => {
      announce(line);
      void startMetrics(() => registry.clusterMetrics());
    };
    const program = fileURLToPath(import.meta.url);
    return superviseWorkers({ count: settings.workers, program, endGrace, log, onStarted });
  }
  if (cluster.isWorker) checkCode();
  const { line, metrics } = await serve(settings, clock, log, () => stdout.end());
  if (cluster.isWorker) {
    metrics.share();
    return announceStart(line);
  }
  announce(line);
  await startMetrics(() => metrics.format());
}

/**
 * Serves until a signal; returns the line for people once the server listens, and the metrics. Throws if it cannot listen.
 * @param onEnd called when every request has been answered
 */
async function serve(
  settings: ServerSettings,
  clock: () => Date,
  log: Log,
  onEnd: () => void,
): Promise<{ line: string; metrics: ServerMetrics }> {
  const threads = startThreads(settings.searches);
  const now = () => performance.now();
  const { data, releaseBytes: maxBytes } = settings;
  const openEngine = chooseEngine(settings.engine, (problem) =>
    log.error("a search failed", { err: new Error(problem) }),
  );
  const releases = new Releases({ data, maxBytes, threads, openEngine, now, log });
  await Promise.race([releases.check(), releases.served]);

  const clients = new Clients(settings.clients, now);
  const queues = { search: threads.search.queue, totals: threads.totals.queue, names: threads.names.queue };
  const metrics = new ServerMetrics(releases, queues, clock);
  metrics.addProcessMetrics();
  const searchLog = openSearchLog(settings, clock, log);
  const exports = new Exports(settings.exports);
  const app = new App({
    ...settings,
    log,
    metrics,
    searchLog,
    releases,
    clients,
    exports,
    clock,
    earlySite: releases.current === undefined ? await readBuiltSite() : new Map(),
    newRequestId: randomUUID,
    readSyncs: () => readSyncs(settings.data),
    changes: new ChangesFolder(settings.data),
  });
  const server = createListener({
    handle: (request) => app.handle(request),
    connections: settings.connections,
    responseSeconds: settings.searches.seconds,
    clock,
    onFailure: (error) => log.error("failed", { err: error }),
    onRefusal: ({ code }) => {
      const status = statuses[code];
      metrics.count({ route: "other", status, code, answeredBy: "none", seconds: 0 });
      log.info("refused", { status, code });
    },
  });

  const port = await listenOn(server, settings, (error) => log.error("a connection failed", { err: error }));
  const follower = setInterval(() => void releases.check(), followInterval);
  onFirstSignal(() => {
    clearInterval(follower);
    server.drain(() => {
      releases.close();
      void (searchLog?.end() ?? Promise.resolve()).catch(() => undefined).then(onEnd);
      cluster.worker?.disconnect();
    });
    setTimeout(() => {
      exports.places.endAll();
      server.closeAllConnections();
    }, endGrace).unref();
  });
  const release = releases.current?.facts.release ?? "no release yet: run make sync";
  const line = `serving ${settings.data} at http://${settings.host}:${port} (${release})`;
  return { line, metrics }; // signals are handled by now
}

/** Calls back at the first SIGTERM or SIGINT: a terminal and the first process may both send one. */
function onFirstSignal(work: () => void): void {
  let isEnding = false;
  const onSignal = () => {
    if (!isEnding) work();
    isEnding = true;
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, onSignal);
}

/** The site as it is built in the checkout or the image; empty if it is not built. */
async function readBuiltSite(): Promise<Map<string, SiteFile>> {
  const folder = fileURLToPath(new URL("../../site/dist", import.meta.url));
  return readSite(folder).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
    return new Map();
  });
}

/** The search log, written every few seconds; undefined if searches are not logged. */
function openSearchLog(settings: ServerSettings, clock: () => Date, log: Log): SearchLog | undefined {
  if (!settings.isSearchLogged) return undefined;
  const searchLog = new SearchLog(settings.data, clock, (line) => log.warn(line));
  setInterval(() => void searchLog.flush(), searchLogInterval).unref();
  return searchLog;
}
