// Finds the warehouse's Parquet files: a file, a folder or a glob.
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { hasLiteralPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { isGrantsFile, listIfPresent } from "../base/files.ts";
import { filesAtOnce, findFilesBelow, findPaths } from "../base/paths.ts";
import { checkNoTable, markerFolders } from "./tableFormats.ts";

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
 * @throws InputError if there is nothing to read, or if files are part of a table such as Delta Lake
 */
export async function findFiles(source: string, except: readonly string[] = []): Promise<string[]> {
  if (source.trim() === "") {
    throw new InputError('WAREHOUSE must name a Parquet file, a folder or a glob, got ""');
  }
  const tops = await findPaths("WAREHOUSE", source);
  const found = await findFilesBelow(tops, /\.parquet$/i);
  const byTarget = await dropRepeats(found.filter(isGrantsFile).sort(), except);
  const files = [...byTarget.values()];
  if (files.length === 0) {
    throw new InputError(`WAREHOUSE "${source}": no Parquet files (*.parquet) in ${formatPaths(tops)}`);
  }
  checkLiteralPaths(source, files);
  await checkPlainFiles(`WAREHOUSE "${source}"`, [...byTarget].flat());
  return files;
}

/** @throws InputError if a file is part of a table: its folder, or one above, says so */
async function checkPlainFiles(setting: string, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  const markers = [...folders].flatMap((folder) => markerFolders.map((name) => join(folder, name)));
  const found = await pLimit(filesAtOnce).map(markers, async (marker) => {
    const names = await listIfPresent(marker).catch((error: unknown) => {
      if (systemCode(error) === "EACCES") return []; // of somebody else, above the warehouse
      throw error;
    });
    return names.map((name) => join(marker, name));
  });
  checkNoTable(setting, paths, found.flat());
}

/**
 * Keeps one path per file, by its real path: with a link such as `latest.parquet` beside its target, every row would be read twice. Drops the
 * files of `except`, too.
 */
async function dropRepeats(
  paths: readonly string[],
  except: readonly string[],
): Promise<Map<string, string>> {
  // A dangling link is kept: reading it reports what is wrong.
  const reals = await pLimit(filesAtOnce).map(paths, (path) => realpath(path).catch(() => path));
  const excepted = await Promise.all(except.map((path) => realpath(path).catch(() => path)));
  const pathsByTarget = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const real = reals[index] ?? path;
    if (!excepted.includes(real) && !pathsByTarget.has(real)) pathsByTarget.set(real, path);
  }
  return pathsByTarget;
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
