// Formats, writes and links page files, with synchronous calls: for small files they are four times as fast as promises.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pageSizeDefault } from "../../../api-static/contract/limits.ts";
import type { PlannedPage } from "../../../api-static/release/funderPages.ts";
import { compressLines, formatPageFile } from "../../../api-static/release/pageFileFormat.ts";
import { isAbsence } from "../../../api-static/release/systemErrors.ts";
import { DamagedPagesError, throwDamaged } from "../../base/failure.ts";
import { linkOrCopy } from "../../base/files.ts";
import { findPageProblem, pageFilePath } from "../../releases/pageFile.ts";
import type { ReleaseTables } from "../../releases/tables.ts";

/** Public files of an earlier release. A new one links those that have the same bytes. */
export type KnownFiles = Pick<ReleaseTables, "folder" | "files">;

/** Consecutive record lines of a result. */
export type ResultLines = {
  /** The lines, each with its line end. */
  readonly lines: Buffer;
  /** Byte offset of each line, then of the end of the last one. */
  readonly starts: readonly number[];
  /** Records of the whole result. */
  readonly total: number;
  /** Offset of the first line within the result: a multiple of every page size. */
  readonly offset: number;
};

/** The bytes of the files of pages. Each line is compressed once, in blocks of the smallest page, which all pages share. */
export function formatPages(
  { lines, starts, total, offset }: ResultLines,
  pages: readonly PlannedPage[],
): Buffer[] {
  const linesOf = (from: number, to: number) => lines.subarray(starts[from], starts[to]);
  const end = Math.max(0, ...pages.map(({ to }) => to));
  const blocks: Buffer[] = [];
  for (let from = 0; from < end; from += pageSizeDefault) {
    blocks.push(compressLines(linesOf(from, Math.min(from + pageSizeDefault, end))));
  }
  return pages.map(({ limit, from, to }) => {
    const page = { total, limit, offset: offset + from };
    const own = blocks.slice(from / pageSizeDefault, (from + limit) / pageSizeDefault);
    return Buffer.concat(formatPageFile(page, linesOf(from, to), own).pieces);
  });
}

/** Makes the folder of a page's file. */
export function makePageFolder(release: string, key: string): void {
  mkdirSync(dirname(join(release, pageFilePath(key))), { recursive: true });
}

/** Writes a page's whole file: one call may write only a part of the bytes. */
export function writePage(release: string, key: string, stored: Buffer): void {
  const file = openSync(join(release, pageFilePath(key)), "w");
  try {
    for (let done = 0; done < stored.length; ) done += writeSync(file, stored, done);
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a page's file a hard link to the same page of an earlier release. Returns what is wrong with it, if anything.
 * @param row of the page in `pages`, with which it is compared; undefined if it is not read
 */
export function linkPage(
  from: string,
  release: string,
  key: string,
  row: Uint8Array | undefined,
): string | undefined {
  const path = pageFilePath(key);
  try {
    linkOrCopy(join(from, path), join(release, path));
  } catch (error) {
    if (isAbsence(error)) return `${path} is missing`;
    throw error;
  }
  return row && findPageProblem(release, key, row);
}

/** @throws DamagedPagesError that names the problems of an earlier release's page files, if there are any */
export function checkLinked(from: string, problems: readonly string[]): void {
  throwDamaged(`page files of release ${from} cannot be linked`, problems, DamagedPagesError);
}

/**
 * Links a page's file if an earlier release has the same bytes, else writes it. Returns true if it is a link.
 * @param row of the page in `pages`
 * @throws DamagedPagesError if the earlier release should have the file, but it is missing or damaged
 */
export function placePage(
  release: string,
  key: string,
  stored: Buffer,
  row: Buffer,
  known: KnownFiles | undefined,
): boolean {
  const knownRow = known?.files.get(key);
  if (known === undefined || knownRow === undefined || !row.equals(knownRow)) {
    writePage(release, key, stored);
    return false;
  }
  const problem = linkPage(known.folder, release, key, row);
  checkLinked(known.folder, problem === undefined ? [] : [problem]);
  return true;
}
