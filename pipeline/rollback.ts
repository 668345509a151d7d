// Makes an earlier release current again.

import type { Progress } from "./progress.ts";
import { activateRelease } from "./releases/current.ts";
import { withLock } from "./releases/lock.ts";
import { type KeptRelease, verifyKeptRelease } from "./verify/keptRelease.ts";

/**
 * Names an earlier release current, once it has been verified.
 * @throws InputError when it is not what was sealed, LockedError while a sync is at work; the current release then stays
 */
export async function rollback(release: KeptRelease, progress: Progress): Promise<void> {
  await withLock(release.data, async () => {
    await verifyKeptRelease(release, progress);
    await activateRelease(release.data, release.id);
  });
}
