// Finds the warehouse's Parquet files: a file, a folder or a glob.
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { hasLiteralPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { isGrantsFile } from "../base/files.ts";
import { filesAtOnce, findFolders, findPaths, isHidden, readFolder, rethrowNamed } from "../base/paths.ts";

/** Paths named in one message; the others are counted. */
const maxPathsShown = 5;

/** Formats up to five paths, quoted, and the number of the others, e.g., `"a", "b" and 12 more`. */
export function formatPaths(paths: readonly string[]): string {
  const named = paths.slice(0, maxPathsShown).map((path) => `"${path}"`);
  const others = paths.length - named.length;
  return `${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

/**
 * Returns the absolute paths of the warehouse's files, sorted by code unit, each file once.
 *
 * `source` is one file of any name, a folder (all `*.parquet` files below it) or a glob of `*`, `?`, `**` and `[…]` that matches files
 * or such folders. A path that exists is never read as a glob. Names that start with `_` or `.` are skipped below a folder, and in a
 * glob unless its segment starts with the same character. `organizations.parquet` and `finances.parquet` are skipped everywhere. Links are followed.
 * @param except files that are not part of the warehouse, whether or not they exist
 * @throws InputError if there is nothing to read
 */
export async function findFiles(source: string, except: readonly string[] = []): Promise<string[]> {
  if (source.trim() === "") {
    throw new InputError('WAREHOUSE must name a Parquet file, a folder or a glob, got ""');
  }
  const tops = await findPaths("WAREHOUSE", source);
  const found = new Set<string>();
  for (const top of tops) {
    if (!(await stat(top).catch(rethrowNamed(top))).isDirectory()) {
      found.add(top);
      continue;
    }
    for (const folder of await findFolders(top)) {
      for (const { name, isFolder } of await readFolder(folder)) {
        if (!isFolder && !isHidden(name) && name.toLowerCase().endsWith(".parquet")) {
          found.add(join(folder, name));
        }
      }
    }
  }
  const files = await dropRepeats([...found].filter(isGrantsFile).sort(), except);
  if (files.length === 0) {
    throw new InputError(`WAREHOUSE "${source}": no Parquet files (*.parquet) in ${formatPaths(tops)}`);
  }
  checkLiteralPaths(source, files);
  return files;
}

/**
 * Keeps one path per file: with a link such as `latest.parquet` beside its target, every row would be read twice. Drops the
 * files of `except`, too.
 */
async function dropRepeats(paths: readonly string[], except: readonly string[]): Promise<string[]> {
  // A dangling link is kept: reading it reports what is wrong.
  const reals = await pLimit(filesAtOnce).map(paths, (path) => realpath(path).catch(() => path));
  const excepted = await Promise.all(except.map((path) => realpath(path).catch(() => path)));
  const pathsByTarget = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const real = reals[index] ?? path;
    if (!excepted.includes(real) && !pathsByTarget.has(real)) pathsByTarget.set(real, path);
  }
  return [...pathsByTarget.values()];
}

/** @throws InputError that names the paths that DuckDB would read as a glob */
function checkLiteralPaths(source: string, paths: readonly string[]): void {
  const unreadable = paths.filter((path) => !hasLiteralPath(path));
  if (unreadable.length > 0) {
    const names = formatPaths(unreadable);
    throw new InputError(
      `WAREHOUSE "${source}": ${names} cannot be read, because the path contains both "\\" and one of * ? [; rename it`,
    );
  }
}
