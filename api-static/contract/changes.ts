// Defines the changes from one release to the next: the index of the kept ones, and the lines of their files.
import type { GrantRecord } from "./record.ts";

/** The folder of changes in the public part, and their path below the host. */
export const changesFolder = "v1/changes";

/** Days for which changes are kept. */
export const changesDays = 60;

export const changesTypes = {
  "ndjson.gz": "application/gzip",
  parquet: "application/vnd.apache.parquet",
} as const;

export type ChangesFormat = keyof typeof changesTypes;

/** Why an entry has no files: the copy of a follower must be downloaded anew. */
export const changesReasons = ["first_release", "new_schema", "too_many", "not_comparable"] as const;

/** The changes from one release to the next one that became current. A rollback is an entry of its own. */
export type ChangesEntry = {
  /** Id of the release before; null for the first release. */
  readonly from: string | null;
  readonly to: string;
  /** When `to` became current, ISO 8601 in UTC. */
  readonly at: string;
  /** Numbers of records; null without files. */
  readonly added: number | null;
  readonly changed: number | null;
  readonly removed: number | null;
  /** Empty if there is a `reason`. URLs are paths below the host. */
  readonly files: readonly {
    readonly format: ChangesFormat;
    readonly url: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  readonly reason?: (typeof changesReasons)[number];
  /** The path of the Parquet file with all grants of `to`, if the release has it. */
  readonly download?: string;
  /** Number of records of `to`. */
  readonly records: number;
  /** SHA-256 of all record lines of `to`, by funder, then in result order. */
  readonly digest: string;
};

/** The index: the kept entries, oldest first. Each starts at the release where the one before ended. */
export type ChangesIndex = { readonly current: string; readonly entries: readonly ChangesEntry[] };

/** A line of a file of changes. */
export type ChangesLine =
  | { readonly op: "upsert"; readonly change: "added" | "changed"; readonly record: GrantRecord }
  | ({ readonly op: "delete" } & Pick<
      GrantRecord,
      "id" | "funder_ein" | "recipient_ein" | "transaction_year"
    >);
