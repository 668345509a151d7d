// Owns the folder that all files of tests of a run share.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    sharedFolder: string;
  }
}

/** Makes the folder before the first file of tests; what is returned removes it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "shared-"));
  project.provide("sharedFolder", folder);
  return () => rm(folder, { recursive: true, force: true });
}
