// Reads the index of the changes between releases from a data folder.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChangesIndex, changesIndexName, parseChain } from "../contract/changes.ts";
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
