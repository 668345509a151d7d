// Scans rows of an order: counts those that meet the conditions, and collects the rows of a page.
import { type Column, maxBlock, minBlock } from "../release/columns.ts";
import type { Bits } from "./bits.ts";
import type { Checkpoint } from "./texts.ts";

/** Rows in ascending order: `spans[0]` up to, but not including, `spans[1]`, then `spans[2]` to `spans[3]`, and so on. */
export type Spans = Int32Array;

/** A row meets it if its value in the column is in the set. */
export type Condition = { readonly column: Column; readonly bits: Bits };

/** Which of the matching rows to collect, and whether to go on after them until all are counted. */
export type Page = { readonly offset: number; readonly limit: number; readonly isCounting: boolean };

/** The rows of the page, and the number of matching rows that were seen. */
export type FoundRows = { readonly rows: number[]; readonly seen: number };

export function countSpans(spans: Spans): number {
  let rows = 0;
  for (let span = 0; span < spans.length; span += 2)
    rows += (spans[span + 1] as number) - (spans[span] as number);
  return rows;
}

/** The rows of spans from a row on. */
export function clipSpans(spans: Spans, from: number): Spans {
  return spans.map((row) => Math.max(row, from));
}

/** The rows of a page of spans whose rows all match. */
export function readSpans(spans: Spans, { offset, limit }: Page): FoundRows {
  const rows: number[] = [];
  let seen = 0;
  for (let span = 0; span < spans.length; span += 2) {
    const [from, to] = [spans[span] as number, spans[span + 1] as number];
    const first = from + Math.max(0, offset - seen);
    for (let row = first; row < to && rows.length < limit; row++) rows.push(row);
    seen += to - from;
  }
  return { rows, seen };
}

/** Hits that are collected before the other conditions filter them, at most. */
const maxHits = 2 * maxBlock;

/** Share of rows that meet the first condition from which both are checked together: below it, filtering the hits is faster. */
const denseShare = 0.3;

/** Scans rows by conditions, the rarest first. An instance is used again and again, because it keeps its memory. */
export class Scan {
  readonly #checkpoint: Checkpoint;
  readonly #hits = new Int32Array(maxHits);

  constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint;
  }

  run(spans: Spans, conditions: readonly [Condition, ...Condition[]], page: Page): FoundRows {
    const { offset, limit, isCounting } = page;
    const [first, ...others] = conditions;
    const rows: number[] = [];
    let [seen, hits, scanned] = [0, 0, 0]; // matches so far; hits that are not filtered yet, and the rows they were found in
    let [blockEnd, quota, isDense] = [0, minBlock, false]; // a page is often full after few rows
    const filter = () => {
      isDense = hits > scanned * denseShare;
      let found = hits;
      for (const other of others) found = filterHits(other, this.#hits, found);
      for (let hit = Math.max(0, offset - seen); hit < found && rows.length < limit; hit++)
        rows.push(this.#hits[hit] as number);
      seen += found;
      [hits, scanned] = [0, 0];
    };
    for (let span = 0; span < spans.length; span += 2) {
      const to = spans[span + 1] as number;
      for (let row = spans[span] as number; row < to; ) {
        if (row >= blockEnd || scanned >= quota) {
          filter();
          if (!isCounting && rows.length === limit) return { rows, seen };
          this.#checkpoint();
          quota = Math.min(quota * 2, maxBlock);
          blockEnd = Math.min(...conditions.map(({ column }) => column.seek(row)));
        }
        const end = Math.min(to, blockEnd, row + quota);
        const isOutside = rows.length === limit || seen + hits + end - row <= offset;
        if (isOutside && others.length === 0) seen += countHits(first, row, end);
        else if (isOutside && isDense && others.length === 1)
          seen += countBoth(first, others[0] as Condition, row, end);
        else hits = collectHits(first, row, end, this.#hits, hits);
        scanned += end - row;
        row = end;
      }
    }
    filter();
    return { rows, seen };
  }
}

function countHits({ column, bits }: Condition, from: number, to: number): number {
  const { block } = column;
  const stop = to - column.from;
  let [at, hits] = [from - column.from, 0];
  for (; at + 4 <= stop; at += 4) {
    const one = block[at] as number;
    const two = block[at + 1] as number;
    const three = block[at + 2] as number;
    const four = block[at + 3] as number;
    hits +=
      (((bits[one >>> 5] as number) >>> one) & 1) +
      (((bits[two >>> 5] as number) >>> two) & 1) +
      (((bits[three >>> 5] as number) >>> three) & 1) +
      (((bits[four >>> 5] as number) >>> four) & 1);
  }
  for (; at < stop; at++) {
    const value = block[at] as number;
    hits += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return hits;
}

function countBoth(first: Condition, other: Condition, from: number, to: number): number {
  const [block, otherBlock] = [first.column.block, other.column.block];
  const [bits, otherBits] = [first.bits, other.bits];
  const shift = first.column.from - other.column.from;
  const stop = to - first.column.from;
  let hits = 0;
  for (let at = from - first.column.from; at < stop; at++) {
    const value = block[at] as number;
    const otherValue = otherBlock[at + shift] as number;
    hits +=
      ((bits[value >>> 5] as number) >>> value) &
      ((otherBits[otherValue >>> 5] as number) >>> otherValue) &
      1;
  }
  return hits;
}

/**
 * Adds the rows that meet a condition to the first `found` hits; returns the new number. Writes every row, and keeps it by moving
 * on: without a branch, which the processor could not predict.
 */
function collectHits(
  { column, bits }: Condition,
  from: number,
  to: number,
  hits: Int32Array,
  found: number,
): number {
  const { block, from: base } = column;
  let next = found;
  for (let row = from; row < to; row++) {
    const value = block[row - base] as number;
    hits[next] = row;
    next += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return next;
}

/** Keeps the hits that meet a condition, of the first `count`; returns their number. */
function filterHits({ column, bits }: Condition, hits: Int32Array, count: number): number {
  const { block, from: base } = column;
  let found = 0;
  for (let hit = 0; hit < count; hit++) {
    const row = hits[hit] as number;
    const value = block[row - base] as number;
    hits[found] = row;
    found += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return found;
}
