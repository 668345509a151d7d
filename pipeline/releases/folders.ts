// Names and makes the folders of a data folder: releases, the build under way, the refused build.
import { constants } from "node:fs";
import { access, realpath, rename, rm } from "node:fs/promises";
import { join, sep } from "node:path";
import { releaseIdPattern, releasesFolder } from "../../api-static/release/layout.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "../failure.ts";
import { listIfPresent, makeFolder } from "../files.ts";

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
  const names = await listIfPresent(join(data, releasesFolder));
  return names.filter((name) => releaseIdPattern.test(name)).sort();
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
