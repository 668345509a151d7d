// Finds the warehouse's Parquet files: a file, a folder or a glob.
//
// Globs are not expanded by `fs.promises.glob`: it skips folders that cannot be read without an error, so that a release would lack
// their grants, and it expands braces, which may be part of a name.
import { readdir, realpath, stat } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import pLimit from "p-limit";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { hasLiteralPath } from "../database.ts";
import { InputError } from "../failure.ts";

/** Files read in parallel: enough to hide the delay of a network disk, far below the usual limit of 1,024 open files. */
export const filesAtOnce = 32;
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
 * glob unless its segment starts with the same character. Links are followed.
 * @param except files that are not part of the warehouse, whether or not they exist
 * @throws InputError if there is nothing to read
 */
export async function findFiles(source: string, except: readonly string[] = []): Promise<string[]> {
  if (source.trim() === "") {
    throw new InputError('WAREHOUSE must name a Parquet file, a folder or a glob, got ""');
  }
  const tops = await findTops(source);
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
  const files = await dropRepeats([...found].sort(), except);
  if (files.length === 0) {
    throw new InputError(`WAREHOUSE "${source}": no Parquet files (*.parquet) in ${formatPaths(tops)}`);
  }
  checkLiteralPaths(source, files);
  return files;
}

/** The file or folder that `source` names. If there is none, the part of the path that does not exist is a glob. */
async function findTops(source: string): Promise<string[]> {
  const absolute = resolve(source);
  let base = parse(absolute).root;
  const segments = absolute.slice(base.length).split(sep).filter(Boolean);
  while (segments[0] !== undefined && (await exists(join(base, segments[0])))) {
    base = join(base, segments[0]);
    segments.shift();
  }
  if (segments.length === 0) return [base];
  if (!/[*?[]/.test(segments.join(sep))) {
    const hint = /^[a-z][a-z0-9+.-]+:\/\//i.test(source)
      ? " (URLs are not supported; copy the files to this machine)"
      : "";
    throw new InputError(`WAREHOUSE "${source}": no such file or folder${hint}`);
  }
  const matches = await expand(base, segments);
  if (matches.length === 0)
    throw new InputError(`WAREHOUSE "${source}": no file or folder matches this glob`);
  return matches;
}

async function expand(folder: string, segments: readonly string[]): Promise<string[]> {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [folder];
  if (segment === "**") {
    const folders = await findFolders(folder);
    return (await Promise.all(folders.map((below) => expand(below, rest)))).flat();
  }
  const pattern = parseSegment(segment);
  const matches = (await readFolder(folder)).filter(
    ({ name, isFolder }) =>
      pattern.test(name) && (!isHidden(name) || name[0] === segment[0]) && (isFolder || rest.length === 0),
  );
  return (await Promise.all(matches.map(({ name }) => expand(join(folder, name), rest)))).flat();
}

/** The pattern of one segment of a glob: `*` is any text, `?` one character, `[a-c]` one of these, `[!a-c]` none of these. */
function parseSegment(segment: string): RegExp {
  const source = segment.replace(
    /\*+|\?|\[([!^]?)(\][^\]]*|[^\]]+)\]|[\\^$.|+(){}[\]/]/g,
    (token, not, characters) => {
      if (token[0] === "*") return ".*";
      if (token === "?") return ".";
      if (characters === undefined) return `\\${token}`;
      return `[${not === "" ? "" : "^"}${String(characters).replace(/[\\[\]^]/g, "\\$&")}]`;
    },
  );
  try {
    return new RegExp(`^${source}$`, "su");
  } catch (cause) {
    throw new InputError(`WAREHOUSE: "${segment}" is not a valid glob; expected a range such as [a-z]`, {
      cause,
    });
  }
}

/** The folder and all folders below it that are not hidden, each of them once, even if several links lead to it. */
async function findFolders(top: string): Promise<string[]> {
  const folders = new Map([[await realpath(top).catch(rethrowNamed(top)), top]]);
  // The loop also visits entries that are added while it runs.
  for (const folder of folders.values()) {
    for (const { name, isFolder } of await readFolder(folder)) {
      if (!isFolder || isHidden(name)) continue;
      const below = join(folder, name);
      const real = await realpath(below).catch(rethrowNamed(below));
      if (!folders.has(real)) folders.set(real, below);
    }
  }
  return [...folders.values()];
}

async function readFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(rethrowNamed(folder));
  const names = entries.map(async (entry) => ({
    name: entry.name,
    isFolder: entry.isSymbolicLink() ? await isFolder(join(folder, entry.name)) : entry.isDirectory(),
  }));
  return (await Promise.all(names)).sort((a, b) => (a.name < b.name ? -1 : 1));
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

function isHidden(name: string): boolean {
  return name.startsWith(".") || name.startsWith("_");
}

/** False also for a path that cannot be read; reading it later reports why. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return false;
    return rethrowNamed(path)(error);
  }
}

const reasons = new Map([
  ["ENOENT", "it does not exist, or is a link to a missing file"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ELOOP", "it is a link to itself"],
]);

/** Returns a function that rethrows an error: a system error as an InputError that names the path, any other error unchanged. */
export function rethrowNamed(path: string): (error: unknown) => never {
  return (error) => {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new InputError(`"${path}" cannot be read: ${reasons.get(code) ?? code}`, { cause: error });
  };
}
