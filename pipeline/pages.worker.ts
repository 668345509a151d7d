// Owns one worker's making of pages: takes blocks until none is left, links or writes each page's file with synchronous
// calls (four times as fast as promises for small files).
import { closeSync, linkSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { lineEnd } from "../api-static/envelope.ts";
import { formatPageRow, pageRowBytes, parts } from "../api-static/layout.ts";
import { pageSizes } from "../api-static/limits.ts";
import { storedEnding } from "../api-static/pages.ts";
import { Records } from "../api-static/server/records.ts";
import { formatStoredPage, packLines } from "../api-static/storedPage.ts";
import { readOrder, takeBlocks } from "./blocks.ts";
import { findKnownPages } from "./changes.ts";
import { type CutBlock, type CutOrder, pagesOfRun, type Run, runsOfBlock } from "./pages.ts";

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
    if (run.funder !== folderOf) makeFolder(run);
    folderOf = run.funder;
    const knownRows = known === undefined ? undefined : findKnownPages(known, run);
    if (known === undefined || knownRows === undefined) {
      rows.push(...cutRun(run));
    } else {
      for (const { key } of pagesOfRun(run)) linkSync(pagePath(known.folder, key), pagePath(folder, key));
      rows.push(Buffer.from(knownRows));
      linked += knownRows.length / pageRowBytes;
    }
  }
  return { block, rows: Buffer.concat(rows), linked };
}

/** Cuts the pages of a run. Its lines are packed once, in runs of the smallest size. */
function cutRun(run: Run): Buffer[] {
  const { lines, starts } = records.readRun(run.first, run.first + run.records);
  const linesOf = (from: number, to: number) => lines.subarray(starts[from], starts[to]);
  const packed: Buffer[] = [];
  for (let from = 0; from < run.records; from += pageSizes[0]) {
    const packing = linesOf(from, Math.min(from + pageSizes[0], run.records));
    packed.push(packLines(packing.subarray(0, packing.length - lineEnd.length)));
  }
  return pagesOfRun(run).map(({ key, limit, from, to }) => {
    const page = { total: run.total, limit, offset: run.offset + from };
    const packing = packed.slice(from / pageSizes[0], (from + limit) / pageSizes[0]);
    const stored = Buffer.concat(formatStoredPage(page, linesOf(from, to), packing).pieces);
    writePage(pagePath(folder, key), stored);
    return formatPageRow(stored);
  });
}

function pagePath(release: string, key: string): string {
  return join(release, parts.public, key + storedEnding);
}

function makeFolder(run: Run): void {
  const [page] = pagesOfRun(run);
  if (page !== undefined) mkdirSync(dirname(pagePath(folder, page.key)), { recursive: true });
}

function writePage(path: string, stored: Buffer): void {
  const file = openSync(path, "w");
  try {
    for (let done = 0; done < stored.length; ) done += writeSync(file, stored, done);
  } finally {
    closeSync(file);
  }
}
