// Verifies a release from disk: a kept one by all its files, one just built or pulled by its contents alone.
import { join, sep } from "node:path";
import { parts } from "../../api-static/release/layout.ts";
import type { DatabaseSettings } from "../base/database.ts";
import { digestIfPresent } from "../base/digests.ts";
import { InputError, throwDamaged } from "../base/failure.ts";
import { allEnded } from "../base/parallel.ts";
import { listParts, type Manifest, readManifest, schemaVersion } from "../releases/manifest.ts";
import { findContentProblems } from "./content.ts";
import { findPageProblems } from "./pages.ts";

/** Parts that list the page files and their digests. */
const pageTables = [parts.funders, parts.pages, parts.searches, parts.names];

/**
 * Reads a whole release again. Every part and every page file must have its digest, and there must be no other file. If all files
 * are intact, their contents must agree.
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
  checkVersion(folder, manifest);
  // A damaged table could list billions of pages, so pages are only checked if the tables are intact.
  const isListed = (await findDamages(folder, manifest, pageTables)).length === 0;
  const found = await allEnded(
    findPartProblems(folder, manifest),
    isListed ? findPageProblems(folder, bounds.threads, onProgress) : Promise.resolve([]),
  );
  const damages = found.flat();
  report(folder, damages.length > 0 ? damages : await findContentProblems(folder, manifest, bounds, true));
}

/**
 * Verifies a release that this process has just built or pulled: its contents must agree. Each of its files was compared with its
 * digest a moment ago, when it was made, linked or downloaded, so none is compared again. Of large releases, some records and matches are
 * read, in turn.
 * @throws DamagedError that names every problem
 */
export async function checkBuiltRelease(folder: string, bounds: DatabaseSettings): Promise<void> {
  const manifest = await readManifest(folder);
  report(folder, await findContentProblems(folder, manifest, bounds, false));
}

function checkVersion(folder: string, { schema_version: version }: Manifest): void {
  if (version === schemaVersion) return;
  const expected = `schema_version is ${version}, expected ${schemaVersion}`;
  throw new InputError(`release ${folder} was made by another version, which can verify it: ${expected}`);
}

/** Throws a DamagedError if there are problems. */
function report(folder: string, problems: readonly string[]): void {
  throwDamaged(`release ${folder} does not match its manifest`, problems);
}

/** Files that differ from the manifest, and files that it does not list. */
async function findPartProblems(folder: string, manifest: Manifest): Promise<string[]> {
  const problems = await findDamages(folder, manifest, Object.keys(manifest.parts));
  const known = new Set(Object.keys(manifest.parts).flatMap(listAncestors));
  const unexpected = (await listParts(folder)).filter((path) => manifest.parts[path] === undefined);
  // Only the topmost folder is named if the release has no such folder.
  const topmost = unexpected.map((path) => listAncestors(path).find((above) => !known.has(above)) ?? path);
  for (const path of new Set(topmost)) problems.push(`${path} is not part of the release`);
  return problems;
}

/** A path's folders, topmost first, and the path itself, e.g., ["public", "public/assets", "public/assets/site.css"]. */
function listAncestors(path: string): string[] {
  const names = path.split(sep);
  return names.map((_, index) => names.slice(0, index + 1).join(sep));
}

async function findDamages(folder: string, manifest: Manifest, paths: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    const sealed = manifest.parts[path];
    const found = await digestIfPresent(join(folder, path));
    if (sealed === undefined || found === undefined) problems.push(`${path} is missing`);
    else if (found.bytes !== sealed.bytes)
      problems.push(`${path} has ${found.bytes} bytes, expected ${sealed.bytes}`);
    else if (found.sha256 !== sealed.sha256) problems.push(`${path} has unexpected content`);
  }
  return problems;
}
