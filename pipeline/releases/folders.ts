// Names, makes and clears the folders of a data folder: releases, the build in progress, the refused build.
import { constants } from "node:fs";
import { access, realpath, rename, rm } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { chainFolder, releaseIdPattern, releasesFolder } from "../../api-static/release/layout.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "../base/failure.ts";
import { listIfPresent, makeFolder } from "../base/files.ts";

/** The id of a release made at that moment, e.g., "20261120T040000Z". Ids sort by time. */
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

/**
 * The id for a release made at that moment, or one second after the newest release if that is later. An id never names
 * two releases, even after the first is gone, because caches keep responses pinned to an id forever.
 */
export async function freeReleaseId(data: string, moment: Date): Promise<string> {
  const newest = (await listReleases(data)).at(-1);
  const next = newest === undefined ? 0 : Date.parse(releaseMoment(newest)) + 1000;
  return formatReleaseId(new Date(Math.max(moment.getTime(), next)));
}

/** Ids of the releases, oldest first; none if the folder does not exist yet. */
export async function listReleases(data: string): Promise<string[]> {
  const names = await listIfPresent(join(data, releasesFolder));
  return names.filter((name) => releaseIdPattern.test(name)).sort();
}

/** Folder of everything a sync has in progress. Anything in it when a sync starts was left by a killed one. */
export function buildFolder(data: string): string {
  return join(data, "building");
}

/** Folder that DuckDB spills into. */
export function spillFolder(data: string): string {
  return join(buildFolder(data), "spill");
}

/** File with the tables of everything that a sync has in progress, beside the folder, which is cleared while it is open. */
export function tablesFile(data: string): string {
  return join(data, "building.duckdb");
}

/** Folder of the last build that the quality gate refused, kept until the next build. */
export function refusedFolder(data: string): string {
  return join(data, "refused");
}

/** Folder of the local copy of a warehouse in a bucket: absolute, as the paths of the warehouse's files. */
export function warehouseCache(data: string): string {
  return resolve(data, "warehouse-cache");
}

/**
 * Makes the data folder if it does not exist, closed to other users: it has what people searched.
 * @throws InputError if it cannot be written
 */
export async function makeDataFolder(data: string): Promise<void> {
  try {
    await makeFolder(data, 0o750);
    for (const name of [releasesFolder, chainFolder]) await makeFolder(join(data, name));
    await access(data, constants.W_OK);
  } catch (error) {
    const code = systemCode(error) ?? "";
    throw new InputError(`DATA "${data}" must be a folder that can be written (${code})`, {
      cause: error,
    });
  }
}

/**
 * Checks that no file of the warehouse is part of a release: a warehouse folder is read with everything below it.
 * @throws InputError that names the first such file
 */
export async function checkOutside(data: string, files: readonly string[]): Promise<void> {
  const root = await realpath(data);
  const own = [join(root, releasesFolder), join(root, chainFolder), buildFolder(root), refusedFolder(root)];
  for (const file of files) {
    const path = await realpath(file);
    if (!own.some((folder) => path.startsWith(folder + sep))) continue;
    throw new InputError(
      `WAREHOUSE: "${file}" is part of a release of DATA "${data}"; choose a folder that contains no releases`,
    );
  }
}

/**
 * Makes an empty folder to build a release in and returns it. Removes the refused build and anything that a killed run or a failed
 * attempt left, so that the disk never holds two unfinished releases.
 */
export async function openBuild(data: string): Promise<string> {
  for (const old of [refusedFolder(data), buildFolder(data)]) await removeFolder(old);
  const folder = join(buildFolder(data), "release");
  await makeFolder(folder);
  return folder;
}

/** Moves a refused build to where people can inspect it. */
export async function refuseBuild(data: string): Promise<void> {
  await rename(join(buildFolder(data), "release"), refusedFolder(data));
}

/** Removes the build in progress and its tables, so that the disk has room again. */
export async function removeBuild(data: string): Promise<void> {
  await removeTables(data);
  await removeFolder(buildFolder(data));
}

/** Removes the tables of a sync that is not running. */
export async function removeTables(data: string): Promise<void> {
  for (const path of [tablesFile(data), `${tablesFile(data)}.wal`]) await removeFolder(path);
}

/** Retries, because a thread of a killed sync may go on writing for a moment. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}
