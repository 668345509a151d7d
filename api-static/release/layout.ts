// Defines the layout of a release on disk: the names of its parts, and the binary form of its tables.
import { hash } from "node:crypto";
import { digestBytes } from "../contract/storedPage.ts";

/** Increased with every change to the content or layout of a release: servers refuse other versions, and the next sync builds anew. */
export const schemaVersion = 28;

/** Parts of a release folder. */
export const parts = {
  manifest: "manifest.json",
  report: "report.json",
  /** Funders and pages that differ from the previous release. */
  changes: "changes.json",
  rejects: "rejects.parquet",
  /** The JSON text of each record with its line end, by funder, then in result order. A record's position is its line number. */
  records: "records",
  /** The byte offset in `records` of every line, then the size of `records`: unsigned 48-bit little-endian integers. */
  offsets: "records.offsets",
  /** One line of JSON per text of matches, which says what they rely on, in order of EIN, with line ends as in `records`. */
  matches: "matches",
  /** The byte offset in `matches` of every line, as in `records.offsets`. */
  matchOffsets: "matches.offsets",
  /** One row per funder in order of EIN: EIN, position of its first record, number of records; unsigned 32-bit little-endian. */
  funders: "funders",
  /** In the order of `funders`: the sum of the hashes of a funder's records, by which changes are found; unsigned 128-bit little-endian. */
  funderDigests: "funders.digests",
  /** One row per page file, in the order in which pages are cut: its size (unsigned 32-bit little-endian) and its digest. */
  pages: "pages",
  /** One line per page file of a search, its key and its total. Their rows in `pages` follow those of funders, in the same order. */
  searches: "searches",
  /** One line of JSON per organization, in order of EIN; empty if the sync read no organizations. */
  organizations: "organizations",
  /** One line per file of names, its key. Their rows are the last ones of `pages`, in the same order. */
  names: "names",
  /** DuckDB database of grants by funder and by recipient, repeated grants, returns, matches, texts and peers: for summaries, peers, single grants and the next sync. */
  index: "index.duckdb",
  /** Columns of integers, in which searches find records. docs/text-index.md describes them. */
  columns: "index.columns",
  /** Columns of the words in organizations' names, in which organizations are found. docs/text-index.md describes them. */
  organizationColumns: "organizations.columns",
  /** All matches as Parquet, in order of the matched EIN; one of the downloads too. */
  matchesFile: "matches.parquet",
  /** The files that a CDN or any static host may serve. */
  public: "public",
} as const;

/** A text column of the index, and its distinct texts. */
export type Dictionary = {
  /** The column's name, in records and in every projection. In a projection it holds the id of the text. */
  readonly column: string;
  /** The table of the distinct texts, the most frequent first: id, text, and the number of its records. */
  readonly texts: string;
};

/** The dictionaries of the index, by filter. */
export const dictionaries = {
  purpose: { column: "purpose", texts: "purposes" },
  recipientName: { column: "recipient_name", texts: "recipient_names" },
} as const satisfies Readonly<Record<string, Dictionary>>;

/** A table of the index with a row for each peer of each funder, or of each recipient. */
export type PeerTable = {
  readonly table: string;
  /** The column of the EIN whose peers they are, in this table and in the projections. */
  readonly ein: string;
  /** The projections' column of counterparts: a funder's recipients, or a recipient's funders. */
  readonly counterpart: string;
};

/**
 * The tables of peers. Their other columns: `peer_ein`; `shared`, the number of shared counterparts; `counterparts`, the
 * number of the peer's counterparts; `score`, the similarity in millionths.
 */
export const peerTables = {
  funder: { table: "funder_peers", ein: "funder_ein", counterpart: "recipient_ein" },
  recipient: { table: "recipient_peers", ein: "recipient_ein", counterpart: "funder_ein" },
} as const satisfies Readonly<Record<string, PeerTable>>;

/** The folder of releases in the data folder. Each release is a folder named by its id. */
export const releasesFolder = "releases";

/** The folder of changes in the data folder. The public part of each release has a link to it. */
export const chainFolder = "changes";

/** A release id is the time of its sync, e.g., "20261120T040000Z". */
export const releaseIdPattern = /^\d{8}T\d{6}Z$/;

/** The folder of page files in the public part. */
export const pagesFolder = "v1";

/** Ids of each return of the IRS: the rest of a grant's id is its row in the return. */
export const idsPerReturn = 2 ** 18;

export const offsetBytes = 6;
export const funderRowBytes = 12;

export const pageRowBytes = 4 + digestBytes;

/** Maximum records of a release, because positions and ranks are signed 32-bit integers in `index.columns`. */
export const recordsMax = 2 ** 31 - 1;

export function writeOffset(table: Buffer, index: number, offset: number): void {
  table.writeUIntLE(offset, index * offsetBytes, offsetBytes);
}

export function readOffset(table: Buffer, index: number): number {
  return table.readUIntLE(index * offsetBytes, offsetBytes);
}

/** A funder's records are the positions `first` to `first + records`. */
export type FunderRow = { readonly ein: number; readonly first: number; readonly records: number };

export function writeFunderRow(table: Buffer, index: number, row: FunderRow): void {
  const at = index * funderRowBytes;
  table.writeUInt32LE(row.ein, at);
  table.writeUInt32LE(row.first, at + 4);
  table.writeUInt32LE(row.records, at + 8);
}

export function readFunderRow(table: Buffer, index: number): FunderRow {
  const at = index * funderRowBytes;
  return {
    ein: table.readUInt32LE(at),
    first: table.readUInt32LE(at + 4),
    records: table.readUInt32LE(at + 8),
  };
}

/** A row of `pages`. */
export function formatPageRow(stored: Uint8Array): Buffer {
  const row = Buffer.alloc(pageRowBytes);
  row.writeUInt32LE(stored.length, 0);
  hash("sha256", stored, "buffer").copy(row, 4, 0, digestBytes);
  return row;
}

/** A page file of a search, and the number of records that the search finds. */
export type SearchPage = { readonly key: string; readonly total: number };

export function formatSearchPages(pages: readonly SearchPage[]): string {
  return pages.map(({ key, total }) => `${JSON.stringify({ key, total })}\n`).join("");
}

export function readSearchPages(text: string): SearchPage[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SearchPage);
}

export function formatNamesKeys(keys: readonly string[]): string {
  return keys.map((key) => `${key}\n`).join("");
}

export function readNamesKeys(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** The number of records of all funders in a table. */
export function countRecords(table: Buffer): number {
  if (table.length === 0) return 0;
  const { first, records } = readFunderRow(table, table.length / funderRowBytes - 1);
  return first + records;
}

/** The row of a funder; undefined if the release has no records of that funder. */
export function findFunderRow(table: Buffer, ein: number): FunderRow | undefined {
  if (table.length === 0) return undefined;
  const row = readFunderRow(table, findFunderIndex(table, "ein", ein));
  return row.ein === ein ? row : undefined;
}

/** The index of the last row with at most this EIN or first position, by binary search; 0 if there is none. */
export function findFunderIndex(table: Buffer, column: "ein" | "first", value: number): number {
  let low = 0;
  let high = table.length / funderRowBytes - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (readFunderRow(table, middle)[column] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
