// Cuts funder pages in one worker thread: takes blocks until none is left, and links or writes the file of each page.
import { groupsOfBlock, type PageGroup, pagesOfGroup } from "../../api-static/release/funderPages.ts";
import { formatPageRow, pageRowBytes } from "../../api-static/release/layout.ts";
import { Records } from "../../api-static/release/records.ts";
import { readOrder, takeBlocks } from "../blocks.ts";
import { findKnownPages } from "./changes.ts";
import type { CutBlock, CutOrder } from "./funderPages.ts";
import { formatPages, linkPage, makePageFolder, writePage } from "./pageFiles.ts";

const order = readOrder<CutOrder>();
const { folder, known } = order;
const funders = Buffer.from(order.funders.buffer, order.funders.byteOffset, order.funders.byteLength);
const records = new Records(folder);
takeBlocks(order, cutBlock);
records.close();

function cutBlock(block: number): CutBlock {
  const rows: Buffer[] = [];
  let linked = 0;
  let folderOf = -1;
  for (const group of groupsOfBlock(funders, block)) {
    const pages = pagesOfGroup(group);
    if (group.funder !== folderOf) makePageFolder(folder, pages[0]?.key ?? "");
    folderOf = group.funder;
    const knownRows = known === undefined ? undefined : findKnownPages(known, group);
    if (known === undefined || knownRows === undefined) {
      rows.push(...cutGroup(group));
    } else {
      for (const { key } of pages) linkPage(known.folder, folder, key);
      rows.push(Buffer.from(knownRows));
      linked += knownRows.length / pageRowBytes;
    }
  }
  return { block, rows: Buffer.concat(rows), linked };
}

/** Writes the pages of a group; returns their rows in `pages`. */
function cutGroup(group: PageGroup): Buffer[] {
  const pages = pagesOfGroup(group);
  const { lines, starts } = records.readRun(group.first, group.first + group.records);
  const { total, offset } = group;
  return formatPages({ lines, starts, total, offset }, pages).map((stored, index) => {
    writePage(folder, pages[index]?.key ?? "", stored);
    return formatPageRow(stored);
  });
}
