// Reads the history of syncs from a data folder's `run.json`, which the pipeline writes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SyncEntry } from "../contract/syncs.ts";

export function runPath(data: string): string {
  return join(data, "run.json");
}

/** The last syncs, newest first; none if the file cannot be read, because only reports depend on them. */
export async function readSyncs(data: string): Promise<readonly SyncEntry[]> {
  try {
    const { syncs } = JSON.parse(await readFile(runPath(data), "utf8")) as { syncs?: readonly SyncEntry[] };
    return Array.isArray(syncs) ? syncs : [];
  } catch {
    return [];
  }
}
