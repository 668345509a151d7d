// Finds the files that FROM names, and checks that each is a zip or XML.
import { open, realpath, stat } from "node:fs/promises";
import pLimit from "p-limit";
import { InputError, throwDamaged } from "../base/failure.ts";
import { filesAtOnce, findFilesBelow, findListedPaths, rethrowNamed } from "../base/paths.ts";
import { describeOther, hasReturn, startBytes } from "./document.ts";
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
  const tops = await findListedPaths("FROM", from, isSkipped);
  const found = await findFilesBelow(tops, /\.(zip|xml)$/i, isSkipped);
  if (found.length === 0) throw new InputError(`FROM "${from}": no zip or XML file (*.zip, *.xml) there`);
  const reals = await pLimit(filesAtOnce).map(found, (path) => realpath(path).catch(rethrowNamed(path)));
  return [...new Set(reals)];
}

/** True for names that a folder or a glob leaves out: hidden files, and what macOS adds to unpacked zips. */
const isSkipped = (name: string) => name.startsWith(".") || name === "__MACOSX";

async function readState(path: string): Promise<FileState> {
  const found = await stat(path).catch(rethrowNamed(path));
  if (!found.isFile()) throw new InputError(`"${path}" is not a regular file`);
  return { path, bytes: found.size, modifiedMs: found.mtimeMs, changedMs: found.ctimeMs };
}

/** A zip starts with its first member; an empty one with its directory's end. */
const zipStarts = ["PK\x03\x04", "PK\x05\x06"];

/** True for a path whose name says that it is a zip. */
export const isNamedZip = (path: string) => /\.zip$/i.test(path);

/**
 * Whether the file is a zip; false for XML. A file whose name ends with .xml may have anything: reading it shows what is wrong.
 * @throws InputError if it is neither, or a zip without a readable directory
 */
async function inspect({ path }: FileState): Promise<boolean> {
  const start = await readStart(path);
  const startsAsZip = zipStarts.some((signature) => start.startsWith(signature));
  const [isReturn, other] = [hasReturn(start), describeOther(start)];
  if (startsAsZip || isNamedZip(path)) {
    try {
      openZip(path).close(); // whatever it starts with: bytes may precede a zip
      return true;
    } catch (error) {
      if (startsAsZip || (!isReturn && other === undefined)) throw error;
    }
  }
  if (isReturn || /\.xml$/i.test(path)) return false;
  throw new InputError(`"${path}" is ${other ?? "damaged"}, not a zip or an XML file of a return`);
}

/** The start of a file, in which the root of a return stands. */
async function readStart(path: string): Promise<string> {
  const file = await open(path, "r").catch(rethrowNamed(path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
