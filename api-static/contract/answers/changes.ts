// Defines the changes from one release to the next: the index of the kept ones, and the lines of their files.
import type { ApiError } from "../errors.ts";
import { changesNotKept, nothingHere } from "../refusals.ts";
import type { GrantRecord } from "./record.ts";
import {
  count,
  counted,
  exactly,
  instant,
  nullable,
  releaseId,
  type ValueOf,
  withOptional,
} from "./schema.ts";

/** The folder of changes in the public part, and their path below the host. */
export const changesFolder = "v1/changes";

/** The name of the index in the folder. */
export const changesIndexName = "index.json";

/** Days for which changes are kept. */
export const changesDays = 60;

export const changesTypes = {
  "ndjson.gz": "application/gzip",
  parquet: "application/vnd.apache.parquet",
} as const;

export type ChangesFormat = keyof typeof changesTypes;

/** Why an entry has no files: the copy of a follower must be downloaded anew. */
export const changesReasons = ["first_release", "new_schema", "too_many", "not_comparable"] as const;

const fileSchema = exactly("A file with the changes.", {
  format: { enum: Object.keys(changesTypes) as ChangesFormat[] },
  url: { type: "string", description: "Path below the host." },
  bytes: count,
  sha256: { type: "string" },
});

export type ChangesFile = ValueOf<typeof fileSchema>;

/** A rollback is an entry of its own. */
const entrySchema = withOptional(
  exactly("The changes from one release to the next one that became current.", {
    from: { ...nullable(releaseId), description: "The release before; null for the first release." },
    to: releaseId,
    at: { ...instant, description: "When `to` became current." },
    added: { ...nullable(count), description: "Number of records; null without files." },
    changed: nullable(count),
    removed: nullable(count),
    files: { type: "array", items: fileSchema },
    records: counted("Number of records of `to`."),
    digest: {
      type: "string",
      description:
        "SHA-256 of all records of `to`, each as JSON, a comma and a line feed: by funder_ein, then in result order.",
    },
  }),
  {
    reason: { enum: changesReasons, description: "Why there are no files: copy the current release anew." },
    download: {
      type: "string",
      description: "Path of the Parquet file with all grants of the current release.",
    },
  },
);

export type ChangesEntry = ValueOf<typeof entrySchema>;

export const changesIndexSchema = exactly(
  "The changes of 60 days, oldest first. Each entry starts at the release where the one before ended. A copy of a release continues with the last entry that starts from it.",
  { current: releaseId, entries: { type: "array", items: entrySchema } },
);

export type ChangesIndex = ValueOf<typeof changesIndexSchema>;

/** A line of a file of changes. */
export type ChangesLine =
  | { readonly op: "upsert"; readonly change: "added" | "changed"; readonly record: GrantRecord }
  | ({ readonly op: "delete" } & Pick<
      GrantRecord,
      "id" | "funder_ein" | "recipient_ein" | "transaction_year"
    >);

/** A file of the folder: the index, or a file of changes, which need not exist. */
export type ChangesRequest = { readonly kind: "changes"; readonly name: string };

/** The request of a key; undefined if no file of the folder can have it. */
export function parseChangesKey(key: string): ChangesRequest | undefined {
  if (!key.startsWith(`${changesFolder}/`)) return undefined;
  const name = key.slice(changesFolder.length + 1);
  const isName = name === changesIndexName || findChangesStart(name) !== undefined;
  return isName ? { kind: "changes", name } : undefined;
}

/** The name of a file of changes, e.g., "20261120T040000Z..20261121T040000Z.parquet". */
export function changesName({ from, to }: Pick<ChangesEntry, "from" | "to">, format: ChangesFormat): string {
  return `${from}..${to}.${format}`;
}

/** The URL of a file of changes, below the host. */
export function changesUrl(ends: Pick<ChangesEntry, "from" | "to">, format: ChangesFormat): string {
  return `/${changesFolder}/${changesName(ends, format)}`;
}

const namePattern = /^(\d{8}T\d{6}Z)\.\.\d{8}T\d{6}Z\.(?:ndjson\.gz|parquet)$/;

/** The release that the changes in a file of this name start from; undefined if no file of changes can have the name. */
export function findChangesStart(name: string): string | undefined {
  return namePattern.exec(name)?.[1];
}

/**
 * The entries that lead from a release to the current one: always the last one that starts there. None if it is current; undefined if
 * they do not lead there, or one has no files.
 */
export function findPath(
  { current, entries }: ChangesIndex,
  from: string | undefined,
): ChangesEntry[] | undefined {
  const path: ChangesEntry[] = [];
  for (let at = from; at !== current; ) {
    const next = entries.findLast((entry) => entry.from === at);
    if (next === undefined || next.files.length === 0 || path.includes(next)) return undefined;
    path.push(next);
    at = next.to;
  }
  return path;
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
  const hasName = ({ format, url }: ChangesFile) =>
    Object.hasOwn(changesTypes, format) && url === changesUrl({ from, to }, format);
  return isNamed && files.every(hasName);
}

function isId(value: unknown): boolean {
  return typeof value === "string" && /^\d{8}T\d{6}Z$/.test(value);
}

/** The file of this name that an index has; or else the error: a file from a release of the index never existed, others may have. */
export function findChangesFile({ entries }: ChangesIndex, name: string): ChangesFile | ApiError {
  const url = `/${changesFolder}/${name}`;
  const file = entries.flatMap(({ files }) => files).findLast((file) => file.url === url);
  if (file !== undefined) return file;
  const start = findChangesStart(name) ?? "";
  return entries.some(({ from, to }) => from === start || to === start) ? nothingHere : changesNotKept(start);
}
