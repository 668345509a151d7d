// Finds the release that `current` names, and makes a finished build the current release.
import { execFile } from "node:child_process";
import { readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { changesFolder } from "../../api-static/contract/answers/changes.ts";
import { chainFolder, parts, releasesFolder } from "../../api-static/release/layout.ts";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { InputError } from "../base/failure.ts";
import { flushPath, flushTree, makeFolder } from "../base/files.ts";
import { buildFolder, listReleases, releaseFolder } from "./folders.ts";
import { ifIntact, type Manifest, readManifest } from "./manifest.ts";

export type FoundRelease = { readonly id: string; readonly manifest: Manifest };

/** The result of reading a release's manifest; a missing manifest counts as damaged. */
export type ManifestState =
  | { readonly name: "sealed"; readonly manifest: Manifest }
  | { readonly name: "damaged" }
  /** The manifest cannot be read, but the release may be intact. */
  | { readonly name: "unreadable"; readonly code: string };

/**
 * The release that `current` names, with its manifest; undefined if there is none, or its manifest is damaged.
 * @throws InputError if `current` is not a link; a system error if the manifest cannot be read
 */
export async function findCurrent(data: string): Promise<FoundRelease | undefined> {
  const id = await findCurrentId(data);
  if (id === undefined) return undefined;
  const manifest = await ifIntact(readManifest(releaseFolder(data, id)));
  return manifest && { id, manifest };
}

/**
 * The id that `current` names, even if that release is damaged; undefined if there is no such link.
 * @throws InputError if `current` is not a link
 */
export async function findCurrentId(data: string): Promise<string | undefined> {
  try {
    return (await readlink(join(data, "current"))).split("/").at(-1);
  } catch (error) {
    // If the data folder is not a folder there is no release either; making it reports what is wrong.
    if (isAbsence(error)) return undefined;
    if (systemCode(error) !== "EINVAL") throw error;
    const rule = "expected a link to a release, made by an earlier sync";
    throw new InputError(`DATA "${data}": "${join(data, "current")}" is not a link; ${rule}`, {
      cause: error,
    });
  }
}

/** The newest release with an undamaged manifest, current or not; undefined if there is none. */
export async function findNewest(data: string): Promise<FoundRelease | undefined> {
  for (const id of (await listReleases(data)).reverse()) {
    const state = await inspectManifest(releaseFolder(data, id));
    if (state.name === "sealed") return { id, manifest: state.manifest };
  }
  return undefined;
}

/** Reads the manifest of a release's folder without throwing: one bad release must not stop work on the others. */
export async function inspectManifest(folder: string): Promise<ManifestState> {
  try {
    return { name: "sealed", manifest: await readManifest(folder) };
  } catch (error) {
    if (error instanceof InputError) return { name: "damaged" };
    return { name: "unreadable", code: systemCode(error) ?? String(error) };
  }
}

/** Moves a finished build among the releases, under an id that is not taken. */
export async function placeRelease(data: string, id: string): Promise<void> {
  const build = join(buildFolder(data), "release");
  await linkChanges(build);
  await flushPath(join(build, parts.manifest));
  await flushPath(build);
  await rename(build, releaseFolder(data, id));
  await flushPath(join(data, releasesFolder));
}

/** Links the data folder's changes into the public part of a release: they outlive it, and static hosts serve them too. */
async function linkChanges(release: string): Promise<void> {
  const link = join(release, parts.public, changesFolder);
  await makeFolder(dirname(link));
  await symlink(
    relative(dirname(join(releasesFolder, "id", parts.public, changesFolder)), chainFolder),
    link,
  );
  await flushPath(dirname(link));
}

/** Makes a release current by one rename, so that `current` always names a whole release. */
export async function activateRelease(data: string, id: string): Promise<void> {
  const link = join(data, "current");
  const next = `${link}.next`;
  await rm(next, { force: true });
  await symlink(join(releasesFolder, id), next);
  await rename(next, link);
  await flushPath(data);
}

/**
 * Returns once everything written below a folder is on the disk. The `sync` command flushes the whole file system in
 * seconds. Flushing many small files one by one takes minutes, so that is done only if there is no such command.
 */
export async function flush(folder: string): Promise<void> {
  try {
    await promisify(execFile)("sync", ["-f", folder]);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    await flushTree(folder);
  }
}
