// Syncs a small warehouse with the real pipeline, opens the release and serves it to the server's tests.

import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { Release } from "../../../api-static/search/release.ts";
import { ChangesFolder } from "../../../api-static/server/answers/changesFolder.ts";
import { Exports } from "../../../api-static/server/answers/export.ts";
import { App, type AppContext } from "../../../api-static/server/app.ts";
import { Clients } from "../../../api-static/server/http/clients.ts";
import type { ServiceRequest } from "../../../api-static/server/http/exchange.ts";
import { isStream, type Reply } from "../../../api-static/server/http/reply.ts";
import { createLog } from "../../../api-static/server/observe/log.ts";
import { ServerMetrics } from "../../../api-static/server/observe/metrics.ts";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { Progress } from "../../../pipeline/base/progress.ts";
import { formatReleaseId } from "../../../pipeline/releases/folders.ts";
import { readSyncSettings } from "../../../pipeline/settings.ts";
import { sync } from "../../../pipeline/sync.ts";
import { writeSample } from "../../../tools/sample/sample.ts";
import { writeMatchable } from "../../pipeline/matches.fixture.ts";
import { copyMade } from "../../shared.fixture.ts";
import { idleQueues } from "../search/client.fixture.ts";
import { readTableFacts, type TableFacts } from "../tableFacts.ts";
import { type CornerGrant, cornerGrants, writeGrants } from "./corners.ts";

export const repository = fileURLToPath(new URL("../../..", import.meta.url));
/** 23:00:00 UTC, five and a half hours before the end of the next sync. */
export const fixedNow = new Date("2026-11-20T23:00:00Z");

const releaseMoment = new Date("2026-11-20T04:00:00Z");

export type Served = {
  /** The data folder with `current` and `releases`. */
  readonly data: string;
  readonly warehouse: string;
  /** The release's own folder. */
  readonly folder: string;
  readonly release: Release;
  readonly facts: TableFacts;
  /** Every record line of the release, without its line end, in order of position. */
  readonly lines: readonly string[];
  readonly app: TestApp;
  /** The lines that the server logged. */
  readonly log: Record<string, unknown>[];
  /** Answers a GET of a path with query, without a socket. */
  ask(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The body of a 200. */
  askText(path: string): Promise<string>;
};

/** The number of sample rows in addition to the handmade grants or without them, an existing warehouse, one with matches, or only these grants. */
export type ReleaseSource =
  | { sampleRows: number }
  | { onlySampleRows: number }
  | { warehouse: string; name?: string }
  | { withMatches: true }
  | { name: string; grants: readonly CornerGrant[] };

/** Serves the test file's own copy of a release that is made once in a run. */
export function useRelease(source: ReleaseSource): () => Served {
  let served: Served | undefined;
  let root = "";
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "served-"));
    const home = join(root, "made");
    await copyMade(`release-${nameOf(source)}`, home, async (folder) => {
      const warehouse = "warehouse" in source ? source.warehouse : join(folder, "warehouse");
      if ("sampleRows" in source) await writeWarehouse(warehouse, source.sampleRows);
      if ("onlySampleRows" in source) await writeWarehouse(warehouse, source.onlySampleRows, []);
      if ("withMatches" in source) await writeMatchable(warehouse);
      if ("grants" in source) await writeWarehouse(warehouse, 0, source.grants);
      await makeRelease(join(folder, "data"), warehouse, releaseMoment);
    });
    const warehouse = "warehouse" in source ? source.warehouse : join(home, "warehouse");
    const data = join(home, "data");
    served = await serveRelease(data, warehouse, join(data, "releases", formatReleaseId(releaseMoment)));
  });
  afterAll(async () => {
    served?.release.leave();
    await rm(root, { recursive: true, force: true });
  });
  return () => {
    if (served === undefined)
      throw new Error("use the release in tests only: it is made before the first one");
    return served;
  };
}

function nameOf(source: ReleaseSource): string {
  if ("warehouse" in source) return source.name ?? "real";
  if ("withMatches" in source) return "matches";
  if ("onlySampleRows" in source) return `sample-${source.onlySampleRows}`;
  return "grants" in source ? source.name : String(source.sampleRows);
}

