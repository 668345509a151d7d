// Plans a search of the columns: how to find the page, from what is known about the filters.

/** Facts known before rows are read. */
export type Known = {
  /** The rows that meet all filters except those on text. */
  readonly rows: number;
  /** True if there are filters on text. */
  readonly isFiltered: boolean;
  /** True if the rows are by rank. */
  readonly isByRank: boolean;
  /** True if these are all records. */
  readonly isWhole: boolean;
  /** True if only the next rows of a walk are wanted, and no total. */
  readonly isWalk: boolean;
  /** For each text filter, the rarest first: how many texts contain the pattern, and how many records have one of them. */
  readonly found: readonly { readonly texts: number; readonly records: number }[];
};

/** How matching records are found. `total` is their number if it is known up front. */
export type SearchPlan =
  | { readonly way: "none"; readonly total: number }
  /** Every row matches, so the page is a window of them. */
  | { readonly way: "window" }
  /** There are few rows, so the record of each is read and checked. */
  | { readonly way: "read" }
  /** The rows are checked in result order. */
  | { readonly way: "scan"; readonly total: number | undefined }
  /** The records of the rarest texts are counted that have one of the other texts; then the search is planned again. */
  | { readonly way: "count" }
  /** The records of the rarest texts are checked and sorted by rank. */
  | { readonly way: "gather" };

/** Rows up to which reading the record of each is faster than finding the texts that contain a pattern. */
export const maxRead = 300;

/** Records that are gathered, at most: sorting them takes a millisecond or two. */
export const maxGathered = 65_536;

/** Rows scanned in the time that it takes to find one record of a text and sort it by rank. */
const recordCost = 24;

/** Rows scanned in the time that it takes to read the records of one more text from the file. */
const textCost = 600;

/** Plans a search for the page of `limit` records after the first `offset` matches. */
export function planSearch(known: Known, offset: number, limit: number): SearchPlan {
  const { rows, isFiltered, isByRank, isWhole, isWalk, found } = known;
  if (!isFiltered) return { way: "window" };
  if (rows <= maxRead) return { way: "read" };
  const [rarest, other] = found;
  if (rarest === undefined || rarest.records === 0) return { way: "none", total: 0 };
  const total = isWhole && other === undefined ? rarest.records : undefined;
  if (total !== undefined && offset >= total) return { way: "none", total };
  const isCounting = total === undefined && !isWalk;
  const scanned = isCounting ? rows : Math.min(1, (offset + limit) / rarest.records) * rows;
  const gathered = rarest.records * recordCost + rarest.texts * textCost;
  const isGathered = isByRank && rarest.records <= maxGathered && gathered < scanned;
  if (isGathered) return { way: "gather" };
  return isCounting && isWhole ? { way: "count" } : { way: "scan", total };
}
