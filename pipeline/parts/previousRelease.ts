// Finds the previous release, which a new one is compared with, and whose page files it may link.
import type { FoundRelease } from "../releases/current.ts";
import { releaseFolder } from "../releases/folders.ts";
import { schemaVersion } from "../releases/manifest.ts";
import type { Totals } from "../releases/totals.ts";
import { type ReleaseTables, readTables } from "./changes.ts";

export type ReleaseBefore = { readonly folder: string; readonly tables: ReleaseTables };

/** The current release if it has the layout of this version, so that the two can be compared part by part. */
export function findComparable(
  current: FoundRelease | undefined,
): { readonly id: string; readonly totals: Totals } | undefined {
  if (current?.manifest.schema_version !== schemaVersion) return undefined;
  return { id: current.id, totals: current.manifest.totals };
}

/** Reads the tables of the current release if it can be compared. */
export async function readBefore(
  data: string,
  current: FoundRelease | undefined,
): Promise<ReleaseBefore | undefined> {
  const comparable = findComparable(current);
  if (comparable === undefined) return undefined;
  const folder = releaseFolder(data, comparable.id);
  return { folder, tables: await readTables(folder) };
}