async function serveRelease(data: string, warehouse: string, folder: string): Promise<Served> {
  const release = await Release.open(folder);
  const log: Record<string, unknown>[] = [];
  const app = createTestApp(release, (line) => log.push(JSON.parse(line)));
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    app.fetch(new Request(`http://127.0.0.1${path}`, { headers, redirect: "manual" }));
  const askText = async (path: string) => {
    const response = await ask(path);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  };
  const lines = readLines(folder);
  return { data, warehouse, folder, release, facts: readTableFacts(folder), lines, app, log, ask, askText };
}

/** The service on a release (or none) at the fixed moment; ids of requests are "id-1", "id-2", …. */
export function createTestApp(
  release: Release | undefined,
  write: (line: string) => void = () => undefined,
  changes: Partial<AppContext> = {},
): TestApp {
  const releases = changes.releases ?? only(release);
  const clock = () => fixedNow;
  const log = createLog("debug", clock, { write });
  const metrics = changes.metrics ?? new ServerMetrics(releases, idleQueues(), clock);
  let ids = 0;
  const app = new App({
    releases,
    clients: new Clients({ searchesPerMinute: 0, trustedProxies: [] }, () => 0),
    preparedBytes: 1_000_000,
    exports: new Exports({ running: 4, seconds: 60, minutes: 60, leastRate: 0 }),
    clock,
    earlySite: new Map(),
    log,
    metrics,
    newRequestId: () => `id-${++ids}`,
    isClientLogged: false,
    isSyncScheduled: true,
    siteUrl: "",
    mcpHosts: ["127.0.0.1", "localhost"],
    readSyncs: async () => [],
    changes: new ChangesFolder(join(release?.folder ?? "", "../..")),
    ...changes,
  });
  const handle = (request: ServiceRequest) => app.handle(request);
  const fetch = async (request: Request, { socket }: Pick<ServiceRequest, "socket"> = {}) => {
    const { pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    return toResponse(
      await handle({ method: request.method, url: pathname + search, headers, ...(socket && { socket }) }),
    );
  };
  return { handle, fetch, request: (path, init) => fetch(new Request(`http://127.0.0.1${path}`, init)) };
}

/** Releases of which only this one is kept, or none. */
function only(release: Release | undefined): AppContext["releases"] {
  return {
    current: release,
    enter: async (id = release?.facts.release) =>
      id === release?.facts.release && release?.enter() ? release : undefined,
    findAsset: async () => undefined,
  };
}

/** The service without a socket. */
export type TestApp = {
  readonly handle: (request: ServiceRequest) => Promise<Reply>;
  readonly fetch: (request: Request, connection?: Pick<ServiceRequest, "socket">) => Promise<Response>;
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
};

function toResponse({ status, headers, body }: Reply): Response {
  const pairs = Array.from({ length: headers.length / 2 }, (_, index) =>
    headers.slice(2 * index, 2 * index + 2),
  );
  return new Response(isStream(body) ? body.stream : body && new Uint8Array(body), {
    status,
    headers: pairs as [string, string][],
  });
}

/** Every record line of a release folder, without line ends. */
export function readLines(folder: string): string[] {
  return readFileSync(join(folder, parts.records), "utf8").split(",\n").slice(0, -1);
}

/** Writes a warehouse of sample rows and the handmade grants. */
export async function writeWarehouse(
  folder: string,
  sampleRows: number,
  grants: readonly CornerGrant[] = cornerGrants(),
): Promise<void> {
  const settings = { memory: "1GB", threads: 2, spillFolder: `${folder}.spill` };
  await mkdir(folder, { recursive: true });
  if (sampleRows > 0) await writeSample({ ...settings, rows: sampleRows, seed: 7, folder });
  const { instance, connection } = await openDatabase(settings);
  try {
    await writeGrants(connection, grants, join(folder, "handmade.parquet"));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * Syncs the warehouse at that moment and returns the new release's folder.
 * @param settings of the page files of searches
 */
export async function makeRelease(
  data: string,
  warehouse: string,
  moment: Date,
  settings: Readonly<Record<string, string>> = { SEARCH_RECIPIENTS: "5", SEARCH_PURPOSES: "5" },
): Promise<string> {
  const environment = {
    WAREHOUSE: warehouse,
    DATA: data,
    MEMORY: "1GB",
    THREADS: "1",
    FORCE: "1",
    KEEP: "10",
    ...settings,
  };
  const progress = new Progress({ write: () => true }, () => performance.now());
  const { release } = await sync(readSyncSettings(environment), {
    progress,
    clock: () => moment,
    site: join(repository, "site/dist"),
  });
  return join(data, "releases", release);
}
