// Owns the server process: settings in, a listening socket, the current release followed, a clean end on a signal.
import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { statuses } from "../contract/errors.ts";
import { PageFileCache } from "../release/pageFileCache.ts";
import { SearchQueue } from "../search/queue.ts";
import { Exports } from "./answers/export.ts";
import { createApp } from "./app.ts";
import { Clients } from "./http/clients.ts";
import { createListener } from "./http/listener.ts";
import { createLog, type Log, openStdout } from "./observe/log.ts";
import { ServerMetrics } from "./observe/metrics.ts";
import { SearchLog, searchLogInterval } from "./observe/searchLog.ts";
import { CurrentRelease } from "./releases/currentRelease.ts";
import { OpenReleases } from "./releases/openReleases.ts";
import { PinnedReleases } from "./releases/pinnedReleases.ts";
import { readServerSettings, type ServerSettings } from "./settings.ts";
import { announceStart, shareFigures, superviseWorkers } from "./workers.ts";

/** Milliseconds between two looks at `current`: a new release is served within that time. */
const followInterval = 500;

/**
 * Milliseconds that running requests get to end after a signal; then clients that are slow or silent are cut off. Searches
 * end within their limit; whoever stops servers usually kills them after 30 seconds.
 */
const endPatience = ({ searches }: ServerSettings) => Math.min(searches.seconds + 1, 25) * 1000;

// Standard output carries the log, for machines; lines for people go to standard error.
try {
  await main();
} catch (error) {
  console.error(`serve: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const settings = readServerSettings(process.env);
  const clock = () => new Date();
  const stdout = openStdout();
  const log = createLog(settings.logLevel, clock, stdout);
  const say = (line: string) => console.error(line);
  if (settings.workers > 1 && cluster.isPrimary)
    return superviseWorkers({ count: settings.workers, endPatience: endPatience(settings), log, say });
  await serve(settings, clock, log, cluster.isWorker ? announceStart : say, () => stdout.end());
}

/** Serves until a signal; `say` is told the line for people once it listens, and `onEnd` called when all is answered. */
async function serve(
  settings: ServerSettings,
  clock: () => Date,
  log: Log,
  say: (line: string) => void,
  onEnd: () => void,
): Promise<void> {
  const searches = new SearchQueue(settings.searches);
  const open = new OpenReleases({ queue: searches, pageFiles: new PageFileCache(settings.pageFileBytes) });
  const current = new CurrentRelease(settings.data, open, log);
  const now = () => performance.now();
  const pinned = new PinnedReleases({ data: settings.data, open, held: settings.pinned, now, log });
  const check = () => Promise.all([pinned.check(), current.check()]);
  await check();
  const clients = new Clients(settings.clients, now);
  const metrics = new ServerMetrics(current, searches, clock);
  metrics.watchProcess();
  const searchLog = openSearchLog(settings, clock, log);
  if (cluster.isWorker) metrics.shareBy(shareFigures);
  const exports = new Exports(settings.exports);
  const parts = { current, pinned, clients, exports, clock, log, metrics, searchLog };
  const app = createApp({ ...settings, ...parts, newRequestId: randomUUID });
  const server = createListener({
    fetch: app.fetch,
    connections: settings.connections,
    answerSeconds: settings.searches.seconds,
    clock,
    onFailure: (error) => log.error({ err: error }, "failed"),
    onRefusal: ({ code }) => {
      const status = statuses[code];
      metrics.count({ route: "other", status, code, answeredBy: "none", seconds: 0 });
      log.info({ status, code }, "refused");
    },
  });
  server.listen(settings.port, settings.host, () => {
    const { port } = server.address() as AddressInfo;
    const release = current.get()?.facts.release ?? "no release yet: run make sync";
    say(`serving ${settings.data} at http://${settings.host}:${port} (${release})`);
  });
  server.on("error", (error: NodeJS.ErrnoException) => {
    const rule = error.code === "EADDRINUSE" ? "a free port was expected" : error.message;
    console.error(`serve: HOST "${settings.host}" PORT "${settings.port}": ${rule}`);
    process.exit(2);
  });
  const follower = setInterval(() => void check(), followInterval);
  let isEnding = false;
  const end = () => {
    if (isEnding) return; // a terminal and the first process may both send a signal
    isEnding = true;
    clearInterval(follower);
    server.close(() => {
      current.close();
      pinned.close();
      void Promise.resolve(searchLog?.end()).finally(onEnd);
      cluster.worker?.disconnect();
    });
    const cut = () => {
      exports.resetAll();
      server.closeAllConnections();
    };
    setTimeout(cut, endPatience(settings)).unref();
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}

/** The log of searches, written every few seconds; undefined when they are not logged. */
function openSearchLog(settings: ServerSettings, clock: () => Date, log: Log): SearchLog | undefined {
  if (!settings.isSearchLogged) return undefined;
  const searchLog = new SearchLog(settings.data, clock, (line) => log.warn(line));
  setInterval(() => void searchLog.flush(), searchLogInterval).unref();
  return searchLog;
}
