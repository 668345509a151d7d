// Finds the files that FROM names, and checks that each is a zip or XML.
import { open, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { InputError, throwDamaged } from "../base/failure.ts";
import { filesAtOnce, findFolders, findListedPaths, readFolder, rethrowNamed } from "../base/paths.ts";
import { openZip } from "./members.ts";

/**
 * A file as the file system describes it, with times in milliseconds. A repaired file may have the size and the time of
 * modification of the damaged one, but never its time of change.
 */
export type FileState = {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
};

/** A file that FROM names. */
export type Input = FileState & { readonly isZip: boolean };

/**
 * The files that FROM names, in order of path, each once. The directories of zips are intact.
 * @param from one path or glob, or several separated by white space: zips, XML files, and folders with such files
 * @param isKnownZip whether a file that an earlier run read is a zip; undefined for other files, which are inspected
 * @throws InputError if nothing is found, or that names all files that are neither a zip nor XML
 */
export async function findInputs(
  from: string,
  isKnownZip: (state: FileState) => boolean | undefined,
): Promise<Input[]> {
  const problems: string[] = [];
  const inputs: Input[] = [];
  await pLimit(filesAtOnce).map(await findReturns(from), async (path) => {
    try {
      const state = await readState(path);
      inputs.push({ ...state, isZip: isKnownZip(state) ?? (await inspect(state)) });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(error.message);
    }
  });
  throwDamaged("FROM has files that cannot be read; download them again", problems.sort(), InputError);
  return inputs.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The real paths of zips and XML files. */
async function findReturns(from: string): Promise<string[]> {
  if (from.trim() === "") throw new InputError('FROM must name zips, XML files, folders or globs, got ""');
  const found: string[] = [];
  for (const top of await findListedPaths("FROM", from, isSkipped)) {
    const isFolder = (await stat(top).catch(rethrowNamed(top))).isDirectory();
    if (isFolder) for (const path of await listReturns(top)) found.push(path);
    else found.push(top);
  }
  if (found.length === 0) throw new InputError(`FROM "${from}": no zip or XML file (*.zip, *.xml) there`);
  const reals = await pLimit(filesAtOnce).map(found, (path) => realpath(path).catch(rethrowNamed(path)));
  return [...new Set(reals)];
}

/** True for names that a folder or a glob leaves out: hidden files, and what macOS adds to unpacked zips. */
const isSkipped = (name: string) => name.startsWith(".") || name === "__MACOSX";

async function listReturns(top: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of await findFolders(top, isSkipped))
    for (const { name, isFolder } of await readFolder(folder))
      if (!isFolder && !isSkipped(name) && /\.(zip|xml)$/i.test(name)) found.push(join(folder, name));
  return found;
}

async function readState(path: string): Promise<FileState> {
  const found = await stat(path).catch(rethrowNamed(path));
  if (!found.isFile()) throw new InputError(`"${path}" is not a regular file`);
  return { path, bytes: found.size, modifiedMs: found.mtimeMs, changedMs: found.ctimeMs };
}

/** A zip starts with its first member; an empty one with its directory's end. */
const zipStarts = ["PK\x03\x04", "PK\x05\x06"];

/**
 * Whether the file is a zip; false for XML.
 * @throws InputError if it is neither, or a zip without a readable directory
 */
async function inspect({ path }: FileState): Promise<boolean> {
  const start = await readStart(path);
  const isZip = zipStarts.some((signature) => start.startsWith(signature));
  if (isZip) openZip(path).close();
  else if (!/\.xml$/i.test(path) && !start.replaceAll("\0", "").includes("<?xml"))
    throw new InputError(`"${path}" is ${describeStart(start)}, not a zip or an XML file`);
  return isZip;
}

async function readStart(path: string): Promise<string> {
  const file = await open(path, "r").catch(rethrowNamed(path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(200), 0, 200, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function describeStart(start: string): string {
  if (start === "") return "empty";
  return /^\s*<(!doctype html|html)/i.test(start) ? "a web page" : "damaged";
}
