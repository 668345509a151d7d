// Cuts the page files of all funders, in threads if there are many.
import { countBlocks, countPages } from "../../../api-static/release/funderPages.ts";
import { pageRowBytes } from "../../../api-static/release/layout.ts";
import { type Blocks, runInThreads, shareBlocks } from "../../base/threads.ts";
import type { PageCounts } from "../../releases/manifest.ts";
import { countPageThreads } from "../../releases/pageFile.ts";
import type { KnownPages } from "./knownPages.ts";
import { checkLinked } from "./pageFiles.ts";

/** What a thread receives. */
export type CutInput = {
  readonly blocks: Blocks;
  readonly folder: string;
  readonly funders: Uint8Array;
  /** Pages to be linked instead of cut; undefined if there are none. */
  readonly known: KnownPages | undefined;
};

/**
 * What a thread reports after each block: the rows of its page files, in order, how many of the files are links, and what is wrong
 * with these.
 */
export type CutBlock = {
  readonly block: number;
  readonly rows: Uint8Array;
  readonly linked: number;
  readonly problems: readonly string[];
};

/** The rows of all page files, and how many of the files are hard links to those of an earlier release. */
export type CutPages = { readonly rows: Buffer; readonly linked: number };

/**
 * Makes every page file of every funder in a release's folder: links it if it is known, else cuts it from `records`.
 * @param onProgress called with the number of pages that are done
 * @throws DamagedPagesError if a known page is missing or damaged
 */
export async function cutPages(
  folder: string,
  funders: Buffer,
  known: KnownPages | undefined,
  threads: number,
  onProgress: (pages: number) => void,
): Promise<CutPages> {
  const input: CutInput = { blocks: shareBlocks(countBlocks(funders)), folder, funders, known };
  const module = new URL("./funderPagesThread.ts", import.meta.url);
  const count = countPageThreads(countPages(funders), threads);
  const rows: Uint8Array[] = [];
  const problems: string[] = [];
  let [pages, linked] = [0, 0];
  await runInThreads(module, input, count, (done: CutBlock) => {
    rows[done.block] = done.rows;
    problems.push(...done.problems);
    pages += done.rows.length / pageRowBytes;
    linked += done.linked;
    onProgress(pages);
  });
  checkLinked(known?.folder ?? "", problems);
  return { rows: Buffer.concat(rows), linked };
}

/** The number and total size of the page files of some rows of `pages`. */
export function countPageRows(rows: Buffer): PageCounts {
  let storedBytes = 0;
  for (let at = 0; at < rows.length; at += pageRowBytes) storedBytes += rows.readUInt32LE(at);
  return { files: rows.length / pageRowBytes, storedBytes };
}
