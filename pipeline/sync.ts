// Owns one nightly run: from the warehouse to a new current release.
import type { DuckDBConnection } from "@duckdb/node-api";
import { buildParts } from "./build.ts";
import { openDatabase } from "./database.ts";
import { checkReadable } from "./diagnosis.ts";
import { isMadeFrom, type Manifest, schemaVersion, writeManifest } from "./manifest.ts";
import type { Progress } from "./progress.ts";
import * as release from "./release.ts";
import { type Report, writeReport } from "./report.ts";
import type { SyncSettings } from "./settings.ts";
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

/**
 * Makes a release of the warehouse and names it current. Does nothing when the current one was made from the same files.
 * @throws InputError when the warehouse or the settings are at fault; the current release then stays as it is
 */
export async function sync(settings: SyncSettings, context: SyncContext): Promise<SyncResult> {
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
    return await makeRelease(connection, warehouse, settings, context);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function makeRelease(
  connection: DuckDBConnection,
  warehouse: Warehouse,
  settings: SyncSettings,
  context: SyncContext,
): Promise<SyncResult> {
  const start = context.clock();
  const id = await release.freeReleaseId(settings.data, start);
  const folder = await release.openBuild(settings.data);
  const buildSettings = {
    threads: settings.threads,
    nextYear: start.getUTCFullYear() + 1,
    site: context.site,
  };
  const built = await buildParts(connection, warehouse, folder, buildSettings, context.progress).catch(
    async (error: unknown) => {
      await checkReadable(connection, warehouse);
      throw error;
    },
  );
  await checkUnchanged(warehouse);
  const manifest: Manifest = {
    schema_version: schemaVersion,
    release: id,
    synced_at: release.releaseMoment(id),
    sources: warehouse.files,
    totals: built.totals,
    pages: built.pages,
    parts: built.parts,
  };
  const seconds = (context.clock().getTime() - start.getTime()) / 1000;
  const report = await writeReport(folder, id, warehouse, built, context.progress.steps, seconds);
  await writeManifest(folder, manifest);
  await release.placeRelease(settings.data, id);
  await release.activateRelease(settings.data, id);
  await release.pruneReleases(settings.data, settings.keep);
  return { isNew: true, release: id, manifest, report };
}
