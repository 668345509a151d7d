// Finds the sources in FROM: zips of returns and loose XML files, each with a digest of its content.
import { createHash } from "node:crypto";
import { open, readFile, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { digestFile, digestInThreads } from "../base/digests.ts";
import { InputError } from "../base/failure.ts";
import { replaceFile } from "../base/files.ts";
import { findFolders, findListedPaths, readFolder, rethrowNamed } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";

/** Returns that are read together: one zip, or all loose XML files. */
export type Source = {
  /** For people, e.g., "2023_TEOS_XML_01A.zip". */
  readonly name: string;
  /** SHA-256 of the content in hex; for loose files, of their names and contents. */
  readonly digest: string;
  readonly bytes: number;
  /** The zip, or the loose files in order of name. */
  readonly paths: readonly string[];
  readonly isZip: boolean;
};

/** A file that FROM names. */
type Found = { readonly path: string; readonly bytes: number; readonly modifiedMs: number };

/** Dependencies of finding sources. */
export type SourceContext = { readonly threads: number; readonly progress: Progress };

/**
 * The sources that FROM names, sorted by digest, each content once.
 * @param from one path, or several separated by white space: zips, XML files, folders with such files, globs
 * @param digestsPath file that keeps the digests of zips, so that an unchanged zip is not read again
 * @throws InputError if nothing is found, or a file is neither a zip nor XML
 */
export async function findSources(
  from: string,
  digestsPath: string,
  context: SourceContext,
): Promise<Source[]> {
  const files = await findInputs(from);
  const zips = files.filter(({ isZip }) => isZip);
  const loose = files.filter(({ isZip }) => !isZip).sort(byName);
  const sources = await digestZips(zips, digestsPath, context);
  if (loose.length > 0) sources.push(await digestLoose(loose));
  const byDigest = new Map<string, Source>();
  for (const source of sources.sort((a, b) => compare(a.name, b.name)))
    if (!byDigest.has(source.digest)) byDigest.set(source.digest, source);
  return [...byDigest.values()].sort((a, b) => compare(a.digest, b.digest));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byName = (a: Found, b: Found) => compare(basename(a.path), basename(b.path)) || compare(a.path, b.path);

async function findInputs(from: string): Promise<(Found & { isZip: boolean })[]> {
  if (from.trim() === "") throw new InputError('FROM must name zips, XML files, folders or globs, got ""');
  const paths = new Set<string>();
  for (const top of await findListedPaths("FROM", from, isSkipped)) {
    const isFolder = (await stat(top).catch(rethrowNamed(top))).isDirectory();
    for (const path of isFolder ? await listReturns(top) : [top])
      paths.add(await realpath(path).catch(rethrowNamed(path)));
  }
  if (paths.size === 0) throw new InputError(`FROM "${from}": no zip or XML file (*.zip, *.xml) there`);
  return Promise.all([...paths].sort().map(inspect));
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

/** A zip starts with its first member; an empty one with its directory's end. */
const zipStarts = ["PK\x03\x04", "PK\x05\x06"];

async function inspect(path: string): Promise<Found & { isZip: boolean }> {
  const found = await stat(path).catch(rethrowNamed(path));
  if (!found.isFile()) throw new InputError(`FROM: "${path}" is not a regular file`);
  const file = await open(path, "r").catch(rethrowNamed(path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(200), 0, 200, 0);
    const start = buffer.toString("latin1", 0, bytesRead);
    const isZip = zipStarts.some((signature) => start.startsWith(signature));
    if (!isZip && !/\.xml$/i.test(path) && !start.replaceAll("\0", "").includes("<?xml"))
      throw new InputError(
        `FROM: "${path}" is ${describeStart(start)}, not a zip or an XML file; download it again`,
      );
    return { path, bytes: found.size, modifiedMs: found.mtimeMs, isZip };
  } finally {
    await file.close();
  }
}

function describeStart(start: string): string {
  if (start === "") return "empty";
  return /^\s*<(!doctype html|html)/i.test(start) ? "a web page" : "damaged";
}

type KeptDigest = { readonly bytes: number; readonly modifiedMs: number; readonly digest: string };

async function digestZips(
  zips: readonly Found[],
  digestsPath: string,
  context: SourceContext,
): Promise<Source[]> {
  const kept = await readDigests(digestsPath);
  const isKept = ({ path, bytes, modifiedMs }: Found) =>
    kept[path]?.bytes === bytes && kept[path].modifiedMs === modifiedMs;
  const changed = zips.filter((zip) => !isKept(zip));
  const digests = await digestChanged(changed, context);
  for (const [index, { path, bytes, modifiedMs }] of changed.entries())
    kept[path] = { bytes, modifiedMs, digest: digests[index] as string };
  if (changed.length > 0) await replaceFile(digestsPath, `${JSON.stringify(kept, null, 1)}\n`);
  return zips.map(({ path, bytes }) => {
    const { digest } = kept[path] as KeptDigest;
    return { name: basename(path), digest, bytes, paths: [path], isZip: true };
  });
}

/** Bytes that one thread digests while others start. */
const fewBytes = 100e6;

/** SHA-256 of each file in hex. */
async function digestChanged(
  files: readonly Found[],
  { threads, progress }: SourceContext,
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return progress.run("check", bytes / 1e6, "MB", async (onProgress) => {
    let done = 0;
    const paths = files.map(({ path }) => path);
    const digests = await digestInThreads(paths, bytes < fewBytes ? 0 : threads, (index) => {
      done += files[index]?.bytes ?? 0;
      onProgress(done / 1e6);
    });
    return digests.map(({ sha256 }) => sha256);
  });
}

/** The digests kept by earlier runs; none if their file is damaged, and the zips are read again. */
async function readDigests(path: string): Promise<Record<string, KeptDigest>> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Record<string, KeptDigest>;
  } catch {
    return {};
  }
}

/** The digests of all sources of this run, and of the zips of earlier ones: their parts are kept. */
export async function findKnownDigests(
  digestsPath: string,
  sources: readonly Source[],
): Promise<ReadonlySet<string>> {
  const kept = Object.values(await readDigests(digestsPath));
  return new Set([...kept, ...sources].map(({ digest }) => digest));
}

async function digestLoose(files: readonly Found[]): Promise<Source> {
  const hash = createHash("sha256");
  for (const { path } of files) hash.update(`${basename(path)}\0${(await digestFile(path)).sha256}\n`);
  return {
    name: "loose XML files",
    digest: hash.digest("hex"),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    paths: files.map(({ path }) => path),
    isZip: false,
  };
}
