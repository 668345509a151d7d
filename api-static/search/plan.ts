// Plans a search of the columns: how to find the page, from what is known about the filters.
import { type FoundCondition, textFields } from "./conditions.ts";

/** Facts known before rows are read. */
export type Known = {
  /** The rows that meet the filters on year, amount, and one funder or recipient. */
  readonly rows: number;
  /** True if they are so few that the record of each is read. */
  readonly isRead: boolean;
  /** True if there are other filters than those that the rows meet. */
  readonly isFiltered: boolean;
  /** True if the rows are by rank. */
  readonly isByRank: boolean;
  /** True if these are all records. */
  readonly isWhole: boolean;
  /** True if only the next rows of a walk are wanted, and no total. */
  readonly isWalk: boolean;
  /** The conditions, the rarest first. */
  readonly found: readonly KnownCondition[];
};

export type KnownCondition = Pick<FoundCondition, "field" | "lists" | "records" | "isCounted">;

/** How matching records are found. `total` is their number if it is known up front. */
export type SearchPlan =
  | { readonly way: "none"; readonly total: number }
  /** Every row matches, so the page is a window of them. */
  | { readonly way: "window" }
  /** There are few rows, so the record of each is read and checked. */
  | { readonly way: "read" }
  /** The rows are checked in result order. */
  | { readonly way: "scan"; readonly total: number | undefined }
  /** The records of the rarer texts are counted that have one of the other texts; then the search is planned again. */
  | { readonly way: "count" }
  /** The records of the lists of one condition are checked and sorted by rank. */
  | { readonly way: "gather"; readonly by: number };

/** Rows up to which reading the record of each is faster than finding the texts that contain a pattern. */
export const maxRead = 300;

/** Records that are gathered, at most: sorting them takes a millisecond or two. */
export const maxGathered = 65_536;

/** Records of funders or recipients whose texts are checked before they are gathered, at most. */
const maxChecked = 2 ** 20;

/** Rows scanned in the time that it takes to check the texts of one of them. */
const checkCost = 2;

/** Rows scanned in the time that it takes to find one record of a list and sort it by rank. */
const recordCost = 24;

/** Rows scanned in the time that it takes to read the records of one more list from the file. */
const listCost = 600;

/** Plans a search for the page of `limit` records after the first `offset` matches. */
export function planSearch(known: Known, offset: number, limit: number): SearchPlan {
  const { rows, isRead, isFiltered, isByRank, isWhole, isWalk, found } = known;
  if (!isFiltered) return { way: "window" };
  if (isRead) return { way: "read" };
  const [rarest, other] = found;
  if (rarest === undefined || rarest.records === 0) return { way: "none", total: 0 };
  const total = isWhole && other === undefined && rarest.isCounted ? rarest.records : undefined;
  if (total !== undefined && offset >= total) return { way: "none", total };
  const isCounting = total === undefined && !isWalk;
  const scanned = isCounting ? rows : Math.min(1, (offset + limit) / rarest.records) * rows;
  const costs = found.map((condition) => costOfGathering(condition, found, rows));
  const least = Math.min(...costs);
  if (isByRank && least < scanned) return { way: "gather", by: costs.indexOf(least) };
  const areTexts = found.length === 2 && found.every(({ field }) => textFields.includes(field));
  return isCounting && isWhole && areTexts ? { way: "count" } : { way: "scan", total };
}

/** The rows that are scanned in the time of gathering the lists of a condition; infinite if they are too many. */
function costOfGathering(
  { field, records, lists }: KnownCondition,
  found: readonly KnownCondition[],
  rows: number,
): number {
  const isText = textFields.includes(field);
  const texts = isText ? [] : found.filter((other) => textFields.includes(other.field));
  const gathered = records * Math.min(1, ...texts.map((text) => text.records / rows)); // that have the texts, roughly
  if (gathered > maxGathered || records > maxChecked) return Number.POSITIVE_INFINITY;
  return records * (isText ? 0 : checkCost) + gathered * recordCost + lists * listCost;
}
