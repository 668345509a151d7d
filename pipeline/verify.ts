// Owns the verification of a release by a stranger: everything is read again from the disk alone, and compared.
import { join } from "node:path";
import { parts } from "../api-static/layout.ts";
import { InputError } from "./failure.ts";
import { digestFile, listParts, type Manifest, readManifest } from "./manifest.ts";
import { findContentProblems } from "./verify.content.ts";
import { findPageProblems } from "./verify.pages.ts";

/** Problems that one message names before it counts the others. */
const problemsShown = 20;

/**
 * Reads a whole release again: every file of the manifest with its digest and no file besides; every page file with its
 * digest; then, where all files are what they were, that their contents agree.
 * @param folder the release's folder
 * @param reach told how many pages are done
 * @throws InputError that names every problem
 */
export async function checkRelease(
  folder: string,
  workers: number,
  reach: (pages: number) => void,
): Promise<void> {
  const manifest = await readManifest(folder);
  const problems = await findPartProblems(folder, manifest);
  if (problems.length === 0) problems.push(...(await findPageProblems(folder, workers, reach)));
  if (problems.length === 0) problems.push(...(await findContentProblems(folder, manifest)));
  if (problems.length === 0) return;
  const shown = problems.slice(0, problemsShown);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  throw new InputError(`release ${folder} is not what was sealed:\n  ${shown.join("\n  ")}`);
}

async function findPartProblems(folder: string, manifest: Manifest): Promise<string[]> {
  const present = await listParts(folder);
  const problems: string[] = [];
  for (const [path, sealed] of Object.entries(manifest.parts)) {
    if (!present.includes(path)) {
      problems.push(`${path} is missing`);
      continue;
    }
    const found = await digestFile(join(folder, path));
    if (found.bytes !== sealed.bytes)
      problems.push(`${path} has ${found.bytes} bytes, ${sealed.bytes} were sealed`);
    else if (found.sha256 !== sealed.sha256) problems.push(`${path} has other content than was sealed`);
  }
  for (const path of present) {
    if (manifest.parts[path] === undefined && path !== parts.public)
      problems.push(`${path} is no part of the release`);
  }
  return problems;
}
