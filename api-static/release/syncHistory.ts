// Reads the history of syncs, which the pipeline keeps in a data folder's `run.json`.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SyncEntry } from "../contract/syncs.ts";

/** Where the last run of a data folder and the history of syncs are recorded. */
export function runPath(data: string): string {
  return join(data, "run.json");
}

/** The last syncs, newest first; none if they are not known. Nothing but reports depends on them. */
export async function readSyncs(data: string): Promise<readonly SyncEntry[]> {
  try {
    const { syncs } = JSON.parse(await readFile(runPath(data), "utf8")) as { syncs?: readonly SyncEntry[] };
    return Array.isArray(syncs) ? syncs : [];
  } catch {
    return [];
  }
}
