// Owns one nightly run: from the warehouse to a new current release.
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Built, buildParts } from "./build.ts";
import { readTables } from "./changes.ts";
import { openDatabase } from "./database.ts";
import { checkReadable } from "./diagnosis.ts";
import { checkGate, findGateFailures } from "./gate.ts";
import { withLock } from "./lock.ts";
import { digestParts, isMadeFrom, type Manifest, schemaVersion, writeManifest } from "./manifest.ts";
import type { Progress } from "./progress.ts";
import * as release from "./release.ts";
import { type Report, writeReport } from "./report.ts";
import type { SyncSettings } from "./settings.ts";
import { checkRelease } from "./verify.ts";
import { checkUnchanged, checkWarehouse, type Warehouse } from "./warehouse.ts";

/** What a sync needs from outside besides its settings. */
export type SyncContext = {
  readonly progress: Progress;
  readonly clock: () => Date;
  /** Folder of the site's files. */
  readonly site: string;
};

export type SyncResult =
  | { readonly isNew: false; readonly release: string }
  | { readonly isNew: true; readonly release: string; readonly manifest: Manifest; readonly report: Report };

type Current = { readonly id: string; readonly manifest: Manifest };

/**
 * Makes a release of the warehouse and names it current. Does nothing when the current one was made from the same files.
 * @throws InputError when the warehouse or the settings are at fault, RefusedError when the quality gate refuses,
 * LockedError when another sync is at work; the current release then stays as it is
 */
export async function sync(settings: SyncSettings, context: SyncContext): Promise<SyncResult> {
  await release.makeDataFolder(settings.data);
  return withLock(settings.data, async () => {
    const { instance, connection } = await openDatabase({
      memory: settings.memory,
      threads: settings.threads,
      spillFolder: release.spillFolder(settings.data),
    });
    try {
      const warehouse = await checkWarehouse(connection, settings.warehouse);
      for (const column of warehouse.unknownColumns) {
        context.progress.note(`warning: the warehouse's column ${column} is not known, it is ignored`);
      }
      const current = await release.findCurrent(settings.data);
      if (current !== undefined && !settings.isForced && isMadeFrom(current.manifest, warehouse.files)) {
        return { isNew: false, release: current.id };
      }
      return await makeRelease(instance, connection, warehouse, current, settings, context);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });
}

async function makeRelease(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  warehouse: Warehouse,
  current: Current | undefined,
  settings: SyncSettings,
  context: SyncContext,
): Promise<SyncResult> {
  const start = context.clock();
  const id = await release.freeReleaseId(settings.data, start);
  const folder = await release.openBuild(settings.data);
  const built = await build(instance, connection, warehouse, current, folder, start, settings, context);
  await checkUnchanged(warehouse);
  const seconds = (context.clock().getTime() - start.getTime()) / 1000;
  const failures = findGateFailures(built.ingested, built.totals, current?.manifest.totals, settings.gate);
  const before = isComparable(current) ? { id: current.id, totals: current.manifest.totals } : undefined;
  const { accept } = settings.gate;
  const made = {
    release: id,
    warehouse,
    built,
    before,
    failures,
    accept,
    progress: context.progress,
    seconds,
  };
  const report = await writeReport(folder, made);
  const manifest: Manifest = {
    schema_version: schemaVersion,
    release: id,
    synced_at: release.releaseMoment(id),
    sources: warehouse.files,
    totals: built.totals,
    pages: built.pages,
    parts: await digestParts(folder),
  };
  await release.flush(folder);
  await writeManifest(folder, manifest);
  try {
    checkGate(failures, accept);
  } catch (error) {
    await release.refuseBuild(settings.data);
    throw error;
  }
  await context.progress.run("verify", manifest.pages.files, "pages", (reach) =>
    checkRelease(folder, settings.threads, reach),
  );
  await release.placeRelease(settings.data, id);
  await release.activateRelease(settings.data, id);
  await release.pruneReleases(settings.data, settings.keep);
  return { isNew: true, release: id, manifest, report };
}

/** True when a release can be compared part by part with one of this version. */
function isComparable(current: Current | undefined): current is Current {
  return current?.manifest.schema_version === schemaVersion;
}

/** Builds the parts against the current release; when that fails because of the warehouse's data, says where. */
async function build(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  warehouse: Warehouse,
  current: Current | undefined,
  folder: string,
  start: Date,
  settings: SyncSettings,
  context: SyncContext,
): Promise<Built> {
  const before = isComparable(current) ? release.releaseFolder(settings.data, current.id) : undefined;
  const buildSettings = {
    threads: settings.threads,
    nextYear: start.getUTCFullYear() + 1,
    site: context.site,
    before: before === undefined ? undefined : { folder: before, tables: await readTables(before) },
    isLinking: !settings.isForced,
  };
  try {
    return await buildParts(instance, connection, warehouse, folder, buildSettings, context.progress);
  } catch (error) {
    await checkReadable(connection, warehouse);
    throw error;
  }
}
