// Owns what several files of tests begin with: made once in a run, by the first that needs it, and copied by each.
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { inject } from "vitest";

/**
 * Copies what `make` makes of an empty folder; it is made once for each name in a run.
 * @param target a folder that is not there yet
 */
export async function copyMade(
  name: string,
  target: string,
  make: (folder: string) => Promise<unknown>,
): Promise<void> {
  const shared = inject("sharedFolder");
  const made = join(shared, name);
  if (!(await pathExists(made))) {
    const making = await mkdtemp(join(shared, "making-"));
    await make(making);
    await rename(making, made).catch(async (error) => {
      // Another file of tests was quicker: its own is as good.
      if (!(await pathExists(made))) throw error;
      await rm(making, { recursive: true });
    });
  }
  await cp(made, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
