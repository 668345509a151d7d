// Removes the releases that are no longer kept.
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { parts, releasesFolder } from "../../api-static/release/layout.ts";
import { findCurrentId, findManifest } from "./current.ts";
import { listReleases, releaseFolder } from "./folders.ts";

/** Ending of a release's folder that retention has put out of sight: nobody finds it any more, who has it open goes on. */
const prunedEnding = ".pruned";

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
