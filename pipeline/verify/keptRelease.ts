// Verifies a kept release outside a sync: for `make verify` and before a rollback.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
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
  // Each verification has a separate folder, because others may run at the same time, even in other containers.
  const spillFolder = await mkdtemp(join(data, spillPrefix));
  try {
    await removeAbandonedSpills(data, spillFolder);
    await progress.run("verify", pages.files, "pages", (onProgress) =>
      checkRelease(folder, { memory, threads, spillFolder }, onProgress),
    );
  } finally {
    await rm(spillFolder, { recursive: true, force: true });
  }
}

const spillPrefix = "verify-spill-";

/** Hours after which a folder counts as left by a killed verification; none takes that long. */
const abandonedHours = 24;

/** Removes the folders of killed verifications: those that are much older than this one's. */
async function removeAbandonedSpills(data: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own);
  for (const name of await listIfPresent(data)) {
    if (!name.startsWith(spillPrefix)) continue;
    const folder = join(data, name);
    const found = await stat(folder).catch(() => undefined); // another verification has just removed it
    if (found === undefined || now - found.mtimeMs < abandonedHours * 60 * 60 * 1000) continue;
    await rm(folder, { recursive: true, force: true });
  }
}
