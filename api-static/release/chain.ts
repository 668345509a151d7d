// Reads the index of the changes between releases from a data folder.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChangesEntry, type ChangesIndex, changesIndexName } from "../contract/changes.ts";
import { chainFolder, releaseIdPattern } from "./layout.ts";

/** Where a file of changes is in a data folder. */
export function chainPath(data: string, name: string): string {
  return join(data, chainFolder, name);
}

/** The index of a data folder; undefined if it has none, or it is damaged. */
export async function readChain(data: string): Promise<ChangesIndex | undefined> {
  const text = await readFile(chainPath(data, changesIndexName), "utf8").catch(() => "");
  return parseChain(text);
}

/** The index that a text has; undefined if it is none. */
export function parseChain(text: string): ChangesIndex | undefined {
  return parse(text, ({ current, entries }: ChangesIndex) => isId(current) && entries.every(isEntry));
}

/** The entry that a text has; undefined if it is none. */
export function parseEntry(text: string): ChangesEntry | undefined {
  return parse(text, isEntry);
}

function parse<Value>(text: string, isValid: (value: Value) => boolean): Value | undefined {
  try {
    const value = JSON.parse(text) as Value;
    return isValid(value) ? value : undefined;
  } catch {
    return undefined; // not JSON, or of another shape
  }
}

function isEntry({ from, to, at, files }: ChangesEntry): boolean {
  const isNamed = (from === null || isId(from)) && isId(to) && !Number.isNaN(Date.parse(at));
  return isNamed && files.every(({ url }) => typeof url === "string");
}

function isId(value: unknown): boolean {
  return typeof value === "string" && releaseIdPattern.test(value);
}
