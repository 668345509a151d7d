// Plans a search of the columns: in which order to read rows, from what is known about its filters.
import type { TextFilter } from "../release/columns.ts";

/** Rows in result order: all records by rank, those of a funder by position, those of a recipient. */
export type RankedOrder = "rank" | "position" | "recipient";

/** What is known before rows are read. */
export type Known = {
  readonly order: RankedOrder;
  /** The rows of the order that can match, by the filters except those on text. */
  readonly rows: number;
  /** True if all of these rows meet the filters except those on text. */
  readonly isExact: boolean;
  /** True if these are all records. */
  readonly isWhole: boolean;
  /** True if only the next rows of a walk are wanted, and no total. */
  readonly isWalk: boolean;
  /** For each text filter, the rarest first: how many records have a text that contains the pattern, in how many runs of texts. */
  readonly texts: readonly { readonly filter: TextFilter; readonly records: number; readonly runs: number }[];
};

/** How matching records are found. `total` is their number if it is known up front. */
export type Plan =
  | { readonly way: "none"; readonly total: number }
  /** Every row matches, so the page is a window of them. */
  | { readonly way: "window"; readonly order: RankedOrder }
  /** The rows are checked in result order. */
  | { readonly way: "scan"; readonly order: RankedOrder; readonly total?: number | undefined }
  /** The rows of the found texts are checked; those that match are sorted by rank, unless they are too many. */
  | { readonly way: "gather"; readonly order: TextFilter };

/** Matching rows that are collected and sorted, at most: a millisecond or two. */
export const maxGathered = 65_536;

/** Rows that are scanned in the time in which one row is found in the order by text, and sorted by rank. */
const gatherCost = 24;

/** Rows that are scanned in the time in which one more run of texts is read from the file. */
const runCost = 1_000;

/** The same if so many runs are read that the file is read from start to end. */
const nextRunCost = 20;

/** Plans a search for the page of `limit` records after the first `offset` matches. */
export function planSearch(known: Known, offset: number, limit: number): Plan {
  const { order, rows, texts } = known;
  const [rarest, other] = texts;
  if (rows === 0 || rarest?.records === 0) return { way: "none", total: 0 };
  if (rarest === undefined) return { way: known.isExact ? "window" : "scan", order };
  if (order !== "rank") return { way: "scan", order };
  const gather: Plan = { way: "gather", order: rarest.filter };
  if (other !== undefined && known.isWhole && !known.isWalk) {
    const isShorter = rarest.records + rarest.runs * nextRunCost < rows * texts.length;
    return isShorter ? gather : { way: "scan", order };
  }
  const total = known.isWhole && other === undefined && !known.isWalk ? rarest.records : undefined;
  if (total !== undefined && offset >= total) return { way: "none", total };
  const isCounting = total === undefined && !known.isWalk;
  const scanned = isCounting ? rows : Math.min(1, (offset + limit) / rarest.records) * rows;
  const isFewer = rarest.records * gatherCost + rarest.runs * runCost < scanned;
  return isFewer && rarest.records <= maxGathered ? gather : { way: "scan", order, total };
}

/** True if a page of the matches of two texts, which were counted, is found sooner by a scan of all ranks than by sorting them. */
export function isPageScanned(ranks: number, matches: number, offset: number, limit: number): boolean {
  const scanned = 2 * ranks * Math.min(1, (offset + limit) / matches);
  const read = Math.min(matches * runCost, ranks); // each rank by itself, or the whole column
  return matches > maxGathered || scanned < matches * gatherCost + read;
}
