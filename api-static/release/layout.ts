// Owns the layout of a release on disk: the names of its parts and the binary form of its tables.
import { hash } from "node:crypto";

/** Parts of a release folder. */
export const parts = {
  manifest: "manifest.json",
  report: "report.json",
  /** Funders and pages that differ from the release before. */
  changes: "changes.json",
  rejects: "rejects.parquet",
  /** Each record's JSON text with its line end, by funder and then in result order. A record's line number is its position. */
  records: "records",
  /** Byte offset in `records` of every line, then the length of `records`: unsigned 48-bit little-endian integers. */
  offsets: "records.offsets",
  /** One row per funder in order of EIN: EIN, position of its first record, records; unsigned 32-bit little-endian. */
  funders: "funders",
  /** Digest of each funder's lines, in the order of `funders`: what tells a funder that changed from one that did not. */
  funderDigests: "funders.digests",
  /** One row per page file in the order in which pages are cut: its bytes (unsigned 32-bit little-endian), its digest. */
  pages: "pages",
  /** One line per page file of a search, in the order of their rows, the last ones of `pages`: its key and its total. */
  searches: "searches",
  /** DuckDB database of the projections. */
  index: "index.duckdb",
  /** What a CDN or any static host may serve. */
  public: "public",
} as const;

/** A column of text in the index: its distinct texts, the words of these, and the records by text. */
export type Dictionary = {
  /** The column's name, in records and in every projection, where it holds the text's id. */
  readonly column: string;
  /** Tables of the index. */
  readonly texts: string;
  readonly words: string;
  readonly postings: string;
  readonly projection: string;
};

/** The dictionaries of the index, by the filter that asks them. */
export const dictionaries = {
  purpose: {
    column: "purpose",
    texts: "purposes",
    words: "purpose_words",
    postings: "purpose_postings",
    projection: "by_purpose",
  },
  recipientName: {
    column: "recipient_name",
    texts: "recipient_names",
    words: "recipient_name_words",
    postings: "recipient_name_postings",
    projection: "by_recipient_name",
  },
} as const satisfies Readonly<Record<string, Dictionary>>;

/** Folder of the releases, in the data folder: each in a folder that its id names. */
export const releasesFolder = "releases";

/** An id of a release: the moment of its sync, e.g., "20261120T040000Z". */
export const releaseIdPattern = /^\d{8}T\d{6}Z$/;

/** Folder of the page files, in the public part. */
export const pagesFolder = "v1";

export const offsetBytes = 6;
export const funderRowBytes = 12;

/** Bytes of a digest in a table: the first half of a SHA-256 tells any two contents apart. */
export const digestBytes = 16;

export const pageRowBytes = 4 + digestBytes;

/** Most records of a release: positions are unsigned 32-bit integers. */
export const recordsMax = 2 ** 32 - 1;

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

/** The row of a page file, digest included. */
export function formatPageRow(stored: Uint8Array): Buffer {
  const row = Buffer.alloc(pageRowBytes);
  row.writeUInt32LE(stored.length, 0);
  hash("sha256", stored, "buffer").copy(row, 4, 0, digestBytes);
  return row;
}

/** A page file of a search, and the records that the search finds. */
export type SearchPage = { readonly key: string; readonly total: number };

/** The text of `searches`. */
export function formatSearchPages(pages: readonly SearchPage[]): string {
  return pages.map(({ key, total }) => `${JSON.stringify({ key, total })}\n`).join("");
}

/** Reads what `formatSearchPages` wrote. */
export function readSearchPages(text: string): SearchPage[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SearchPage);
}

/** Records of all funders of a table. */
export function countRecords(table: Buffer): number {
  if (table.length === 0) return 0;
  const { first, records } = readFunderRow(table, table.length / funderRowBytes - 1);
  return first + records;
}

/** The funder's row by binary search; undefined when the release has no record of it. */
export function findFunderRow(table: Buffer, ein: number): FunderRow | undefined {
  let low = 0;
  let high = table.length / funderRowBytes;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = readFunderRow(table, middle);
    if (row.ein === ein) return row;
    if (row.ein < ein) low = middle + 1;
    else high = middle;
  }
  return undefined;
}
