// Owns the server process: settings in, a listening socket, the current release followed, a clean end on a signal.
import { serve } from "@hono/node-server";
import { createApp } from "./app.ts";
import { CurrentRelease } from "./release.ts";
import { SearchQueue } from "./searchQueue.ts";
import { readServerSettings } from "./settings.ts";

/** Milliseconds between two looks at `current`: a new release is served within that time. */
const followInterval = 500;

/** Milliseconds that running requests get to end after a signal; then clients that are slow or silent are cut off. */
const endPatience = 3_000;

const log = (line: string, error?: unknown) => console.error(line, ...(error === undefined ? [] : [error]));

try {
  await main();
} catch (error) {
  console.error(`serve: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const settings = readServerSettings(process.env);
  const searches = new SearchQueue(settings.searches);
  const current = new CurrentRelease(settings.data, searches, log);
  await current.check();
  const app = createApp({ current, clock: () => new Date(), log });
  const server = serve({ fetch: app.fetch, hostname: settings.host, port: settings.port }, ({ port }) => {
    const release = current.get()?.facts.release ?? "no release yet: run make sync";
    console.log(`serving ${settings.data} at http://${settings.host}:${port} (${release})`);
  });
  server.on("error", (error: NodeJS.ErrnoException) => {
    const rule = error.code === "EADDRINUSE" ? "a free port was expected" : error.message;
    console.error(`serve: HOST "${settings.host}" PORT "${settings.port}": ${rule}`);
    process.exit(2);
  });
  const follower = setInterval(() => void current.check(), followInterval);
  const end = () => {
    clearInterval(follower);
    server.close(() => current.close());
    if ("closeAllConnections" in server) setTimeout(() => server.closeAllConnections(), endPatience).unref();
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
}
