// Owns the making of page files from record lines: formatted, linked or written, with synchronous calls (four times as fast
// as promises for small files).
import { closeSync, linkSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { lineEnd } from "../../api-static/contract/envelope.ts";
import { pageSizes } from "../../api-static/contract/limits.ts";
import { storedEnding } from "../../api-static/contract/pageKeys.ts";
import type { RunPage } from "../../api-static/release/funderPages.ts";
import { parts } from "../../api-static/release/layout.ts";
import { formatStoredPage, packLines } from "../../api-static/release/storedPage.ts";

/** A run of record lines that lie together in a result. */
export type Lines = {
  /** The lines, each with its line end. */
  readonly lines: Buffer;
  /** Where each line starts in the bytes, and where the last one ends. */
  readonly starts: readonly number[];
  /** Records of the whole result. */
  readonly total: number;
  /** Of the run's first record within the result; a multiple of every page size. */
  readonly offset: number;
};

/** The stored forms of pages of a run. Lines are packed once, in pieces of the smallest page size. */
export function formatPages(run: Lines, pages: readonly RunPage[]): Buffer[] {
  const { starts, total, offset } = run;
  const linesOf = (from: number, to: number) => run.lines.subarray(starts[from], starts[to]);
  const end = pages.reduce((most, { to }) => Math.max(most, to), 0);
  const packed: Buffer[] = [];
  for (let from = 0; from < end; from += pageSizes[0]) {
    const packing = linesOf(from, Math.min(from + pageSizes[0], end));
    packed.push(packLines(packing.subarray(0, packing.length - lineEnd.length)));
  }
  return pages.map(({ limit, from, to }) => {
    const page = { total, limit, offset: offset + from };
    const packing = packed.slice(from / pageSizes[0], (from + limit) / pageSizes[0]);
    return Buffer.concat(formatStoredPage(page, linesOf(from, to), packing).pieces);
  });
}

/** Makes the folder that a page's file lies in. */
export function makePageFolder(release: string, key: string): void {
  mkdirSync(dirname(pagePath(release, key)), { recursive: true });
}

export function writePage(release: string, key: string, stored: Buffer): void {
  const file = openSync(pagePath(release, key), "w");
  try {
    for (let done = 0; done < stored.length; ) done += writeSync(file, stored, done);
  } finally {
    closeSync(file);
  }
}

/** Takes a page's file over from an earlier release. */
export function linkPage(from: string, release: string, key: string): void {
  linkSync(pagePath(from, key), pagePath(release, key));
}

function pagePath(release: string, key: string): string {
  return join(release, parts.public, key + storedEnding);
}
