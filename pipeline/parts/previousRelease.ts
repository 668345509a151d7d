// Finds the release before: the one that a new release is compared with, and whose records of unchanged funders it may keep.
import type { FoundRelease } from "../releases/current.ts";
import { releaseFolder } from "../releases/folders.ts";
import { schemaVersion } from "../releases/manifest.ts";
import type { Totals } from "../releases/totals.ts";
import { noTables, type ReleaseTables, readTables } from "./changes.ts";
import type { Ingested } from "./ingest.ts";
import type { SealedRelease } from "./records/mergedRecords.ts";

export type ReleaseBefore = {
  readonly folder: string;
  readonly tables: ReleaseTables;
  /** EINs of the funders whose records are in the table `grants`. Those of the others are kept; undefined if none are. */
  readonly fresh?: Ingested["fresh"];
};

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

/** The release whose records may be kept; undefined if its tables cannot be read. */
export function findKept(before: ReleaseBefore | undefined): SealedRelease | undefined {
  if (before === undefined || before.tables === noTables) return undefined;
  return { folder: before.folder, sealed: before.tables.sealed };
}
