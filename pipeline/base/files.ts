// Lists, makes, replaces and flushes files and folders, in the cases that `node:fs` alone does not handle safely.
import { copyFileSync, linkSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "./failure.ts";

/** The result of work on a file or folder; undefined if there is none at its path. */
export function ifPresent<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown): undefined => {
    if (!isAbsence(error)) throw error;
  });
}

/** Names in a folder; an empty list if it does not exist. */
export async function listIfPresent(folder: string): Promise<string[]> {
  return (await ifPresent(readdir(folder))) ?? [];
}

/**
 * Relative paths of the files and the empty folders below a folder, sorted; an empty list if it does not exist.
 * @param except names directly in the folder that are omitted
 */
export async function listTree(folder: string, except: readonly string[] = []): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await listIfPresent(folder)) {
    if (except.includes(name)) continue;
    const below = await listTree(join(folder, name));
    if (below.length === 0) paths.push(name);
    for (const path of below) paths.push(join(name, path));
  }
  return paths.sort();
}

/** Returns once a file's content, or a folder's list of names, is on the disk. */
export async function flushPath(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes a folder and everything below it, one file at a time. */
export async function flushTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await flushPath(join(entry.parentPath, entry.name));
  await flushPath(folder);
}

/** Replaces a file in one step: readers see the old text or the new text, never a part, even after a power cut. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.next`; // always the same name, so that a run replaces what a killed run left
  try {
    await writeFile(draft, text, { flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {}); // the first error says more
    throw error;
  }
  await flushPath(dirname(path));
}

/** Makes a folder and its parents. (The recursive `mkdir` of Node.js never returns if /proc refuses a folder.) */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, mode);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, mode).catch((again: unknown) => {
      if (systemCode(again) !== "EEXIST") throw again; // another process made it meanwhile
    });
  }
}

/** The errors of file systems without hard links (FAT, some network shares), or with no more links to that file. */
const noLinkCodes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK"]);

/**
 * Makes `to` a hard link to `from`, or a copy if the file system refuses links.
 * @param link for tests, which have no such file system
 * @throws a system error if there is no such file, or neither can be made
 */
export function linkOrCopy(from: string, to: string, link = linkSync): void {
  try {
    link(from, to);
  } catch (error) {
    if (!noLinkCodes.has(systemCode(error) ?? "")) throw error;
    copyFileSync(from, to);
  }
}

/** The name of a file of grants in a warehouse that an import or a sample writes, e.g., "grants-0013.parquet". */
export function grantsFileName(index: number): string {
  return `grants-${String(index).padStart(4, "0")}.parquet`;
}

/** The file in a warehouse's folder that gives names to EINs. */
export const organizationsFileName = "organizations.parquet";

/** The file in a warehouse's folder with each organization's revenue, expenses and assets by year. */
export const financesFileName = "finances.parquet";

/** False for the files of a warehouse that describe organizations: wherever they are, a sync never reads them as grants. */
export function isGrantsFile(path: string): boolean {
  return ![organizationsFileName, financesFileName].includes(basename(path));
}

/** Files that an import or a sample leaves in the folder of a warehouse. */
const warehouseFile = /^(grants-\d{4}|organizations|finances)\.parquet(\.tmp)?$/;

/**
 * Creates the folder of a warehouse if it does not exist. Returns the names of its files of grants.
 * @throws InputError if it is no folder, or has files that neither an import nor a sample wrote
 */
export async function readWarehouseFolder(folder: string): Promise<string[]> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) await mkdir(folder, { recursive: true });
  else if (!found.isDirectory()) throw new InputError(`OUT must be a folder, got the file "${folder}"`);
  const names = await readdir(folder);
  const foreign = names.find((name) => !warehouseFile.test(name));
  if (foreign === undefined) return names.filter((name) => isGrantsFile(name.replace(/\.tmp$/, "")));
  throw new InputError(
    `OUT must be a new or empty folder, or one with an earlier import or sample; "${folder}" contains "${foreign}"`,
  );
}
