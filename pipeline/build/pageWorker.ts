// Owns one worker's making of funder pages: takes blocks until none is left, links or writes each page's file.

import { pagesOfRun, type Run, runsOfBlock } from "../../api-static/release/funderPages.ts";
import { formatPageRow, pageRowBytes } from "../../api-static/release/layout.ts";
import { Records } from "../../api-static/release/records.ts";
import { readOrder, takeBlocks } from "../blocks.ts";
import { findKnownPages } from "./changes.ts";
import { formatPages, linkPage, makePageFolder, writePage } from "./pageCutter.ts";
import type { CutBlock, CutOrder } from "./pages.ts";

const order = readOrder<CutOrder>();
const { folder, known } = order;
const funders = Buffer.from(order.funders.buffer, order.funders.byteOffset, order.funders.byteLength);
const records = new Records(folder);
takeBlocks(order, makeBlock);
records.close();

function makeBlock(block: number): CutBlock {
  const rows: Buffer[] = [];
  let linked = 0;
  let folderOf = -1;
  for (const run of runsOfBlock(funders, block)) {
    const pages = pagesOfRun(run);
    if (run.funder !== folderOf) makePageFolder(folder, pages[0]?.key ?? "");
    folderOf = run.funder;
    const knownRows = known === undefined ? undefined : findKnownPages(known, run);
    if (known === undefined || knownRows === undefined) {
      rows.push(...cutRun(run));
    } else {
      for (const { key } of pages) linkPage(known.folder, folder, key);
      rows.push(Buffer.from(knownRows));
      linked += knownRows.length / pageRowBytes;
    }
  }
  return { block, rows: Buffer.concat(rows), linked };
}

/** Cuts the pages of a run. */
function cutRun(run: Run): Buffer[] {
  const pages = pagesOfRun(run);
  const { lines, starts } = records.readRun(run.first, run.first + run.records);
  const { total, offset } = run;
  return formatPages({ lines, starts, total, offset }, pages).map((stored, index) => {
    writePage(folder, pages[index]?.key ?? "", stored);
    return formatPageRow(stored);
  });
}
