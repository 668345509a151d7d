// Cuts the page files of all funders, in threads if there are many.
import {
  countBlocks,
  countPages,
  groupsOfBlock,
  type PageGroup,
  type PlannedPage,
  pagesOfGroup,
} from "../../../api-static/release/funderPages.ts";
import { formatPageRow, pageRowBytes } from "../../../api-static/release/layout.ts";
import { Records } from "../../../api-static/release/records.ts";
import { type Blocks, runInThreads, shareBlocks, takeBlocks } from "../../base/threads.ts";
import type { PageCounts } from "../../releases/manifest.ts";
import { countPageThreads } from "../../releases/pageFile.ts";
import { findKnownRows, type KnownPages } from "./knownPages.ts";
import { checkLinked, formatPages, linkPage, makePageFolder, writePage } from "./pageFiles.ts";

/** What a thread receives. */
type CutInput = {
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
type CutBlock = {
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
  const count = countPageThreads(countPages(funders), threads);
  const rows: Uint8Array[] = [];
  const problems: string[] = [];
  let [pages, linked] = [0, 0];
  await runInThreads(new URL(import.meta.url), input, count, (done: CutBlock) => {
    rows[done.block] = done.rows;
    problems.push(...done.problems);
    pages += done.rows.length / pageRowBytes;
    linked += done.linked;
    onProgress(pages);
  });
  checkLinked(known?.folder ?? "", problems);
  return { rows: Buffer.concat(rows), linked };
}

/** Makes the page files of the blocks that no other thread has taken; `runInThreads` calls it. */
export function* work(input: CutInput): Generator<CutBlock> {
  const records = Records.open(input.folder);
  try {
    for (const block of takeBlocks(input.blocks)) yield cutBlock(input, records, block);
  } finally {
    records.close();
  }
}

function cutBlock({ folder, known, funders }: CutInput, records: Records, block: number): CutBlock {
  const table = Buffer.from(funders.buffer, funders.byteOffset, funders.byteLength);
  const made: Uint8Array[] = [];
  const problems: string[] = [];
  let linked = 0;
  let folderOf = -1;
  for (const group of groupsOfBlock(table, block)) {
    const pages = pagesOfGroup(group);
    if (group.funder !== folderOf) makePageFolder(folder, pages[0]?.key ?? "");
    folderOf = group.funder;
    const rows = known && findKnownRows(known, group);
    if (known === undefined || rows === undefined) {
      made.push(...cutGroup(folder, records, group, pages));
      continue;
    }
    const isRead = group.funder % known.parts === known.part;
    for (const [index, { key }] of pages.entries()) {
      const row = rows.subarray(index * pageRowBytes, (index + 1) * pageRowBytes);
      const problem = linkPage(known.folder, folder, key, isRead ? row : undefined);
      if (problem !== undefined) problems.push(problem);
    }
    made.push(rows);
    linked += pages.length;
  }
  return { block, rows: Buffer.concat(made), linked, problems };
}

/** Writes the pages of a group; returns their rows in `pages`. */
function cutGroup(
  folder: string,
  records: Records,
  group: PageGroup,
  pages: readonly PlannedPage[],
): Buffer[] {
  const { lines, starts } = records.readRun(group.first, group.first + group.records);
  const { total, offset } = group;
  return formatPages({ lines, starts, total, offset }, pages).map((stored, index) => {
    writePage(folder, pages[index]?.key ?? "", stored);
    return formatPageRow(stored);
  });
}

/** The number and total size of the page files of some rows of `pages`. */
export function countPageRows(rows: Buffer): PageCounts {
  let storedBytes = 0;
  for (let at = 0; at < rows.length; at += pageRowBytes) storedBytes += rows.readUInt32LE(at);
  return { files: rows.length / pageRowBytes, storedBytes };
}
