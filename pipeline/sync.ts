// Owns one nightly run: from the warehouse to a new current release.
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { parts } from "../api-static/release/layout.ts";
import { type Built, buildParts } from "./build/build.ts";
import { readTables } from "./build/changes.ts";
import { readLearned } from "./build/learnedSearches.ts";
import { digestSite } from "./build/site.ts";
import { openDatabase } from "./database.ts";
import { DamagedError, RefusedError } from "./failure.ts";
import type { Progress } from "./progress.ts";
import {
  activateRelease,
  type FoundRelease,
  findCurrent,
  findNewest,
  flush,
  placeRelease,
} from "./releases/current.ts";
import {
  checkOutside,
  freeReleaseId,
  makeDataFolder,
  openBuild,
  refuseBuild,
  releaseFolder,
  releaseMoment,
  removeBuild,
  spillFolder,
} from "./releases/folders.ts";
import { checkGate, findGateFailures } from "./releases/gate.ts";
import { withLock } from "./releases/lock.ts";
import { digestParts, isMadeFrom, type Manifest, schemaVersion, writeManifest } from "./releases/manifest.ts";
import { pruneReleases } from "./releases/retention.ts";
import type { Totals } from "./releases/totals.ts";
import { type Report, writeReport } from "./report/report.ts";
import type { SyncSettings } from "./settings.ts";
import { checkRelease } from "./verify/verify.ts";
import { checkReadable } from "./warehouse/diagnosis.ts";
import { checkUnchanged, checkWarehouse, type Warehouse } from "./warehouse/warehouse.ts";

/** What a sync needs from outside besides its settings. */
export type SyncContext = {
  readonly progress: Progress;
  readonly clock: () => Date;
  /** Folder of the site's files. */
  readonly site: string;
};

export type SyncResult =
  | { readonly isNew: false; readonly release: string }
  | {
      readonly isNew: true;
      readonly release: string;
      readonly manifest: Manifest;
      readonly report: Report;
      /** Of the whole run, the verification included, which the report comes before. */
      readonly seconds: number;
    };

/** One run: what it works on, and with. */
type Run = {
  readonly settings: SyncSettings;
  readonly context: SyncContext;
  readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  readonly warehouse: Warehouse;
  /** The release served while this one is made. */
  readonly current: FoundRelease | undefined;
  readonly start: Date;
};

/**
 * Makes a release of the warehouse and names it current. Does nothing when the current one was made of the same.
 * @throws InputError when the warehouse or the settings are at fault, RefusedError when the quality gate refuses,
 * LockedError when another sync is at work; the current release then stays as it is
 */
export async function sync(settings: SyncSettings, context: SyncContext): Promise<SyncResult> {
  const start = context.clock();
  await makeDataFolder(settings.data);
  return withLock(settings.data, async () => {
    try {
      return await syncOnce(settings, context, start);
    } catch (error) {
      if (!(error instanceof DamagedError) || settings.isForced) throw error;
      context.progress.note(error.message);
      context.progress.note("pages of the current release may be damaged: every page is made again");
      return await syncOnce({ ...settings, isForced: true }, context, start);
    }
  });
}

