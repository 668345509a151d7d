// Compares the public files of a release with what a bucket holds: which objects to upload, and which to delete.

import { pageSizeMax } from "../../api-static/contract/limits.ts";
import { storedEnding } from "../../api-static/contract/pageKeys.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { countFunderPages, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import {
  type FunderRow,
  funderRowBytes,
  pageRowBytes,
  readFunderRow,
} from "../../api-static/release/layout.ts";
import type { PageRows, ReleaseTables } from "../parts/changes.ts";

/** The public files of a release: the tables of its page files, and the digests of its other files by path. */
export type PublicFiles = Pick<ReleaseTables, "funders" | "pages" | "searches" | "names"> & {
  readonly site: PageRows;
};

/** The releases whose files a bucket holds. */
export type Held = {
  /** The release whose files are all there, unless one of the started releases replaced or deleted them. */
  readonly complete: PublicFiles | undefined;
  /** Releases of which it may hold any files, because their publish did not end. */
  readonly started: readonly PublicFiles[];
};

/** A file to upload, or an object to delete. */
export type Change = {
  readonly kind: "upload" | "delete";
  /** Below the public folder. */
  readonly path: string;
  /** The row of a page file, as in `pages`; a digest of any other file. */
  readonly row: Uint8Array;
};

/**
 * The changes that turn a bucket's objects into the files of a release, always in the same order: files of funders by EIN,
 * searches, names, the site's assets and its pages; then all deletions, so that nothing is deleted that something older
 * still names.
 *
 * A publish that was stopped leaves objects of several releases. An object is known only if the complete release and all
 * started ones have the same one. Assets of the site are not deleted here: pages of the site that browsers have open load them.
 */
export function* findChanges(target: PublicFiles, { complete, started }: Held): Generator<Change> {
  const releases = complete === undefined ? started : [complete, ...started];
  const isKnowable = complete !== undefined;
  for (const kind of ["upload", "delete"] as const) {
    yield* compareFunders(target, releases, kind, isKnowable);
    for (const list of lists) {
      for (const change of compareRows(list(target), releases.map(list), kind, isKnowable))
        if (kind === "upload" || !isHashedPath(`/${change.path}`)) yield change;
    }
  }
}

/** All public files of a release, in the same order. */
export function listFiles(target: PublicFiles): Generator<Change> {
  return findChanges(target, { complete: undefined, started: [] });
}

/** The number of a release's public files. */
export function countFiles(target: PublicFiles): number {
  let files = 0;
  for (const _ of listFiles(target)) files += 1;
  return files;
}

/** The files other than those of funders, in the order of their upload. */
const lists: readonly ((files: PublicFiles) => PageRows)[] = [
  ({ searches }) => withEnding(searches),
  ({ names }) => withEnding(names),
  ({ site }) => new Map([...site].filter(([path]) => isAsset(path))),
  ({ site }) => new Map([...site].filter(([path]) => !isAsset(path))),
];

function withEnding(rows: PageRows): PageRows {
  return new Map([...rows].map(([key, row]) => [key + storedEnding, row]));
}

/** True for files that pages of the site load. */
function isAsset(path: string): boolean {
  return isHashedPath(`/${path}`) || !path.endsWith(".html");
}

function* compareRows(
  target: PageRows,
  releases: readonly PageRows[],
  kind: Change["kind"],
  isKnowable: boolean,
): Generator<Change> {
  if (kind === "upload") {
    for (const [path, row] of target) {
      const isKnown = isKnowable && releases.every((rows) => isSame(rows.get(path), row));
      if (!isKnown) yield { kind, path, row };
    }
    return;
  }
  const seen = new Set<string>();
  for (const rows of releases) {
    for (const [path, row] of rows) {
      if (target.has(path) || seen.has(path)) continue;
      seen.add(path);
      yield { kind, path, row };
    }
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

/** Reads the funders of a release one after the other, each with the rows of its page files. */
class FunderReader {
  readonly #files: PublicFiles;
  #next = 0;
  #firstPage = 0;
  current: { readonly row: FunderRow; readonly rows: Buffer } | undefined;

  constructor(files: PublicFiles) {
    this.#files = files;
    this.advance();
  }

  advance(): void {
    const { funders, pages } = this.#files;
    this.current = undefined;
    if (this.#next * funderRowBytes >= funders.length) return;
    const row = readFunderRow(funders, this.#next++);
    const end = this.#firstPage + countFunderPages(row.records);
    this.current = { row, rows: pages.subarray(this.#firstPage * pageRowBytes, end * pageRowBytes) };
    this.#firstPage = end;
  }

  /** The funder's page files if it is the current one; then goes on to the next. */
  take(ein: number): FunderReader["current"] {
    const { current } = this;
    if (current?.row.ein !== ein) return undefined;
    this.advance();
    return current;
  }
}

/** Compares the page files of funders, in order of EIN: the tables of millions of files are read only once. */
function* compareFunders(
  target: PublicFiles,
  releases: readonly PublicFiles[],
  kind: Change["kind"],
  isKnowable: boolean,
): Generator<Change> {
  const readers = [target, ...releases].map((files) => new FunderReader(files));
  for (;;) {
    const eins = readers.flatMap(({ current }) => (current === undefined ? [] : [current.row.ein]));
    if (eins.length === 0) return;
    const ein = Math.min(...eins);
    const [wanted, ...known] = readers.map((reader) => reader.take(ein));
    const isUnchanged =
      isKnowable &&
      known.every((one) => one?.row.records === wanted?.row.records && isSame(one?.rows, wanted?.rows));
    if (isUnchanged) continue;
    yield* compareRows(listPages(wanted), known.map(listPages), kind, isKnowable);
  }
}

/** A funder's page files in the order of `pages`. */
function listPages(funder: FunderReader["current"]): PageRows {
  const rows = new Map<string, Uint8Array>();
  if (funder === undefined) return rows;
  const { ein, records } = funder.row;
  for (let offset = 0; offset < records; offset += pageSizeMax) {
    const group = { ein, total: records, offset, records: Math.min(pageSizeMax, records - offset) };
    for (const { key } of pagesOfGroup(group)) {
      const at = rows.size * pageRowBytes;
      rows.set(key + storedEnding, funder.rows.subarray(at, at + pageRowBytes));
    }
  }
  return rows;
}
