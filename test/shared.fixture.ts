// Makes folders that several test files start from: the first file that needs one makes it, and each gets a copy.
import { cp, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { inject } from "vitest";

/**
 * Copies the folder that `make` fills. `make` runs once per name in a run of the tests.
 * @param target must not exist yet
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
      // Another test file was faster; its folder is the same.
      if (!(await pathExists(made))) throw error;
      await rm(making, { recursive: true });
    });
  }
  await cp(made, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
