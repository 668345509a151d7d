// Holds the lock that allows only one sync or rollback at a time in a data folder.
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { LockedError } from "../failure.ts";

const lockName = "sync.lock";

/**
 * Runs work while holding the data folder's lock. It is the operating system's lock on a database file that DuckDB has
 * open for writing: it ends with its process, however that ends, and never before.
 * @throws LockedError that names the process holding the lock
 */
export async function withLock<Result>(data: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(data, lockName);
  const instance = await openLock(data, path).catch(async (error: unknown) => {
    if (error instanceof LockedError) throw error;
    await repairLockFile(path); // a crash may leave an incomplete file
    return openLock(data, path);
  });
  try {
    return await work();
  } finally {
    instance.closeSync();
  }
}

async function openLock(data: string, path: string): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, { threads: "1", memory_limit: "100MB" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/could not set lock/i.test(message)) throw error;
    const [, holder = "another process"] = /\((PID \d+)\)/.exec(message) ?? [];
    throw new LockedError(`DATA "${data}": another sync is running (${holder}); wait until it ends`, {
      cause: error,
    });
  }
}

/** Writes an empty database into the lock file. It stays the same file, so that a process that holds it keeps the lock. */
async function repairLockFile(path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sync-lock-"));
  try {
    const draft = join(folder, lockName);
    (await DuckDBInstance.create(draft, { threads: "1" })).closeSync();
    await copyFile(draft, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
