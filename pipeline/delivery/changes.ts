// Lists the changes that turn the public files of earlier releases into those of another one.
import { pageSizeMax } from "../../api-static/contract/limits.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { countFunderPages, countPages, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { pageRowBytes } from "../../api-static/release/layout.ts";
import { compareFunders, type Funder, isSameRow } from "../releases/comparison.ts";
import type { FileRows, ReleaseTables } from "../releases/tables.ts";

/** A file to upload, or an object to delete. */
export type Change = { readonly kind: "upload" | "delete"; readonly key: string; readonly row: Uint8Array };

/**
 * The changes that turn the objects of earlier releases into the public files of a release, always in the same order: files of
 * funders by EIN, searches, names, the site's assets and its pages; then all deletions, so that no page is deleted while older
 * pages link to it.
 *
 * A bucket whose publish was stopped has objects of several releases. An object is known only if all of them have the same one.
 * Assets of the site are not deleted here: pages that browsers have open load them.
 * @param earlier all releases whose objects may be there; without any, every file is uploaded
 */
export function* findChanges(after: ReleaseTables, earlier: readonly ReleaseTables[]): Generator<Change> {
  const deletions: Change[] = [];
  for (const step of compareFunders(after, earlier)) {
    const own = new FunderPages(after, step.after);
    const others = earlier.map((tables, index) => new FunderPages(tables, step.before[index]));
    if (others.length > 0 && others.every((pages) => pages.equals(own))) continue;
    const [rows, before] = [own.list(), others.map((pages) => pages.list())];
    yield* findUploads(rows, before);
    for (const change of findDeletions(rows, before)) deletions.push(change);
  }
  const before = earlier.map(({ files }) => files);
  yield* findUploads(after.files, before);
  yield* deletions;
  for (const change of findDeletions(after.files, before)) if (!isHashedPath(`/${change.key}`)) yield change;
}

/** All public files of a release, in the same order. */
export function listFiles(release: ReleaseTables): Generator<Change> {
  return findChanges(release, []);
}

/** The number of a release's public files. */
export function countFiles({ funders, files }: ReleaseTables): number {
  return countPages(funders) + files.size;
}

function* findUploads(after: FileRows, earlier: readonly FileRows[]): Generator<Change> {
  for (const [key, row] of after) {
    const isKnown = earlier.length > 0 && earlier.every((rows) => isSameRow(rows.get(key), row));
    if (!isKnown) yield { kind: "upload", key, row };
  }
}

function* findDeletions(after: FileRows, earlier: readonly FileRows[]): Generator<Change> {
  const gone = new Map(earlier.flatMap((rows) => [...rows]).filter(([key]) => !after.has(key)));
  for (const [key, row] of gone) yield { kind: "delete", key, row };
}

/** The page files of a funder in a release; none if it does not have the funder. */
class FunderPages {
  readonly #funder: Funder | undefined;
  readonly #rows: Buffer;

  constructor({ pages }: ReleaseTables, funder: Funder | undefined) {
    const [first, count] =
      funder === undefined ? [0, 0] : [funder.firstPage, countFunderPages(funder.records)];
    this.#funder = funder;
    this.#rows = pages.subarray(first * pageRowBytes, (first + count) * pageRowBytes);
  }

  equals(other: FunderPages): boolean {
    return this.#funder?.records === other.#funder?.records && this.#rows.equals(other.#rows);
  }

  /** The rows by key, in the order of `pages`. */
  list(): FileRows {
    const rows = new Map<string, Uint8Array>();
    const { ein = 0, records = 0 } = this.#funder ?? {};
    for (let offset = 0; offset < records; offset += pageSizeMax) {
      const group = { ein, total: records, offset, records: Math.min(pageSizeMax, records - offset) };
      for (const { key } of pagesOfGroup(group)) {
        const at = rows.size * pageRowBytes;
        rows.set(key, this.#rows.subarray(at, at + pageRowBytes));
      }
    }
    return rows;
  }
}
