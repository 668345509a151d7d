// Verifies a release from disk: a kept one by all its files, one just built or pulled by its contents alone.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSettings } from "../base/database.ts";
import { InputError, throwDamaged } from "../base/failure.ts";
import { listIfPresent } from "../base/files.ts";
import type { Progress } from "../base/progress.ts";
import { releaseFolder } from "../releases/folders.ts";
import { readManifest, schemaVersion } from "../releases/manifest.ts";
import { findContentProblems } from "./content.ts";
import { findFileProblems } from "./files.ts";

/** A release of a data folder, and the bounds of its verification. */
export type KeptRelease = {
  readonly data: string;
  readonly id: string;
  /** DuckDB's bound on its buffers, e.g., "4GB". */
  readonly memory: string;
  readonly threads: number;
};

/**
 * Verifies a kept release outside a sync: for `make verify` and before a rollback.
 * @throws InputError if there is no such release, DamagedError that names every problem of it
 */
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

/** Milliseconds after which a folder counts as left by a killed verification; none takes that long. */
const abandonedAfter = 24 * 60 * 60 * 1000;

/** Removes the folders of killed verifications: those that are much older than this one's. */
async function removeAbandonedSpills(data: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own);
  for (const name of await listIfPresent(data)) {
    if (!name.startsWith(spillPrefix)) continue;
    const folder = join(data, name);
    const found = await stat(folder).catch(() => undefined); // another verification has just removed it
    if (found !== undefined && now - found.mtimeMs >= abandonedAfter)
      await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Reads a whole release again: its files, and if all are intact, their contents.
 * @param folder the release's folder
 * @param bounds memory and threads to use, and the folder to spill into
 * @param onProgress receives the number of pages done
 * @throws DamagedError that names every problem; InputError if the release has the layout of another version
 */
export async function checkRelease(
  folder: string,
  bounds: DatabaseSettings,
  onProgress: (pages: number) => void,
): Promise<void> {
  const manifest = await readManifest(folder);
  if (manifest.schema_version !== schemaVersion)
    throw new InputError(
      `release ${folder} was made by another version, which can verify it: schema_version is ${manifest.schema_version}, expected ${schemaVersion}`,
    );
  const damages = await findFileProblems(folder, manifest, bounds.threads, onProgress);
  report(folder, damages.length > 0 ? damages : await findContentProblems(folder, manifest, bounds, true));
}

/**
 * Verifies a release that this process has just built or pulled: its contents must agree. Each of its files has just been made,
 * downloaded, or linked and compared in its turn, so none is compared again. Of large releases, some records and matches are read, in turn.
 * @throws DamagedError that names every problem
 */
export async function checkBuiltRelease(folder: string, bounds: DatabaseSettings): Promise<void> {
  const manifest = await readManifest(folder);
  report(folder, await findContentProblems(folder, manifest, bounds, false));
}

/** Throws a DamagedError if there are problems. */
function report(folder: string, problems: readonly string[]): void {
  throwDamaged(`release ${folder} does not match its manifest`, problems);
}
