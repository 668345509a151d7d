// Reads what a data folder has beside its releases: the index of the changes between them, and the history of syncs.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChangesIndex, changesIndexName, parseChain } from "../contract/answers/changes.ts";
import type { SyncEntry } from "../contract/answers/report.ts";
import { chainFolder } from "./layout.ts";

/** Where a file of changes is in a data folder. */
export function chainPath(data: string, name: string): string {
  return join(data, chainFolder, name);
}

/** The index of a data folder; undefined if it has none, or it is damaged. */
export async function readChain(data: string): Promise<ChangesIndex | undefined> {
  const text = await readFile(chainPath(data, changesIndexName), "utf8").catch(() => "");
  return parseChain(text);
}

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
