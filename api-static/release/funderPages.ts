// Plans the page files of funders: the pages of each funder, their order, and the blocks that worker threads share.
import { formatEin } from "../contract/ein.ts";
import { pageSizeMax } from "../contract/limits.ts";
import { pageSizesOf } from "../contract/operations/searches.ts";
import { funderPageKey } from "../contract/plainPages.ts";
import { countRecords, findFunderIndex, funderRowBytes, readFunderRow } from "./layout.ts";

/** Records per block, which a thread takes at once: small enough that threads end at about the same time. */
const blockRecords = 50_000;

/** Consecutive records of a funder, at most `pageSizeMax`: those of a large page and of the small pages in it. */
export type PageGroup = {
  /** Index of the funder in the funder table. */
  readonly funder: number;
  readonly ein: number;
  /** All records of the funder. */
  readonly total: number;
  /** Offset of the first record within the funder: a multiple of every page size. */
  readonly offset: number;
  /** Position of the first record. */
  readonly first: number;
  readonly records: number;
};

/** A page that has the lines `from` to `to` of a group or list. */
export type PlannedPage = {
  readonly key: string;
  readonly limit: number;
  readonly from: number;
  readonly to: number;
};

export function countBlocks(funders: Buffer): number {
  return Math.ceil(countRecords(funders) / blockRecords);
}

/** The page groups whose first record is in a block, in order of position. */
export function* groupsOfBlock(funders: Buffer, block: number): Generator<PageGroup> {
  const from = block * blockRecords;
  const to = from + blockRecords;
  for (
    let funder = findFunderIndex(funders, "first", from);
    funder < funders.length / funderRowBytes;
    funder++
  ) {
    const { ein, first, records } = readFunderRow(funders, funder);
    if (first >= to) return;
    const start = Math.max(0, Math.ceil((from - first) / pageSizeMax)) * pageSizeMax;
    for (let offset = start; offset < records && first + offset < to; offset += pageSizeMax) {
      const size = Math.min(pageSizeMax, records - offset);
      yield { funder, ein, total: records, offset, first: first + offset, records: size };
    }
  }
}

/** The pages of a group that have files, smallest page size first. */
export function pagesOfGroup(group: Omit<PageGroup, "funder" | "first">): PlannedPage[] {
  const pages: PlannedPage[] = [];
  for (const limit of pageSizesOf(group.total)) {
    for (let from = 0; from < group.records; from += limit) {
      const key = funderPageKey(formatEin(group.ein), limit, group.offset + from);
      pages.push({ key, limit, from, to: Math.min(from + limit, group.records) });
    }
  }
  return pages;
}

/** The number of page files of a funder with `total` records, among its first `records`. */
export function countFunderPages(total: number, records = total): number {
  return pageSizesOf(total).reduce((pages, size) => pages + Math.ceil(records / size), 0);
}

/** The number of page files of all funders of a funder table. */
export function countPages(funders: Buffer): number {
  let pages = 0;
  for (let funder = 0; funder < funders.length / funderRowBytes; funder++) {
    pages += countFunderPages(readFunderRow(funders, funder).records);
  }
  return pages;
}
