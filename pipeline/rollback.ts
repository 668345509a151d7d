// Makes an earlier release current again.

import type { Progress } from "./progress.ts";
import { activateRelease } from "./releases/current.ts";
import { releaseFolder } from "./releases/folders.ts";
import { withLock } from "./releases/lock.ts";
import { readManifest } from "./releases/manifest.ts";
import { checkRelease } from "./verify/verify.ts";

/**
 * Names an earlier release current, once it has been verified.
 * @throws InputError when it is not what was sealed, LockedError while a sync is at work; the current release then stays
 */
export async function rollback(data: string, id: string, threads: number, progress: Progress): Promise<void> {
  await withLock(data, async () => {
    const folder = releaseFolder(data, id);
    const { pages } = await readManifest(folder);
    await progress.run("verify", pages.files, "pages", (reach) => checkRelease(folder, threads, reach));
    await activateRelease(data, id);
  });
}
