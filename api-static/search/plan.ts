// Plans a search of the columns: how to find the page, from what is known about the filters.
import { type FoundCondition, isPlaceField, isTextField, listedFields } from "./conditions.ts";

/** Facts known before rows are read. */
export type Known = {
  /** The rows that meet the filters on year, amount, and one funder or recipient. */
  readonly rows: number;
  /** All records. */
  readonly all: number;
  /** True if the rows are so few that the record of each is read. */
  readonly isRead: boolean;
  /** True if there are other filters than those that the rows meet. */
  readonly isFiltered: boolean;
  /** True if the rows are by rank. */
  readonly isByRank: boolean;
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
  /** The records of a condition's texts are counted that meet the others; then the search is planned again. */
  | { readonly way: "count"; readonly by: number }
  /** The records of the lists of one condition are checked and sorted by rank. */
  | { readonly way: "gather"; readonly by: number };

/** Rows up to which reading the record of each is faster than finding the texts that contain a pattern. */
export const maxRead = 300;

/** Records that are gathered, at most: sorting them takes a millisecond or two. */
export const maxGathered = 65_536;

/** Records whose texts or places are checked before they are gathered, at most. */
const maxChecked = 2 ** 20;

// Costs are in rows that are scanned in the same time.

/** Checking the texts of a record of a funder or a recipient. */
const checkCost = 2;

/** Checking the place of a row or of a record in a list, which is a byte; and once more if it matches. */
const byteCost = 0.6;
const byteHitCost = 6;

/** Reading the byte of a row from the file, among all others. */
const byteReadCost = 0.15;

/** Finding one record of a list and sorting it by rank; with a check of places, which is a call for each list, more. */
const recordCost = 24;
const checkedRecordCost = 60;

/** Reading the records of one more list from the file, and visiting a list whose records are read with those around it. */
const listCost = 600;
const visitCost = 20;

/** Plans a search for the page of `limit` records after the first `offset` matches. */
export function planSearch(known: Known, offset: number, limit: number): SearchPlan {
  const { rows, all, isRead, isFiltered, isByRank, isWalk, found } = known;
  if (!isFiltered) return { way: "window" };
  if (isRead) return { way: "read" };
  const [rarest, other] = found;
  if (rarest === undefined || rarest.records === 0) return { way: "none", total: 0 };
  const isWhole = rows === all;
  const total = isWhole && other === undefined && rarest.isCounted ? rarest.records : undefined;
  if (total !== undefined && offset >= total) return { way: "none", total };
  const isCounting = total === undefined && !isWalk;
  const scanned = isCounting ? rows : Math.min(1, (offset + limit) / rarest.records) * rows;
  const scanCost = scanned * costOfRow(known);
  const costs = found.map((condition) => costOfGathering(condition, known));
  const least = Math.min(...costs);
  const countCost = isCounting && isWhole ? costOfCounting(known) : Infinity;
  if (isByRank && least < Math.min(scanCost, countCost)) return { way: "gather", by: costs.indexOf(least) };
  if (countCost <= scanCost) return { way: "count", by: found.findIndex(({ field }) => isTextField(field)) };
  return { way: "scan", total };
}

/** A scan checks the byte of a place first, and the rest only where that matches. */
function costOfRow({ all, found }: Known): number {
  const place = found.find(({ field }) => isPlaceField(field));
  return place === undefined ? 1 : byteCost + byteHitCost * (place.records / all);
}

/** Infinite without a text, or if its order lacks another field. Of two texts, it takes no longer than a scan. */
function costOfCounting({ all, found }: Known): number {
  const text = found.find(({ field }) => isTextField(field));
  if (text === undefined || !found.every(({ field }) => listedFields.includes(field))) return Infinity;
  if (found.every(({ field }) => isTextField(field))) return found.length === 2 ? all : Infinity;
  return text.records * byteCost + text.lists * visitCost + all * byteReadCost;
}

/** Infinite if the records are too many. */
function costOfGathering({ field, records, lists }: KnownCondition, { rows, all, found }: Known): number {
  const others = found.filter((other) => other.field !== field);
  const places = others.filter((other) => isPlaceField(other.field));
  const texts = isTextField(field) ? [] : others.filter((other) => isTextField(other.field));
  const shares = [...places.map((place) => place.records / all), ...texts.map((text) => text.records / rows)];
  const gathered = records * Math.min(1, ...shares); // that meet the others, roughly
  if (gathered > maxGathered || records > maxChecked) return Infinity;
  const check = isTextField(field) ? 0 : checkCost;
  if (places.length === 0) return records * check + gathered * recordCost + lists * listCost;
  const left = Math.min(lists, gathered); // lists with a record there
  return records * (byteCost + check) + gathered * checkedRecordCost + (lists + left) * listCost;
}
