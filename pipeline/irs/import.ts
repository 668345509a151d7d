// Imports the IRS's returns: turns zips into a warehouse, its organizations and a report.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Database, type DatabaseSettings, openDatabase } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { readWarehouseFolder } from "../base/files.ts";
import { withLock } from "../base/lock.ts";
import { findListedPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import { ImportState } from "./importState.ts";
import { addMasterFile } from "./organizations.ts";
import { findMissing, removeOldParts, removeUnusedParts } from "./parts.ts";
import { readSources } from "./reading.ts";
import { type ImportReport, readImportReport } from "./report.ts";
import { finishImport } from "./result.ts";
import { findKnownDigests, findSources } from "./sources.ts";

export type ImportSettings = {
  /** Zips, XML files, folders and globs, separated by white space. */
  readonly from: string;
  /** Folder of the warehouse. */
  readonly out: string;
  /** Memory limit of DuckDB's buffers. */
  readonly memory: string;
  /** Threads that read returns. */
  readonly threads: number;
  /** Threads of DuckDB. */
  readonly databaseThreads: number;
};

const lockNames = { setting: "OUT", work: "import" } as const;

/** The folder beside the warehouse with the parts, the report and the list of returns. */
export function workFolder(out: string): string {
  return `${out.replace(/\/+$/, "")}.irs`;
}

/**
 * Reads the returns that are new, decides which count, and writes the warehouse. If the last import had the same sources and
 * its files are unchanged, nothing is written.
 * @returns the report, and whether this import or the last one made it
 * @throws InputError if FROM or OUT is wrong, or a file of FROM cannot be read; LockedError if another import is running
 */
export async function importReturns(
  settings: ImportSettings,
  progress: Progress,
): Promise<{ report: ImportReport; isNew: boolean }> {
  return inWorkFolder(settings, async (database, work) => {
    const { out, threads, databaseThreads } = settings;
    const previous = await readWarehouseFolder(out);
    const parts = join(work, "parts");
    const digestsPath = join(work, "digests.json");
    const sources = await findSources(settings.from, digestsPath, { threads, progress });
    const state = new ImportState(out, work, sources);
    if (await state.isCurrent()) return { report: await readImportReport(work, out), isNew: false };
    await removeOldParts(parts);
    const missing = await findMissing(parts, sources);
    await readSources(database.connection, missing, { parts, threads, databaseThreads }, progress);
    const report = await finishImport(
      database,
      { sources, parts, work, out, previous, databaseThreads, beforePlacing: () => state.remove() },
      progress,
    );
    await removeUnusedParts(parts, await findKnownDigests(digestsPath, sources));
    await state.write();
    return { report, isNew: true };
  });
}

/**
 * Reads the IRS's Business Master File, and merges it into the warehouse's list of organizations.
 * @returns the list's path and its number of organizations
 */
export async function importMasterFile(
  settings: ImportSettings,
  progress: Progress,
): Promise<{ path: string; count: number }> {
  const { from, out } = settings;
  return inWorkFolder(settings, async ({ connection }, work) => {
    if (from.trim() === "") throw new InputError('FROM must name CSV files such as "eo*.csv", got ""');
    const paths = [...new Set(await findListedPaths("FROM", from))].sort();
    return addMasterFile(connection, paths, { work, out }, progress);
  });
}

/**
 * Like `openDatabase`. DuckDB returns freed memory: otherwise, the threads of Node.js that ran statements keep up to
 * 400 MB.
 */
export async function openImportDatabase(settings: DatabaseSettings): Promise<Database> {
  const database = await openDatabase(settings);
  await database.connection.run("SET allocator_background_threads = true");
  return database;
}

/** Runs work with the folder beside the warehouse, its lock, and a database. */
async function inWorkFolder<Result>(
  { out, memory, databaseThreads: threads }: ImportSettings,
  work: (database: Database, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = workFolder(out);
  await mkdir(folder, { recursive: true });
  return withLock(
    folder,
    async () => {
      const spillFolder = join(folder, "spill");
      await rm(spillFolder, { recursive: true, force: true });
      const database = await openImportDatabase({ memory, threads, spillFolder });
      const { instance, connection } = database;
      try {
        return await work(database, folder);
      } finally {
        connection.closeSync();
        instance.closeSync();
        await rm(spillFolder, { recursive: true, force: true });
      }
    },
    lockNames,
  );
}
