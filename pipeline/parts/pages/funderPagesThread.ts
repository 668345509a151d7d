// Cuts the pages of blocks of funders: links or writes the file of each page.
import {
  groupsOfBlock,
  type PageGroup,
  type PlannedPage,
  pagesOfGroup,
} from "../../../api-static/release/funderPages.ts";
import { formatPageRow, pageRowBytes } from "../../../api-static/release/layout.ts";
import { Records } from "../../../api-static/release/records.ts";
import { takeBlocks } from "../../base/threads.ts";
import type { CutBlock, CutInput } from "./funderPages.ts";
import { findKnownRows } from "./knownPages.ts";
import { formatPages, linkPage, makePageFolder, writePage } from "./pageFiles.ts";

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
