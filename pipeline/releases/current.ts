// Finds the release that `current` names, and makes a finished build the current release.
import { execFile } from "node:child_process";
import { readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parts, releasesFolder } from "../../api-static/release/layout.ts";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "../failure.ts";
import { flushPath } from "../files.ts";
import { buildFolder, listReleases, releaseFolder, removeBuild } from "./folders.ts";
import { listParts, type Manifest, readManifest } from "./manifest.ts";

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
