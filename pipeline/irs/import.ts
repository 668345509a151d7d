// Imports the IRS's returns: turns zips into a warehouse, its organizations and a report.
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Database, type DatabaseSettings, openDatabase } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { flushPath, makeFolder, readWarehouseFolder } from "../base/files.ts";
import { withLock } from "../base/lock.ts";
import { findPaths } from "../base/paths.ts";
import { formatCount, type Progress } from "../base/progress.ts";
import { countReturns } from "./counting.ts";
import type { Draft, ReadBlock } from "./draftReader.ts";
import { findListPath, mergeLists, writeEfileList, writeMasterFileList } from "./organizations.ts";
import {
  findMissing,
  importerVersion,
  makeDrafts,
  partFiles,
  partFolder,
  readDrafts,
  removeOldParts,
  writePart,
} from "./parts.ts";
import { collectReport, type ImportReport, returnsName, writeImportReport, writeReturns } from "./report.ts";
import { findSources, type Source } from "./sources.ts";
import { placeFiles, writeGrants } from "./warehouseFiles.ts";

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
 * Reads the returns that are new, decides which count, and writes the warehouse.
 * @throws InputError if FROM or OUT is wrong, or a file of FROM cannot be read; LockedError if another import is running
 */
export async function importReturns(settings: ImportSettings, progress: Progress): Promise<ImportReport> {
  return inWorkFolder(settings, async (database, work) => {
    const { connection } = database;
    const { out, databaseThreads } = settings;
    const previous = await readWarehouseFolder(out);
    const list = await findListPath(connection, out);
    const parts = join(work, "parts");
    const { threads } = settings;
    const sources = await findSources(settings.from, join(work, "digests.json"), { threads, progress });
    await removeOldParts(parts);
    const missing = await findMissing(parts, sources);
    await readSources(connection, missing, { parts, threads, databaseThreads }, progress);
    return finishImport(database, { sources, parts, work, out, previous, list, databaseThreads }, progress);
  });
}

/**
 * Reads the IRS's Business Master File, and merges it into the warehouse's list of organizations.
 * @returns the list's path and its number of organizations
 */
export async function importMasterFile(settings: ImportSettings): Promise<{ path: string; count: number }> {
  return inWorkFolder(settings, async ({ connection }, work) => {
    const words = settings.from.split(/\s+/).filter(Boolean);
    if (words.length === 0) throw new InputError('FROM must name CSV files such as "eo*.csv", got ""');
    const paths: string[] = [];
    for (const word of words) paths.push(...(await findPaths("FROM", word)));
    const path = await findListPath(connection, settings.out);
    await writeMasterFileList(connection, [...new Set(paths)].sort(), work);
    await makeFolder(settings.out);
    const count = await mergeLists(connection, work, path);
    await placeList(path);
    return { count, path };
  });
}

/** Renames a merged list to its final name. */
async function placeList(path: string): Promise<void> {
  await rename(`${path}.tmp`, path);
  await flushPath(dirname(path));
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

type ReadContext = {
  readonly parts: string;
  readonly threads: number;
  readonly databaseThreads: number;
};

/** Makes the parts of sources. The Parquet of a source is written while the next one is read. */
async function readSources(
  connection: DuckDBConnection,
  sources: readonly Source[],
  { parts, threads, databaseThreads }: ReadContext,
  progress: Progress,
): Promise<void> {
  if (sources.length === 0) return;
  const drafts = await makeDrafts(parts, sources);
  await connection.run(`SET threads = ${Math.ceil(databaseThreads / 2)}`); // reading keeps the cores busy
  const megabytes = sources.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  await progress.run("read", megabytes, "MB", async (onProgress) => {
    let writing = Promise.resolve();
    let [hasFailed, left, readBytes, start] = [false, drafts.length, 0, performance.now()];
    const all = drafts.map((): ReadCounts => ({ blocks: 0, returns: 0, xmlBytes: 0 }));
    const finish = (draft: Draft, counts: ReadCounts) => {
      const name = `${draft.source.name} (${drafts.indexOf(draft) + 1} of ${drafts.length})`;
      progress.note(formatRead(name, counts, (performance.now() - start) / 1000));
      start = performance.now();
      left -= 1;
      writing = writing.then(async () => {
        if (left === 0) await connection.run(`SET threads = ${databaseThreads}`);
        await writePart(connection, draft.folder, partFolder(parts, draft.source));
      });
      writing.catch(() => {
        hasFailed = true; // the error is thrown below
      });
    };
    const add = (index: number, { returns, xmlBytes, bytes }: ReadBlock) => {
      const [draft, counts] = [drafts[index] as Draft, all[index] as ReadCounts];
      counts.blocks += 1;
      counts.returns += returns;
      counts.xmlBytes += xmlBytes;
      readBytes += bytes;
      onProgress(readBytes / 1e6);
      if (counts.blocks === draft.blocks) finish(draft, counts);
    };
    for (const [index, draft] of drafts.entries())
      if (draft.blocks === 0) finish(draft, all[index] as ReadCounts);
    try {
      await readDrafts(drafts, threads, (block) => {
        add(block.draft, block);
        return !hasFailed;
      });
    } finally {
      await writing;
    }
  });
}

/** Progress in reading a source. */
type ReadCounts = { blocks: number; returns: number; xmlBytes: number };

function formatRead(name: string, { returns, xmlBytes }: ReadCounts, seconds: number): string {
  const [megabytes, rate] = [xmlBytes / 1e6, xmlBytes / 1e6 / seconds].map(formatCount);
  return `${name}: ${formatCount(returns)} returns, ${megabytes} MB of XML, ${rate} MB/s`;
}

export type FinishedSources = {
  readonly sources: readonly Source[];
  readonly parts: string;
  readonly work: string;
  readonly out: string;
  readonly previous: readonly string[];
  /** Path of the list of organizations. */
  readonly list: string;
  readonly databaseThreads: number;
};

/** Makes the warehouse from the parts. Its files are renamed last, so a run that fails keeps the previous ones. */
export async function finishImport(
  database: Database,
  { sources, parts, work, out, previous, list, databaseThreads }: FinishedSources,
  progress: Progress,
): Promise<ImportReport> {
  const { connection } = database;
  const pathsOf = (file: string) => sources.map((source) => join(partFolder(parts, source), file));
  const returnsPath = join(work, `${returnsName}.tmp`);
  await progress.run("choose", sources.length, "files", async () => {
    await countReturns(connection, pathsOf(partFiles.returns));
    const names = sources.map(({ name }) => name);
    await writeReturns(connection, pathsOf(partFiles.returns), names, returnsPath);
  });
  await writeEfileList(connection, returnsPath, work);
  const organizations = await mergeLists(connection, work, list);
  const report = await collectReport(connection, returnsPath, { importerVersion, sources, organizations });
  if (report.grants === 0)
    throw new InputError("FROM: no return there has grants; the warehouse was not written");
  const grants = { paths: pathsOf(partFiles.grants), folder: out };
  const names = await progress.run("grants", report.grants, "grants", (onProgress) =>
    writeGrants(database, databaseThreads, grants, onProgress),
  );
  await placeFiles(out, names, previous);
  await placeList(list);
  await rename(returnsPath, join(work, returnsName));
  await writeImportReport(report, work);
  return report;
}
