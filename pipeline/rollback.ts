// Makes an earlier release current again, and lists what a CDN should purge.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "./base/lock.ts";
import type { Progress } from "./base/progress.ts";
import { extendChain } from "./releases/changes/chain.ts";
import { writeEntry } from "./releases/changes/entry.ts";
import { compareReleases, formatDifference } from "./releases/comparison.ts";
import { activateRelease, findCurrentId, inspectManifest } from "./releases/current.ts";
import { freeReleaseId, releaseFolder, removeBuild } from "./releases/folders.ts";
import { readManifest } from "./releases/manifest.ts";
import { recordRollback } from "./releases/rollbacks.ts";
import { findTables, readTables } from "./releases/tables.ts";
import { type KeptRelease, verifyKeptRelease } from "./verify/verify.ts";

/** What a rollback needs from outside. */
export type RollbackContext = { readonly progress: Progress; readonly clock: () => Date };

/**
 * Verifies an earlier release and makes it current. Returns where the changes are listed; undefined if it already was
 * current.
 * @throws InputError if it does not match its manifest, LockedError if a sync, pull or another rollback is running; `current` then does not change
 */
export async function rollback(
  release: KeptRelease,
  { progress, clock }: RollbackContext,
): Promise<string | undefined> {
  const { data, id } = release;
  return withLock(data, async () => {
    await extendChain(data, clock); // of a run that was killed
    await verifyKeptRelease(release, progress);
    const from = await findCurrentId(data);
    if (from === id) return undefined;
    const before = from === undefined ? undefined : await findTables(releaseFolder(data, from));
    const after = await readTables(releaseFolder(data, id));
    const difference = compareReleases(after, before);
    const changes = join(data, "rollback-changes.json");
    await writeFile(changes, formatDifference(difference));
    if (from !== undefined) {
      const state = await inspectManifest(releaseFolder(data, from));
      const made_from = state.name === "sealed" ? state.manifest.made_from : null;
      // Recorded first: a sync must not bring the release back even if this process is killed in between.
      await recordRollback(data, { from, to: id, moment: await freeReleaseId(data, clock()), made_from });
    }
    const folder = releaseFolder(data, id);
    await writeEntry(
      { data, from, folder, manifest: await readManifest(folder) },
      { bounds: release, progress, clock },
    ).finally(() => removeBuild(data));
    await activateRelease(data, id);
    await extendChain(data, clock);
    return changes;
  });
}
