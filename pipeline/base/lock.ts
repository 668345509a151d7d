// Holds the lock that allows only one run at a time in a folder: one sync, pull or rollback, or one import.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { LockedError } from "./failure.ts";

const lockName = "sync.lock";

/** How a message names the folder and the work. */
export type LockNames = { readonly setting: string; readonly work: string };

const dataNames: LockNames = { setting: "DATA", work: "sync, pull or rollback" };

/**
 * Runs work while holding the folder's lock. It is the operating system's lock on a database file that DuckDB has
 * open for writing: it ends with its process, however that ends, and never before.
 * @throws LockedError that names the process holding the lock
 */
export async function withLock<Result>(
  folder: string,
  work: () => Promise<Result>,
  names: LockNames = dataNames,
): Promise<Result> {
  const path = join(folder, lockName);
  const instance = await openLock(folder, path, names).catch(async (error: unknown) => {
    if (error instanceof LockedError) throw error;
    await repairLockFile(path); // a crash may leave an incomplete file
    return openLock(folder, path, names);
  });
  try {
    return await work();
  } finally {
    instance.closeSync();
  }
}

async function openLock(folder: string, path: string, { setting, work }: LockNames): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, { threads: "1", memory_limit: "100MB" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/could not set lock/i.test(message)) throw error;
    const [, holder = "another process"] = /\((PID \d+)\)/.exec(message) ?? [];
    throw new LockedError(
      `${setting} "${folder}": another ${work} is running (${holder}); wait until it ends`,
      {
        cause: error,
      },
    );
  }
}

/** Writes an empty database into the lock file. It stays the same file, so that a process that holds it keeps the lock. */
async function repairLockFile(path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sync-lock-"));
  try {
    const draft = join(folder, lockName);
    (await DuckDBInstance.create(draft, { threads: "1" })).closeSync();
    await writeFile(path, await readFile(draft)); // an error names the lock file, as one of copyFile would not
  } finally {
    await rm(folder, { recursive: true });
  }
}
