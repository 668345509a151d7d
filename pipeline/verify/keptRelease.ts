// Verifies a kept release outside a sync: for `make verify` and before a rollback.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { listIfPresent } from "../base/files.ts";
import type { Progress } from "../base/progress.ts";
import { releaseFolder } from "../releases/folders.ts";
import { readManifest } from "../releases/manifest.ts";
import { checkRelease } from "./verify.ts";

/** A release of a data folder, and the bounds of its verification. */
export type KeptRelease = {
  readonly data: string;
  readonly id: string;
  /** DuckDB's bound on its buffers, e.g., "4GB". */
  readonly memory: string;
  readonly threads: number;
};

/** @throws InputError if there is no such release, DamagedError that names every problem of it */
export async function verifyKeptRelease(
  { data, id, memory, threads }: KeptRelease,
  progress: Progress,
): Promise<void> {
  const folder = releaseFolder(data, id);
  const { pages } = await readManifest(folder);
  await removeAbandonedSpills(data);
  const spillFolder = spillFolderOf(data, process.pid);
  try {
    await progress.run("verify", pages.files, "pages", (onProgress) =>
      checkRelease(folder, { memory, threads, spillFolder }, onProgress),
    );
  } finally {
    await rm(spillFolder, { recursive: true, force: true });
  }
}

/** Each process has a separate folder, because a sync or another verification may run at the same time. */
function spillFolderOf(data: string, pid: number): string {
  return join(data, `verify-${pid}.spill`);
}

/** Removes what killed verifications left behind. */
async function removeAbandonedSpills(data: string): Promise<void> {
  for (const name of await listIfPresent(data)) {
    const pid = /^verify-(\d+)\.spill$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(data, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0); // sends no signal
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}
