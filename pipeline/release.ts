// Owns the releases of a data folder: their ids, where they are built, which one is current, which are kept.
import { constants } from "node:fs";
import { access, mkdir, readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathExists } from "fs-extra/esm";
import { parts } from "../api-static/layout.ts";
import { InputError } from "./failure.ts";
import type { Manifest } from "./manifest.ts";

const idPattern = /^\d{8}T\d{6}Z$/;

/** The id of a release made at that moment, e.g., "20261120T040000Z"; they sort by time. */
export function formatReleaseId(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** The moment of a release id, e.g., "2026-11-20T04:00:00Z". */
export function releaseMoment(id: string): string {
  return id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
}

export function releaseFolder(data: string, id: string): string {
  return join(data, "releases", id);
}

/** Folder of all that a sync has under way; whatever lies in it when a sync starts is left over. */
export function buildFolder(data: string): string {
  return join(data, "building");
}

/** Folder that DuckDB spills into. */
export function spillFolder(data: string): string {
  return join(buildFolder(data), "spill");
}

/**
 * Makes an empty folder to build a release in and returns it.
 * @throws InputError when the data folder cannot be written
 */
export async function openBuild(data: string): Promise<string> {
  const folder = join(buildFolder(data), "release");
  try {
    await mkdir(join(data, "releases"), { recursive: true });
    await access(data, constants.W_OK);
    await rm(buildFolder(data), { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new InputError(`DATA "${data}": a folder that can be written was expected (${code})`, {
      cause: error,
    });
  }
  return folder;
}

/** The release that `current` names, with its manifest; undefined when there is none. */
export async function findCurrent(data: string): Promise<{ id: string; manifest: Manifest } | undefined> {
  try {
    const id = (await readlink(join(data, "current"))).split("/").at(-1) ?? "";
    const manifest = JSON.parse(
      await readFile(join(releaseFolder(data, id), parts.manifest), "utf8"),
    ) as Manifest;
    return { id, manifest };
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      (error instanceof Error && "code" in error && error.code === "ENOENT")
    )
      return undefined;
    throw error;
  }
}

/** Moves a finished build among the releases, under an id that is not taken. */
export async function placeRelease(data: string, id: string): Promise<void> {
  await rename(join(buildFolder(data), "release"), releaseFolder(data, id));
  await rm(buildFolder(data), { recursive: true, force: true });
}

/** Names a release current: one rename, so that `current` always names a whole release. */
export async function activateRelease(data: string, id: string): Promise<void> {
  const link = join(data, "current");
  const next = `${link}.next`;
  await rm(next, { force: true });
  await symlink(join("releases", id), next);
  await rename(next, link);
}

/** The id for a release made at that moment; a second later for each one that is taken. */
export async function freeReleaseId(data: string, moment: Date): Promise<string> {
  const taken = new Set(await listReleases(data));
  for (let time = moment.getTime(); ; time += 1000) {
    const id = formatReleaseId(new Date(time));
    if (!taken.has(id)) return id;
  }
}

/** Ids of the releases, oldest first; none where there is no folder yet. */
export async function listReleases(data: string): Promise<string[]> {
  const folder = join(data, "releases");
  const names = (await pathExists(folder)) ? await readdir(folder) : [];
  return names.filter((name) => idPattern.test(name)).sort();
}

/** Removes the oldest releases beyond `keep`, never the current one; returns their ids. */
export async function pruneReleases(data: string, keep: number): Promise<string[]> {
  const current = await findCurrent(data);
  const others = (await listReleases(data)).filter((id) => id !== current?.id);
  const pruned = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const id of pruned) await rm(releaseFolder(data, id), { recursive: true, force: true });
  return pruned;
}
