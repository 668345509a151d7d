// Lists the changes that turn the public files of one release into those of another one.
import { readFile } from "node:fs/promises";
import { parseDownloadKey } from "../../api-static/contract/answers/downloads.ts";
import { pageSizeMax } from "../../api-static/contract/limits.ts";
import { isHashedPath } from "../../api-static/contract/sitePaths.ts";
import { countFunderPages, countPages, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { pageRowBytes } from "../../api-static/release/layout.ts";
import { digestFile } from "../base/digests.ts";
import { compareFunders, type Funder, isSameRow } from "../releases/comparison.ts";
import { isContent } from "../releases/pageFile.ts";
import type { FileRows, ReleaseTables } from "../releases/tables.ts";

/** A public file of a release. */
export type PublicFile = { readonly key: string; readonly row: Uint8Array };

/**
 * The public files of a release that another one does not have, always in the same order: files of funders by EIN, searches,
 * names, the site's assets and its pages.
 * @param before without it, all files
 */
export function* findUploads(after: ReleaseTables, before?: ReleaseTables): Generator<PublicFile> {
  for (const [own, other] of compareFunderPages(after, before)) yield* findDifferent(own, other);
  yield* findDifferent(after.files, before?.files);
}

/**
 * The keys of the public files that only an earlier release has. Assets of the site are not among them: pages that browsers have
 * open load them.
 */
export function* findDeletions(after: ReleaseTables, before: ReleaseTables): Generator<string> {
  for (const [own, other] of compareFunderPages(after, before))
    for (const key of other.keys()) if (!own.has(key)) yield key;
  for (const key of before.files.keys()) if (!after.files.has(key) && !isHashedPath(`/${key}`)) yield key;
}

/** The number of a release's public files. */
export function countFiles({ funders, files }: ReleaseTables): number {
  return countPages(funders) + files.size;
}

/** True if the file at a path has the digest that a release lists for a public file. */
export async function isRight(path: string, { key, row }: PublicFile): Promise<boolean> {
  if (parseDownloadKey(key) === undefined) return isContent(row, await readFile(path));
  return (await digestFile(path)).sha256 === Buffer.from(row).toString("hex"); // it may not fit in memory
}

function* findDifferent(after: FileRows, before: FileRows | undefined): Generator<PublicFile> {
  for (const [key, row] of after) if (!isSameRow(before?.get(key), row)) yield { key, row };
}

/** The page files of each funder in both releases, if they differ. */
function* compareFunderPages(after: ReleaseTables, before?: ReleaseTables): Generator<[FileRows, FileRows]> {
  for (const step of compareFunders(after, before)) {
    const own = rowsOf(after, step.after);
    const other = rowsOf(before ?? after, step.before);
    if (step.after?.records === step.before?.records && own.equals(other)) continue;
    yield [listPages(step.after, own), listPages(step.before, other)];
  }
}

/** The rows of a funder in `pages`; empty if the release does not have the funder. */
function rowsOf({ pages }: ReleaseTables, funder: Funder | undefined): Buffer {
  if (funder === undefined) return pages.subarray(0, 0);
  const { firstPage, records } = funder;
  return pages.subarray(firstPage * pageRowBytes, (firstPage + countFunderPages(records)) * pageRowBytes);
}

/** The rows of a funder by key, in the order of `pages`. */
function listPages(funder: Funder | undefined, rows: Buffer): FileRows {
  const files = new Map<string, Uint8Array>();
  const { ein = 0, records = 0 } = funder ?? {};
  for (let offset = 0; offset < records; offset += pageSizeMax) {
    const group = { ein, total: records, offset, records: Math.min(pageSizeMax, records - offset) };
    for (const { key } of pagesOfGroup(group)) {
      const at = files.size * pageRowBytes;
      files.set(key, rows.subarray(at, at + pageRowBytes));
    }
  }
  return files;
}
