// Lists the page files of funders: which pages a funder has, in which order, in blocks that workers share.
import { formatEin } from "../contract/ein.ts";
import { pageSizeMax, pageSizes } from "../contract/limits.ts";
import { funderPageKey } from "../contract/pageKeys.ts";
import { countRecords, funderRowBytes, readFunderRow } from "./layout.ts";

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

/** A page of a run: the run's lines `from` to `to`. */
export type RunPage = {
  readonly key: string;
  readonly limit: number;
  readonly from: number;
  readonly to: number;
};

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
