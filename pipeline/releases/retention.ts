// Removes the releases that are no longer kept.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { parts, releasesFolder } from "../../api-static/release/layout.ts";
import { isAbsence, systemCode } from "../../api-static/release/systemErrors.ts";
import { ifPresent, listIfPresent } from "../base/files.ts";
import { runInThreads } from "../base/threads.ts";
import { findCurrentId, inspectManifest } from "./current.ts";
import { listReleases, releaseFolder } from "./folders.ts";
import { lastActivated, readRollbacks } from "./rollbacks.ts";

/** Suffix of a pruned release's folder: nobody can open it any more, but a server that has it open continues. */
const prunedEnding = ".pruned";

/**
 * Prunes releases until the current one and `keep - 1` others are left; returns the ids of those pruned. Damaged ones go
 * first, then those that were current longest ago. A release whose manifest cannot be read is kept in addition.
 *
 * A pruned release is only renamed, and `removePruned` removes it. Nobody can open it again, so a client that requests it again and
 * again cannot fill the disk.
 * @param warn receives a line for each release whose manifest or index cannot be read
 */
export async function pruneReleases(
  data: string,
  keep: number,
  warn: (line: string) => void,
): Promise<string[]> {
  const others = await sortByUse(data, warn);
  const pruned = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const id of pruned) await setAside(data, id);
  return pruned;
}

/**
 * Removes pruned releases in a thread, the oldest first: the millions of files of a large release take minutes. One that a server has open
 * stays, and a later call removes it. Several processes may do this at the same time, and any of them may be killed.
 * @param warn receives a line for each release that stays because its index cannot be opened
 */
export async function removePruned(data: string, warn: (line: string) => void): Promise<void> {
  await runInThreads(new URL(import.meta.url), data, 1, warn);
}

/** Removes the pruned releases of a data folder; `runInThreads` calls it. */
export async function* work(data: string): AsyncGenerator<string> {
  const folder = join(data, releasesFolder);
  const warnings: string[] = [];
  for (const name of (await listIfPresent(folder)).sort()) {
    if (!name.endsWith(prunedEnding)) continue;
    const isOpen = await mayBeOpen(join(folder, name), (line) => warnings.push(line));
    yield* warnings.splice(0);
    // Synchronous, which takes less than half the processor time for many small files.
    if (!isOpen) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Renames a release's folder, so that the id is free, for example for an intact release instead of a damaged one. */
export async function setAside(data: string, id: string): Promise<void> {
  const folder = releaseFolder(data, id);
  await ifPresent(rename(folder, `${folder}-${randomUUID()}${prunedEnding}`));
}

/** The releases that may be pruned, in the order in which they are. */
async function sortByUse(data: string, warn: (line: string) => void): Promise<string[]> {
  const current = await findCurrentId(data);
  const rollbacks = await readRollbacks(data);
  const [damaged, intact]: [string[], string[]] = [[], []];
  for (const id of await listReleases(data)) {
    if (id === current) continue;
    const state = await inspectManifest(releaseFolder(data, id));
    if (state.name === "damaged") damaged.push(id);
    else if (state.name === "sealed") intact.push(id);
    else warn(`warning: the manifest of release ${id} cannot be read (${state.code}); the release is kept`);
  }
  const usedAt = new Map(intact.map((id) => [id, lastActivated(rollbacks, id)]));
  intact.sort((a, b) => ((usedAt.get(a) ?? a) < (usedAt.get(b) ?? b) ? -1 : 1));
  return [...damaged, ...intact];
}

/**
 * True if a server has the release open, or if that cannot be determined: a release that is in use must never be removed. DuckDB refuses
 * to open a file for writing while another process reads it.
 */
async function mayBeOpen(folder: string, warn: (line: string) => void): Promise<boolean> {
  const index = join(folder, parts.index);
  try {
    await (await open(index, "r+")).close();
  } catch (error) {
    if (isAbsence(error)) return false;
    warn(`warning: "${folder}" is not removed, because its index cannot be opened (${systemCode(error)})`);
    return true;
  }
  try {
    (await DuckDBInstance.create(index, { threads: "1" })).closeSync();
    return false;
  } catch (error) {
    return error instanceof Error && /could not set lock/i.test(error.message); // any other error is that of a damaged index
  }
}
