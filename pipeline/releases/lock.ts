// Owns the lock that lets one sync at a time into a data folder.
import { copyFile, link, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { pathExists } from "fs-extra/esm";
import { LockedError } from "../failure.ts";
import { flushPath } from "../files.ts";

const lockName = "sync.lock";

/** Milliseconds after which nobody makes the lock's file any more: it takes far less than one. */
const draftAgeMax = 60 * 60 * 1000;

/**
 * Runs work while holding the data folder's lock. The lock is the one that the operating system gives DuckDB on a database
 * file that is open for writing: it ends with the process that holds it, however that ends, and nobody can take it before.
 * @throws LockedError that names the process holding it
 */
export async function withLock<Result>(data: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(data, lockName);
  await makeLockFile(path);
  const instance = await openLock(data, path);
  try {
    await removeDrafts(data);
    return await work();
  } finally {
    instance.closeSync();
  }
}

async function openLock(data: string, path: string, isMended = false): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, { threads: "1", memory_limit: "100MB" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/could not set lock/i.test(message)) {
      if (isMended) throw error;
      await mendLockFile(path);
      return openLock(data, path, true);
    }
    const [, holder = "another process"] = /\((PID \d+)\)/.exec(message) ?? [];
    throw new LockedError(`DATA "${data}": another sync is at work (${holder}); wait for its end`, {
      cause: error,
    });
  }
}

/** Makes the file whole under its name, or not at all: one that a crash left half-made would lock everybody out. */
async function makeLockFile(path: string): Promise<void> {
  if (await pathExists(path)) return;
  const draft = await makeDraft(path);
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a damaged file anew, in its place: who holds it goes on holding it. */
async function mendLockFile(path: string): Promise<void> {
  const draft = await makeDraft(path);
  await copyFile(draft, path);
  await rm(draft, { force: true });
}

/** A file for the lock under another name, on the disk: a power cut must not leave an empty one. */
async function makeDraft(path: string): Promise<string> {
  const draft = `${path}.${process.pid}`;
  await rm(draft, { force: true });
  (await DuckDBInstance.create(draft, { threads: "1" })).closeSync();
  await flushPath(draft);
  return draft;
}

/** Removes drafts of the lock's file that killed processes left: old ones, as a young one may be in use. */
async function removeDrafts(data: string): Promise<void> {
  for (const name of await readdir(data)) {
    if (!/^sync\.lock\.\d+/.test(name)) continue;
    const draft = join(data, name);
    const found = await stat(draft).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > draftAgeMax) await rm(draft, { force: true });
  }
}
