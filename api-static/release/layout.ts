// Defines the layout of a release on disk: the names of its parts, and the binary form of its tables.
import { hash } from "node:crypto";
import { kinLinksMax, kinMax } from "../contract/answers/likelyFunders.ts";
import { maxLinks, maxPeers } from "../contract/answers/peers.ts";
import { digestBytes } from "../contract/answers/storedPage.ts";

/** Increased with every change to the content or layout of a release: servers refuse other versions, and the next sync builds anew. */
export const schemaVersion = 31;

/** A part of a release folder. `about` is a row of ARCHITECTURE.md. The server checks the size of a part if `isServed`. */
export type PartRow = { readonly file: string; readonly about: string; readonly isServed?: true };

/** All parts. Their numbers are unsigned and little-endian. */
export const partTable = {
  records: {
    file: "records",
    about: "each record's JSON line, by funder, then in result order",
    isServed: true,
  },
  offsets: {
    file: "records.offsets",
    about: "byte offset of each line and of the end, 48 bits each",
    isServed: true,
  },
  funders: {
    file: "funders",
    about: "per funder, by EIN: EIN, first position, number of records; 32 bits each",
    isServed: true,
  },
  funderDigests: { file: "funders.digests", about: "per funder: sum of its records' hashes, 128 bits" },
  pages: { file: "pages", about: "size and digest of each page file, in the order in which pages are cut" },
  searches: {
    file: "searches",
    about: "key and total of each search's page files; second in `pages`",
    isServed: true,
  },
  organizations: {
    file: "organizations",
    about: "a JSON line per organization, by EIN; empty without a list",
    isServed: true,
  },
  profiles: {
    file: "organizations.profiles",
    about: "a JSON line per organization with codes, former names, finances or a mission, by EIN",
    isServed: true,
  },
  organizationColumns: {
    file: "organizations.columns",
    about: "columns to find names in ([format](docs/text-index.md))",
  },
  names: { file: "names", about: "key of each file of names; last in `pages`", isServed: true },
  index: {
    file: "index.duckdb",
    about:
      "grants by funder, by recipient and by id; distinct texts; peers ([42](docs/decisions/0042-peers.md)); tables of likely funders ([62](docs/decisions/0062-likely-funders.md)); matches by EIN; what returns state about applications and donor-advised funds; repeated grants ([50](docs/decisions/0050-repeated-filings.md)); returns ([51](docs/decisions/0051-source-of-a-grant.md))",
    isServed: true,
  },
  columns: {
    file: "index.columns",
    about: "columns to find records in ([format](docs/text-index.md))",
    isServed: true,
  },
  matches: {
    file: "matches",
    about: "a JSON line per text of matches, by EIN: rule and evidence",
    isServed: true,
  },
  matchOffsets: {
    file: "matches.offsets",
    about: "byte offset of each line, as in `records.offsets`",
    isServed: true,
  },
  matchesFile: {
    file: "matches.parquet",
    about:
      "[likely recipients](docs/decisions/0061-likely-recipients.md) of grants without an EIN; also a download",
  },
  rejects: { file: "rejects.parquet", about: "rejected rows with source file, row number and reason" },
  changes: { file: "changes.json", about: "differences from the previous release, and URLs to purge" },
  report: { file: "report.json", about: "rows, rejects and costs of the sync", isServed: true },
  manifest: {
    file: "manifest.json",
    about: "written last: inputs, totals, and digests of every part and of itself",
  },
} as const satisfies Readonly<Record<string, PartRow>>;

type PartFiles = { readonly [Part in keyof typeof partTable]: (typeof partTable)[Part]["file"] };

/** The files of the parts, and the folder of those that a CDN or any static host may serve. */
export const parts = {
  ...(Object.fromEntries(Object.entries(partTable).map(([part, { file }]) => [part, file])) as PartFiles),
  public: "public",
} as const;

/**
 * The dictionaries of the index, by filter. `column` is the name of a text column in records and, with the ids of its texts, in every
 * projection. The table `texts` has the distinct texts, the most frequent first: id, text, and the number of its records.
 */
export const dictionaries = {
  purpose: { column: "purpose", texts: "purposes" },
  recipientName: { column: "recipient_name", texts: "recipient_names" },
} as const;

export type Dictionary = (typeof dictionaries)[keyof typeof dictionaries];

/**
 * The tables of peers. `ein` is the column of the EIN whose peers they are, in the table and in the projections; `counterpart` is the
 * projections' column of a funder's recipients, or of a recipient's funders. The tables' other columns: `peer_ein`; `shared`, the number
 * of shared counterparts; `counterparts`, the number of the peer's counterparts; `score`, the similarity in millionths.
 */
export const peerTables = {
  funder: {
    table: "funder_peers",
    ein: "funder_ein",
    counterpart: "recipient_ein",
    most: maxPeers,
    links: maxLinks,
  },
  recipient: {
    table: "recipient_peers",
    ein: "recipient_ein",
    counterpart: "funder_ein",
    most: maxPeers,
    links: maxLinks,
  },
} as const;

/**
 * The tables of likely funders. `kin`: as `peerTables`, with likely recipients too. `tastes`: how many recipients a funder has in a state ("OH"),
 * a major group ("A") and a cause ("A6"), and its place among all funders there, from 1. `habits`: of each funder that may be listed, its
 * recipients; those to which it gave lately; and the quartiles of their first grants in cents.
 */
export const likelyFunderTables = {
  kin: {
    table: "funder_kin",
    ein: "funder_ein",
    counterpart: "recipient_ein",
    most: kinMax,
    links: kinLinksMax,
  },
  tastes: { table: "funder_tastes" },
  habits: { table: "funder_habits" },
} as const;

export type PeerTable = (typeof peerTables)[keyof typeof peerTables] | typeof likelyFunderTables.kin;

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

/** The keys of the page files of searches and names, whose rows are the last ones of `pages`, in this order. */
export function readListedKeys(searches: Buffer, names: Buffer): string[] {
  return [...readSearchPages(String(searches)).map(({ key }) => key), ...readNamesKeys(String(names))];
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

/** A path in which DuckDB reads no character as a pattern: each special character becomes a class of one character. */
export function literalPath(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}
