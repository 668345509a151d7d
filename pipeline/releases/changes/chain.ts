// Keeps the index of the changes between releases in step with the release that is current.
import { readFile, rm } from "node:fs/promises";
import {
  type ChangesEntry,
  type ChangesFile,
  type ChangesIndex,
  changesDays,
  changesIndexName,
  parseEntry,
} from "../../../api-static/contract/answers/changes.ts";
import { chainPath, readChain } from "../../../api-static/release/chain.ts";
import { ifPresent, listIfPresent, replaceFile } from "../../base/files.ts";
import { findCurrentId } from "../current.ts";

/** The entry of a release that is about to become current. It joins the index once the release is. */
const pendingName = "pending.json";

/** Records the entry of a release before the release becomes current, so that no kill loses it. */
export async function writePending(data: string, entry: ChangesEntry): Promise<void> {
  await replaceFile(chainPath(data, pendingName), `${JSON.stringify(entry)}\n`);
}

/**
 * Adds the pending entry to the index if its release is current, drops entries older than 60 days, and removes files that no entry
 * names. Runs after a release became current, and before the next one is made: a run may have been killed in between.
 * @returns the entry that was added
 */
export async function extendChain(data: string, clock: () => Date): Promise<ChangesEntry | undefined> {
  const before = await readChain(data);
  const pending = await readPending(data);
  const isDue = pending !== undefined && pending.to === (await findCurrentId(data));
  const added = isDue && !isLast(before, pending) ? pending : undefined;
  const entries = dropOld(addEntry(before?.entries ?? [], added), clock());
  const current = entries.at(-1)?.to;
  if (current !== undefined && (added !== undefined || entries.length !== before?.entries.length))
    await replaceFile(chainPath(data, changesIndexName), formatChain({ current, entries }));
  await removeOthers(data, entries);
  return added;
}

/** The text of the index, with a line per entry. */
export function formatChain({ current, entries }: ChangesIndex): string {
  const lines = entries.map((entry) => JSON.stringify(entry)).join(",\n");
  return `{"current":${JSON.stringify(current)},"entries":[\n${lines}\n]}\n`;
}

async function readPending(data: string): Promise<ChangesEntry | undefined> {
  const text = await ifPresent(readFile(chainPath(data, pendingName), "utf8"));
  return text === undefined ? undefined : parseEntry(text);
}

/** True if a run was killed after it had added the entry. */
function isLast(chain: ChangesIndex | undefined, entry: ChangesEntry): boolean {
  const last = chain?.entries.at(-1);
  return last !== undefined && JSON.stringify(last) === JSON.stringify(entry);
}

/** The entries with one more. If it does not start where they end, they lead nowhere, and the chain starts anew. */
function addEntry(entries: ChangesEntry[], added: ChangesEntry | undefined): ChangesEntry[] {
  if (added === undefined) return entries;
  return entries.at(-1)?.to === added.from ? [...entries, added] : [added];
}

/** The entries from the first one on that is young enough, or that is the last. */
function dropOld(entries: ChangesEntry[], now: Date): ChangesEntry[] {
  const oldest = now.getTime() - changesDays * 24 * 60 * 60 * 1000;
  const first = entries.findIndex(({ at }) => Date.parse(at) >= oldest);
  return entries.slice(first === -1 ? -1 : first);
}

/** Removes the files of a data folder that no entry names: those of dropped entries, and those of releases that never became current. */
export async function removeOthers(data: string, entries: ChangesEntry[]): Promise<void> {
  const kept = new Set([changesIndexName, ...entries.flatMap(({ files }) => files.map(nameOf))]);
  for (const name of await listIfPresent(chainPath(data, "")))
    if (!kept.has(name)) await rm(chainPath(data, name), { recursive: true });
}

/** The name of a file of an entry in the folder of changes. */
export function nameOf({ url }: ChangesFile): string {
  return url.slice(url.lastIndexOf("/") + 1);
}
