// Owns the releases of a data folder: their ids, where they are built, which one is current, which are kept.
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import {
  access,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { pathExists } from "fs-extra/esm";
import { parts, releaseIdPattern, releasesFolder } from "../api-static/layout.ts";
import { InputError } from "./failure.ts";
import { isAbsence, listParts, type Manifest, readManifest } from "./manifest.ts";

/** Ending of a release's folder that retention has put out of sight: nobody finds it any more, who has it open goes on. */
const prunedEnding = ".pruned";

/** The id of a release made at that moment, e.g., "20261120T040000Z"; they sort by time. */
export function formatReleaseId(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** The moment of a release id, e.g., "2026-11-20T04:00:00Z". */
export function releaseMoment(id: string): string {
  return id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
}

export function releaseFolder(data: string, id: string): string {
  return join(data, releasesFolder, id);
}

/** Folder of all that a sync has under way; whatever lies in it when a sync starts is left over. */
export function buildFolder(data: string): string {
  return join(data, "building");
}

/** Folder that DuckDB spills into. */
export function spillFolder(data: string): string {
  return join(buildFolder(data), "spill");
}

/** Folder of the last release that the quality gate refused, until the next run. */
export function refusedFolder(data: string): string {
  return join(data, "refused");
}

/**
 * Makes the data folder where it is not there yet.
 * @throws InputError when it cannot be written
 */
export async function makeDataFolder(data: string): Promise<void> {
  try {
    await makeFolder(join(data, releasesFolder));
    await access(data, constants.W_OK);
  } catch (error) {
    const code = systemCode(error) ?? "";
    throw new InputError(`DATA "${data}": a folder that can be written was expected (${code})`, {
      cause: error,
    });
  }
}

/**
 * Looks that no file of the warehouse is one of ours: a folder is read with all below it.
 * @throws InputError that names the first which is
 */
export async function checkOutside(data: string, files: readonly string[]): Promise<void> {
  const root = await realpath(data);
  const own = [join(root, releasesFolder), buildFolder(root), refusedFolder(root)];
  for (const file of files) {
    const path = await realpath(file);
    if (!own.some((folder) => path.startsWith(folder + sep))) continue;
    throw new InputError(
      `WAREHOUSE: "${file}" is part of a release of DATA "${data}"; a folder without releases in it was expected`,
    );
  }
}

/** Makes an empty folder to build a release in and returns it; removes what earlier runs left over. */
export async function openBuild(data: string): Promise<string> {
  const folder = join(buildFolder(data), "release");
  await rm(refusedFolder(data), { recursive: true, force: true });
  await removeBuild(data);
  await makeFolder(folder);
  return folder;
}

/** Removes what a failed run has built, so that a disk it filled is free again. */
export async function removeBuild(data: string): Promise<void> {
  // A helper of a sync that was killed may write into it for a moment longer.
  await rm(buildFolder(data), { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}

/** Puts a build that was refused aside, for people to look at. */
export async function refuseBuild(data: string): Promise<void> {
  await rename(join(buildFolder(data), "release"), refusedFolder(data));
  await removeBuild(data);
}

/**
 * Returns when all that was written to the folder's file system is on the disk. One call for the whole file system takes
 * seconds where one for each of many small files takes minutes; where the system has no such command, the parts are
 * flushed one by one, and pages that a power cut damaged are found by the digests.
 */
export async function flush(folder: string): Promise<void> {
  try {
    await promisify(execFile)("sync", ["-f", folder]);
  } catch {
    for (const path of await listParts(folder)) await flushPath(join(folder, path));
  }
}

/** Returns when one file, or the names in a folder, are on the disk. */
export async function flushPath(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a folder and those above it. (The recursive `mkdir` of Node.js never returns where /proc refuses a folder.) */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder).catch((again: unknown) => {
      if (systemCode(again) !== "EEXIST") throw again; // another process made it meanwhile
    });
  }
}

function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export type FoundRelease = { readonly id: string; readonly manifest: Manifest };

/**
 * The release that `current` names, with its manifest; undefined when there is none that can be read.
 * @throws InputError when `current` is something else than a link
 */
export async function findCurrent(data: string): Promise<FoundRelease | undefined> {
  const id = await findCurrentId(data);
  if (id === undefined) return undefined;
  try {
    const text = await readFile(join(releaseFolder(data, id), parts.manifest), "utf8");
    return { id, manifest: JSON.parse(text) as Manifest };
  } catch (error) {
    if (error instanceof SyntaxError || isAbsence(error)) return undefined;
    throw error;
  }
}

/**
 * The id that `current` names, whatever the release is like; undefined when there is no such link.
 * @throws InputError when `current` is something else than a link
 */
export async function findCurrentId(data: string): Promise<string | undefined> {
  try {
    return (await readlink(join(data, "current"))).split("/").at(-1);
  } catch (error) {
    // A data folder that is no folder has no release either; making one there says what is wrong.
    if (isAbsence(error)) return undefined;
    if (systemCode(error) !== "EINVAL") throw error;
    const rule = "a link to a release was expected, made by an earlier sync";
    throw new InputError(`DATA "${data}": "${join(data, "current")}" is no link; ${rule}`, { cause: error });
  }
}

/** The newest release whose manifest is as it was sealed, current or not; undefined when there is none. */
export async function findNewest(data: string): Promise<FoundRelease | undefined> {
  for (const id of (await listReleases(data)).reverse()) {
    const manifest = await findManifest(data, id);
    if (manifest !== undefined) return { id, manifest };
  }
  return undefined;
}

/** The manifest of a release; undefined when it is not as it was sealed, or cannot be read: one bad disk must not end all. */
export function findManifest(data: string, id: string): Promise<Manifest | undefined> {
  return readManifest(releaseFolder(data, id)).catch(() => undefined);
}

/** Moves a finished build among the releases, under an id that is not taken. */
export async function placeRelease(data: string, id: string): Promise<void> {
  const build = join(buildFolder(data), "release");
  await flushPath(join(build, parts.manifest));
  await flushPath(build);
  await rename(build, releaseFolder(data, id));
  await flushPath(join(data, releasesFolder));
  await removeBuild(data);
}

/** Names a release current: one rename, so that `current` always names a whole release. */
export async function activateRelease(data: string, id: string): Promise<void> {
  const link = join(data, "current");
  const next = `${link}.next`;
  await rm(next, { force: true });
  await symlink(join(releasesFolder, id), next);
  await rename(next, link);
  await flushPath(data);
}

/**
 * The id for a release made at that moment, or a second after the newest one where that is not earlier: an id never
 * names two releases, even when the first is gone, since what is pinned to it is kept for ever.
 */
export async function freeReleaseId(data: string, moment: Date): Promise<string> {
  const newest = (await listReleases(data)).at(-1);
  const next = newest === undefined ? 0 : Date.parse(releaseMoment(newest)) + 1000;
  return formatReleaseId(new Date(Math.max(moment.getTime(), next)));
}

/** Ids of the releases, oldest first; none where there is no folder yet. */
export async function listReleases(data: string): Promise<string[]> {
  const folder = join(data, releasesFolder);
  const names = (await pathExists(folder)) ? await readdir(folder) : [];
  return names.filter((name) => releaseIdPattern.test(name)).sort();
}

/**
 * Removes the oldest releases beyond `keep`, damaged ones first, never the current one; returns their ids. One that a server has open is only
 * put out of sight, so that nobody opens it anew, and is removed by a later sync: whoever asks for it again and again
 * cannot fill the disk.
 */
export async function pruneReleases(data: string, keep: number): Promise<string[]> {
  const current = await findCurrentId(data);
  const [damaged, whole]: [string[], string[]] = [[], []];
  for (const id of await listReleases(data))
    if (id !== current) ((await findManifest(data, id)) === undefined ? damaged : whole).push(id);
  const others = [...damaged, ...whole];
  const pruned = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const id of pruned) await rename(releaseFolder(data, id), releaseFolder(data, id) + prunedEnding);
  const folder = join(data, releasesFolder);
  for (const name of await readdir(folder)) {
    if (!name.endsWith(prunedEnding) || (await isOpen(join(folder, name)))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
  return pruned;
}

/** True while a server answers from the release: DuckDB does not let a file be opened for writing that another reads. */
async function isOpen(folder: string): Promise<boolean> {
  try {
    (await DuckDBInstance.create(join(folder, parts.index), { threads: "1" })).closeSync();
    return false;
  } catch (error) {
    return error instanceof Error && /could not set lock/i.test(error.message);
  }
}
