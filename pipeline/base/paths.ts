// Finds files and folders by path or glob.
//
// Globs are not expanded by `fs.promises.glob`: it skips folders that cannot be read without an error, so that a release would lack
// their grants, and it expands braces, which may be part of a name.
import { readdir, realpath, stat } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import pLimit from "p-limit";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "./failure.ts";

/** Files read in parallel: enough to hide the delay of a network disk, far below the usual limit of 1,024 open files. */
export const filesAtOnce = 32;

/**
 * The file or folder that `source` names. If there is none, the part of the path that does not exist is a glob. Links are
 * followed.
 * @param setting the name of the setting that `source` comes from, for messages
 * @param isSkipped whether a glob leaves out a name, unless its segment starts with the same character
 * @throws InputError if there is none
 */
export async function findPaths(setting: string, source: string, isSkipped = isHidden): Promise<string[]> {
  const matches = await findMatches(setting, source, isSkipped);
  if (matches === undefined) {
    const hint = /^[a-z][a-z0-9+.-]+:\/\//i.test(source) ? " (of all URLs, only s3:// is supported)" : "";
    throw new InputError(`${setting} "${source}": no such file or folder${hint}`);
  }
  if (matches.length === 0)
    throw new InputError(`${setting} "${source}": no file or folder matches this glob`);
  return matches;
}

/**
 * The files and folders that a list of paths and globs names, separated by white space. If the whole list is one path or glob
 * that exists, white space is part of it. Parameters and errors are those of `findPaths`.
 * @param list not blank
 */
export async function findListedPaths(
  setting: string,
  list: string,
  isSkipped = isHidden,
): Promise<string[]> {
  const whole = await findMatches(setting, list, isSkipped);
  if (whole !== undefined && whole.length > 0) return whole;
  const found: string[] = [];
  for (const word of list.split(/\s+/).filter(Boolean))
    found.push(...(await findPaths(setting, word, isSkipped)));
  return found;
}

/** What `source` names; undefined if it is a path that does not exist, and no glob. */
async function findMatches(
  setting: string,
  source: string,
  isSkipped: typeof isHidden,
): Promise<string[] | undefined> {
  const absolute = resolve(source);
  let base = parse(absolute).root;
  const segments = absolute.slice(base.length).split(sep).filter(Boolean);
  while (segments[0] !== undefined && (await exists(join(base, segments[0])))) {
    base = join(base, segments[0]);
    segments.shift();
  }
  if (segments.length === 0) return [base];
  return /[*?[]/.test(segments.join(sep)) ? expand(setting, base, segments, isSkipped) : undefined;
}

async function expand(
  setting: string,
  folder: string,
  segments: readonly string[],
  isSkipped: typeof isHidden,
): Promise<string[]> {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [folder];
  if (segment === "**") {
    const folders = await findFolders(folder, isSkipped);
    return (await Promise.all(folders.map((below) => expand(setting, below, rest, isSkipped)))).flat();
  }
  const pattern = new RegExp(`^${segmentPattern(setting, segment)}$`, "su");
  const matches = (await readFolder(folder)).filter(
    ({ name, isFolder }) =>
      pattern.test(name) && (!isSkipped(name) || name[0] === segment[0]) && (isFolder || rest.length === 0),
  );
  const below = matches.map(({ name }) => expand(setting, join(folder, name), rest, isSkipped));
  return (await Promise.all(below)).flat();
}

/** The pattern of one segment of a glob: `*` is any text, `?` one character, `[a-c]` one of these, `[!a-c]` none of these. */
export function segmentPattern(setting: string, segment: string): string {
  const source = segment.replace(
    /\*+|\?|\[([!^]?)(\][^\]]*|[^\]]+)\]|[\\^$.|+(){}[\]/]/g,
    (token, not, characters) => {
      if (token[0] === "*") return "[^/]*";
      if (token === "?") return "[^/]";
      if (characters === undefined) return `\\${token}`;
      return `(?!/)[${not === "" ? "" : "^"}${String(characters).replace(/[\\[\]^]/g, "\\$&")}]`;
    },
  );
  try {
    new RegExp(source, "u");
    return source;
  } catch (cause) {
    throw new InputError(`${setting}: "${segment}" is not a valid glob; expected a range such as [a-z]`, {
      cause,
    });
  }
}

/** These paths, and instead of each folder the files below it whose names match and are not skipped. */
export async function findFilesBelow(
  tops: readonly string[],
  names: RegExp,
  isSkipped = isHidden,
): Promise<string[]> {
  const found: string[] = [];
  for (const top of tops) {
    if (!(await stat(top).catch(rethrowNamed(top))).isDirectory()) {
      found.push(top);
      continue;
    }
    for (const folder of await findFolders(top, isSkipped))
      for (const { name, isFolder } of await readFolder(folder))
        if (!isFolder && !isSkipped(name) && names.test(name)) found.push(join(folder, name));
  }
  return found;
}

/** The folder and all folders below it that are not skipped, each of them once, even if several links lead to it. */
async function findFolders(top: string, isSkipped = isHidden): Promise<string[]> {
  const folders = new Map([[await realpath(top).catch(rethrowNamed(top)), top]]);
  // The loop also visits entries that are added while it runs.
  for (const folder of folders.values()) {
    for (const { name, isFolder } of await readFolder(folder)) {
      if (!isFolder || isSkipped(name)) continue;
      const below = join(folder, name);
      const real = await realpath(below).catch(rethrowNamed(below));
      if (!folders.has(real)) folders.set(real, below);
    }
  }
  return [...folders.values()];
}

async function readFolder(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(rethrowNamed(folder));
  const names = await pLimit(filesAtOnce).map(entries, async (entry) => ({
    name: entry.name,
    isFolder: entry.isSymbolicLink() ? await isFolder(join(folder, entry.name)) : entry.isDirectory(),
  }));
  return names.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function isHidden(name: string): boolean {
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
