// Makes the folder that all test files of a run share.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { checkSite } from "../pipeline/parts/site.ts";

declare module "vitest" {
  interface ProvidedContext {
    sharedFolder: string;
  }
}

/** Makes the folder before the first test file; returns a function that removes it after the last one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await checkSite(fileURLToPath(new URL("../site/dist", import.meta.url))); // every sync of the tests copies it
  const folder = await mkdtemp(join(tmpdir(), "shared-"));
  project.provide("sharedFolder", folder);
  return () => rm(folder, { recursive: true, force: true });
}
