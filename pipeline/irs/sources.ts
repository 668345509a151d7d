// Makes the sources of FROM: zips of returns and groups of loose XML files, each with a digest of its content.
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { digestInThreads } from "../base/digests.ts";
import { replaceFile } from "../base/files.ts";
import type { Progress } from "../base/progress.ts";
import { type FileState, findInputs, type Input, isNamedZip } from "./inputs.ts";

/** Returns that are read together: one zip, or a group of loose XML files. */
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

/** Dependencies of finding sources. */
export type SourceContext = { readonly threads: number; readonly progress: Progress };

type Digested = Input & { readonly digest: string };

/** Digests by path, as an earlier run left them. */
type Kept = Readonly<Record<string, Digested>>;

/**
 * The sources that FROM names, sorted by digest, each content once.
 * @param from one path or glob, or several separated by white space: zips, XML files, and folders with such files
 * @param digestsPath file that keeps the digests of files, so that an unchanged file is not read again
 * @throws InputError if nothing is found, or files cannot be read
 */
export async function findSources(
  from: string,
  digestsPath: string,
  context: SourceContext,
): Promise<Source[]> {
  const kept = await readKept(digestsPath);
  const inputs = await findInputs(from, (state) => findKept(kept, state)?.isZip);
  const files = await digestInputs(inputs, kept, context);
  if (files.some((file) => file !== kept[file.path])) await writeKept(digestsPath, kept, files);
  const sources: Source[] = groupLoose(files.filter(({ isZip }) => !isZip));
  for (const { path, bytes, digest, isZip } of files)
    if (isZip) sources.push({ name: basename(path), digest, bytes, paths: [path], isZip });
  const byDigest = new Map<string, Source>();
  for (const source of sources.sort((a, b) => compare(a.name, b.name)))
    if (!byDigest.has(source.digest)) byDigest.set(source.digest, source);
  return [...byDigest.values()].sort((a, b) => compare(a.digest, b.digest));
}

/** The digests of all sources of this run, and of the zips of earlier ones: their parts are kept. */
export async function findKnownDigests(
  digestsPath: string,
  sources: readonly Source[],
): Promise<ReadonlySet<string>> {
  const kept = Object.values(await readKept(digestsPath));
  return new Set([...kept, ...sources].map(({ digest }) => digest));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The digests kept by earlier runs; none if their file is damaged, and the files are read again. */
async function readKept(path: string): Promise<Kept> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Kept;
  } catch {
    return {};
  }
}

/** What an earlier run found out about a file; undefined if it is new or changed. */
function findKept(kept: Kept, { path, bytes, modifiedMs, changedMs }: FileState): Digested | undefined {
  const found = kept[path];
  if (found?.isZip === false && isNamedZip(path)) return undefined; // earlier versions took any XML for a return
  const isSame = found?.bytes === bytes && found.modifiedMs === modifiedMs && found.changedMs === changedMs;
  return isSame ? found : undefined;
}

/** Keeps the digests of these files, and of zips that other runs may name again. */
async function writeKept(digestsPath: string, kept: Kept, files: readonly Digested[]): Promise<void> {
  const zips = Object.entries(kept).filter(([, { isZip }]) => isZip);
  const all = { ...Object.fromEntries(zips), ...Object.fromEntries(files.map((file) => [file.path, file])) };
  await replaceFile(digestsPath, `${JSON.stringify(all, null, 1)}\n`);
}

/** Bytes that one thread digests while others start. */
const fewBytes = 100e6;

/** The inputs with the SHA-256 of each in hex, which is that of an earlier run for unchanged files. */
async function digestInputs(
  inputs: readonly Input[],
  kept: Kept,
  { threads, progress }: SourceContext,
): Promise<Digested[]> {
  const changed = inputs.filter((input) => findKept(kept, input) === undefined);
  const bytes = sumBytes(changed);
  const digests = new Map<string, string>();
  if (changed.length > 0)
    await progress.run("check", bytes / 1e6, "MB", async (onProgress) => {
      let done = 0;
      const paths = changed.map(({ path }) => path);
      const found = await digestInThreads(paths, bytes < fewBytes ? 0 : threads, (index) => {
        done += changed[index]?.bytes ?? 0;
        onProgress(done / 1e6);
      });
      for (const [index, path] of paths.entries()) digests.set(path, found[index]?.sha256 ?? "");
    });
  return inputs.map((input) => {
    const digest = digests.get(input.path);
    return digest === undefined ? (kept[input.path] as Digested) : { ...input, digest };
  });
}

const sumBytes = (files: readonly FileState[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Most files of a group. */
const maxGroupFiles = 1_024;

/**
 * Cuts loose files, in order of name, into sources. Where one ends depends on names alone, 256 files on average, so that a
 * new file changes only its own group.
 */
function groupLoose(files: readonly Digested[]): Source[] {
  const byName = files.map((file) => ({ ...file, name: basename(file.path) }));
  byName.sort((a, b) => compare(a.name, b.name) || compare(a.path, b.path));
  const sources: Source[] = [];
  let group: typeof byName = [];
  for (const [index, file] of byName.entries()) {
    group.push(file);
    const isEnd = hash("sha256", file.name, "buffer")[0] === 0 || group.length === maxGroupFiles;
    if (!isEnd && index < byName.length - 1) continue;
    const text = group.map(({ name, digest }) => `${name}\0${digest}\n`).join("");
    const [digest, paths] = [hash("sha256", text), group.map(({ path }) => path)];
    sources.push({ name: "loose XML files", digest, bytes: sumBytes(group), paths, isZip: false });
    group = [];
  }
  return sources;
}
