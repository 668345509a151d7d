// Owns where the warehouse's Parquet files are: the reading of a path, a folder or a glob.
import { readdir, realpath, stat } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import pLimit from "p-limit";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { hasLiteralPath } from "../database.ts";
import { InputError } from "../failure.ts";

/** Files looked at together: enough to hide a network disk's delay, far below the usual 1,024 open files. */
export const filesAtOnce = 32;
/** Paths that one message names before it counts the others. */
const pathsInMessage = 5;

/** Returns up to five paths, quoted, and the number of the others, e.g., `"a", "b" and 12 more`. */
export function formatPaths(paths: readonly string[]): string {
  const named = paths.slice(0, pathsInMessage).map((path) => `"${path}"`);
  const others = paths.length - named.length;
  return `${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

/**
 * Returns the absolute paths of the warehouse's files, sorted by code unit, each file once.
 *
 * `source` is one file (whatever its ending), a folder (every `*.parquet` below it) or a glob of `*`, `?`, `**` and
 * `[…]`, whose matches are files or such folders. What exists under that very name is never read as a glob. Names that
 * begin with `_` or `.` are passed over below a folder, and by a glob unless its own segment begins so. Links are
 * followed. Throws InputError where there is nothing to read.
 */
export async function findFiles(source: string): Promise<string[]> {
  if (source.trim() === "") {
    throw new InputError('WAREHOUSE is "": a Parquet file, a folder or a glob was expected');
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
  if (found.size === 0) {
    throw new InputError(`WAREHOUSE "${source}": no Parquet files (*.parquet) in ${formatPaths(tops)}`);
  }
  const files = await dropRepeats([...found].sort());
  checkReadable(source, files);
  return files;
}

/** The file or folder that the source names, or what it matches as a glob below the longest part that exists. */
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
      ? " (addresses are not read: copy the files here)"
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

/** A glob's segment as a pattern for one name: `*` any text, `?` one character, `[a-c]`, `[!a-c]` one of (not of) these. */
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
    throw new InputError(`WAREHOUSE: "${segment}" is not a glob (a range such as [a-z] was expected)`, {
      cause,
    });
  }
}

/** The folder and every folder below it that is not hidden, each once however many links lead to it. */
async function findFolders(top: string): Promise<string[]> {
  const folders = new Map([[await realpath(top).catch(rethrowNamed(top)), top]]);
  // A map's iteration goes on to what is added meanwhile.
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

/** A link beside the file it leads to (`latest.parquet`) would deliver every row twice. */
async function dropRepeats(paths: readonly string[]): Promise<string[]> {
  // What leads nowhere is kept under its own name: reading it says what is wrong with it.
  const reals = await pLimit(filesAtOnce).map(paths, (path) => realpath(path).catch(() => path));
  const firsts = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const real = reals[index] ?? path;
    if (!firsts.has(real)) firsts.set(real, path);
  }
  return [...firsts.values()];
}

function checkReadable(source: string, paths: readonly string[]): void {
  const unreadable = paths.filter((path) => !hasLiteralPath(path));
  if (unreadable.length > 0) {
    const names = formatPaths(unreadable);
    throw new InputError(
      `WAREHOUSE "${source}": rename ${names}: a path with "\\" and one of * ? [ cannot be read`,
    );
  }
}

function isHidden(name: string): boolean {
  return name.startsWith(".") || name.startsWith("_");
}

/** False also for what cannot be looked at; reading it says why. */
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
  ["ENOENT", "it is not there, or is a link to nothing"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ELOOP", "it is a link that leads back to itself"],
]);

/** Returns what throws the file system's refusal as an InputError that names the path; anything else as it is. */
export function rethrowNamed(path: string): (error: unknown) => never {
  return (error) => {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new InputError(`"${path}" cannot be read: ${reasons.get(code) ?? code}`, { cause: error });
  };
}