async function syncOnce(settings: SyncSettings, context: SyncContext, start: Date): Promise<SyncResult> {
  const { instance, connection } = await openDatabase({
    memory: settings.memory,
    threads: settings.threads,
    spillFolder: spillFolder(settings.data),
  });
  try {
    const warehouse = await checkWarehouse(connection, settings.warehouse);
    for (const column of warehouse.unknownColumns) {
      context.progress.note(`warning: the warehouse's column ${column} is not known, it is ignored`);
    }
    await checkOutside(
      settings.data,
      warehouse.files.map(({ path }) => path),
    );
    const current = await findCurrent(settings.data);
    const origins = {
      sources: warehouse.files,
      searches: settings.searches,
      site: await digestSite(context.site),
    };
    if (current !== undefined && !settings.isForced && isMadeFrom(current.manifest, origins))
      return { isNew: false, release: current.id };
    return await makeRelease({ settings, context, instance, connection, warehouse, current, start });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Builds, seals, gates, verifies and activates a release; what a failure leaves half-made is removed. */
async function makeRelease(run: Run): Promise<SyncResult> {
  const { settings, context } = run;
  const id = await freeReleaseId(settings.data, run.start);
  const folder = await openBuild(settings.data);
  try {
    const built = await build(run, folder);
    await checkUnchanged(run.warehouse);
    const before = run.current ?? (await findLastKept(run));
    const failures = findGateFailures(built.ingested, built.totals, before?.manifest.totals, settings.gate);
    const report = await writeReport(folder, {
      release: id,
      warehouse: run.warehouse,
      built,
      before: comparableRelease(run),
      failures,
      accept: settings.gate.accept,
      progress: context.progress,
      seconds: secondsSoFar(run),
    });
    const manifest = await seal(run, id, folder, built);
    checkGate(failures, settings.gate.accept);
    await Promise.all([
      flush(folder), // while it is verified, which reads from memory
      context.progress.run("verify", manifest.pages.files, "pages", (reach) =>
        checkRelease(folder, settings.threads, reach),
      ),
    ]);
    await placeRelease(settings.data, id);
    await activateRelease(settings.data, id);
    await pruneReleases(settings.data, settings.keep);
    return { isNew: true, release: id, manifest, report, seconds: secondsSoFar(run) };
  } catch (error) {
    if (error instanceof RefusedError) await refuseBuild(settings.data);
    else await removeBuild(settings.data);
    throw error;
  }
}

/** The release for the gate to compare with where the current one cannot be read: a damaged manifest opens no gate. */
async function findLastKept({ settings, context }: Run): Promise<FoundRelease | undefined> {
  const found = await findNewest(settings.data);
  if (found !== undefined)
    context.progress.note(
      `warning: no current release can be read; the gate compares with release ${found.id}`,
    );
  return found;
}

function secondsSoFar({ context, start }: Run): number {
  return (context.clock().getTime() - start.getTime()) / 1000;
}

/** Writes the manifest over all other parts. */
async function seal(run: Run, id: string, folder: string, built: Built): Promise<Manifest> {
  const manifest: Manifest = {
    schema_version: schemaVersion,
    release: id,
    synced_at: releaseMoment(id),
    sources: run.warehouse.files,
    searches: run.settings.searches,
    totals: built.totals,
    pages: built.pages,
    parts: await digestParts(folder, { [parts.records]: built.recordsDigest }),
  };
  await writeManifest(folder, manifest);
  return manifest;
}

/** The current release where it can be compared part by part with one of this version. */
function comparableRelease({ current }: Run): { id: string; totals: Totals } | undefined {
  if (current?.manifest.schema_version !== schemaVersion) return undefined;
  return { id: current.id, totals: current.manifest.totals };
}

/** Builds the parts against the current release; when that fails because of the warehouse's data, says where. */
async function build(run: Run, folder: string): Promise<Built> {
  const { settings, context, connection, warehouse } = run;
  const comparable = comparableRelease(run);
  const before = comparable && releaseFolder(settings.data, comparable.id);
  const buildSettings = {
    threads: settings.threads,
    nextYear: run.start.getUTCFullYear() + 1,
    site: context.site,
    before: before === undefined ? undefined : { folder: before, tables: await readTables(before) },
    isLinking: !settings.isForced,
    searches: settings.searches,
    learned: await readLearned(connection, settings.data, run.start, settings.searches.learned, (line) =>
      context.progress.note(line),
    ),
  };
  try {
    return await buildParts(run.instance, connection, warehouse, folder, buildSettings, context.progress);
  } catch (error) {
    await checkReadable(connection, warehouse);
    throw error;
  }
}
