// Owns the plan of the funder pages: which pages a release has, in which order, and their making by several workers.
import { formatEin } from "../api-static/ein.ts";
import { countRecords, funderRowBytes, pageRowBytes, readFunderRow } from "../api-static/layout.ts";
import { pageSizeMax, pageSizes } from "../api-static/limits.ts";
import { funderPageKey } from "../api-static/pages.ts";
import { type BlockOrder, newBlockOrder, runBlocks } from "./blocks.ts";
import type { KnownPages } from "./changes.ts";
import { DamagedError } from "./failure.ts";
import { isAbsence } from "./manifest.ts";
import type { RunPage } from "./pages.cut.ts";

/** Records of a block, the unit that a worker takes: small enough that no worker waits long for the last one. */
const blockRecords = 50_000;

/** A run of at most `pageSizeMax` records of one funder: one page of the largest size and the smaller ones it holds. */
export type Run = {
  /** Index of the funder in the funder table. */
  readonly funder: number;
  readonly ein: number;
  /** The funder's records in all. */
  readonly total: number;
  /** Of the run's first record within the funder; a multiple of every page size. */
  readonly offset: number;
  /** Position of the run's first record. */
  readonly first: number;
  readonly records: number;
};

export type PageCounts = { readonly files: number; readonly storedBytes: number };

/** What a worker is told. */
export type CutOrder = BlockOrder & {
  readonly folder: string;
  readonly funders: Uint8Array;
  /** Pages that need not be made again. */
  readonly known: KnownPages | undefined;
};

/** What a worker says after each block: the rows of its page files, in order, and how many of them were linked. */
export type CutBlock = { readonly block: number; readonly rows: Uint8Array; readonly linked: number };

/** All page files as rows of `pages`, and how many are the last release's by hard link. */
export type CutPages = { readonly rows: Buffer; readonly linked: number };

export function countBlocks(funders: Buffer): number {
  return Math.ceil(countRecords(funders) / blockRecords);
}

/** The runs whose first record lies in a block, in order of position. */
export function* runsOfBlock(funders: Buffer, block: number): Generator<Run> {
  const from = block * blockRecords;
  const to = from + blockRecords;
  for (let funder = findFunderAt(funders, from); funder < funders.length / funderRowBytes; funder++) {
    const { ein, first, records } = readFunderRow(funders, funder);
    if (first >= to) return;
    const start = Math.max(0, Math.ceil((from - first) / pageSizeMax)) * pageSizeMax;
    for (let offset = start; offset < records && first + offset < to; offset += pageSizeMax) {
      const size = Math.min(pageSizeMax, records - offset);
      yield { funder, ein, total: records, offset, first: first + offset, records: size };
    }
  }
}

/** The index of the funder that holds a position. */
function findFunderAt(funders: Buffer, position: number): number {
  let low = 0;
  let high = funders.length / funderRowBytes - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (readFunderRow(funders, middle).first <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The pages of a run, smallest size first. */
export function pagesOfRun(run: Run): RunPage[] {
  const pages: RunPage[] = [];
  for (const limit of pageSizes) {
    for (let from = 0; from < run.records; from += limit) {
      const key = funderPageKey(formatEin(run.ein), limit, run.offset + from);
      pages.push({ key, limit, from, to: Math.min(from + limit, run.records) });
    }
  }
  return pages;
}

/** Pages of all sizes of a funder with so many records. */
export function countFunderPages(records: number): number {
  return pageSizes.reduce((pages, size) => pages + Math.ceil(records / size), 0);
}

/** Pages of all sizes that the funders have. */
export function countPages(funders: Buffer): number {
  let pages = 0;
  for (let funder = 0; funder < funders.length / funderRowBytes; funder++) {
    pages += countFunderPages(readFunderRow(funders, funder).records);
  }
  return pages;
}

/**
 * Makes every page of every funder in `folder`'s public part: linked where it is known, else cut from `records`.
 * @param reach told how many pages are done
 */
export async function cutPages(
  folder: string,
  funders: Buffer,
  known: KnownPages | undefined,
  workers: number,
  reach: (pages: number) => void,
): Promise<CutPages> {
  const order: CutOrder = { ...newBlockOrder(countBlocks(funders)), folder, funders, known };
  const script = new URL("./pages.worker.ts", import.meta.url);
  const rows: Uint8Array[] = [];
  let [pages, linked] = [0, 0];
  try {
    await runBlocks<CutBlock>(script, order, workers, (done) => {
      rows[done.block] = done.rows;
      pages += done.rows.length / pageRowBytes;
      linked += done.linked;
      reach(pages);
    });
  } catch (error) {
    if (known === undefined || !isAbsence(error)) throw error;
    throw new DamagedError(`a page of release ${known.folder} is missing`, { cause: error });
  }
  return { rows: Buffer.concat(rows), linked };
}

/** Sums up rows of `pages`. */
export function countPageRows(rows: Buffer): PageCounts {
  let storedBytes = 0;
  for (let at = 0; at < rows.length; at += pageRowBytes) storedBytes += rows.readUInt32LE(at);
  return { files: rows.length / pageRowBytes, storedBytes };
}
