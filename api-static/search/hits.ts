// Finds and counts the rows that meet conditions, in loops over columns.
import type { Column } from "../release/columns.ts";
import { type Bits, hasBit } from "./bits.ts";
import { countBytes, findBytes, keepBytes } from "./bytes.ts";

/** A row meets it if its value in the column is in the set, which threads can share. */
export type Condition = {
  readonly column: string;
  readonly bits: Bits;
  /** The only value in the set, if the column is one of bytes: they are compared four at a time. */
  readonly byte?: number | undefined;
  /** The column with each row's rank, if the values are by rank instead. */
  readonly ranks?: string | undefined;
};

export type OpenCondition = {
  /** Packed, if `byte` is given. */
  readonly column: Column;
  readonly bits: Bits;
  readonly byte: number | undefined;
  readonly ranks: Column | undefined;
};

/** Opens a column; a packed one has four bytes in each integer. */
export type OpenColumn = (name: string, isPacked?: boolean) => Column;

export function openCondition({ column, bits, byte, ranks }: Condition, open: OpenColumn): OpenCondition {
  const isPacked = byte !== undefined;
  return { column: open(column, isPacked), bits, byte, ranks: ranks === undefined ? undefined : open(ranks) };
}

/**
 * The rows `from` up to, but not including, `to` that meet all conditions; all if there are none.
 * @param rows holds them; at least as long as the rows are many
 */
export function findRows(
  conditions: readonly OpenCondition[],
  from: number,
  to: number,
  rows: Int32Array,
): Int32Array {
  const [first] = conditions;
  const isFound = first !== undefined && first.ranks === undefined;
  let count = isFound ? findHits(first, from, to, rows) : numberRows(rows, from, to);
  for (const { column, bits, byte, ranks } of isFound ? conditions.slice(1) : conditions) {
    if (count === 0) break;
    if (ranks !== undefined) count = keepByRank(column, bits, ranks, rows, count);
    else if (byte !== undefined) {
      seekBytes(column, from, to);
      count = keepBytes(column.block, column.from, byte, rows, count);
    } else if (count * sparseRows < to - from) count = keepSparse(column, bits, rows, count);
    else {
      column.seek(from, to);
      count = keepHits(column.block, column.from, bits, rows, count);
    }
  }
  return rows.subarray(0, count);
}

/** True if a row meets all conditions. */
export function meetsConditions(conditions: readonly OpenCondition[], row: number): boolean {
  return conditions.every(({ column, bits, byte, ranks }) => {
    if (byte === undefined) return hasBit(bits, column.at(ranks === undefined ? row : ranks.at(row)));
    return ((column.at(row >>> 2) >>> (8 * (row & 3))) & 0xff) === byte;
  });
}

/** Rows per row to check from which reading the values one by one is faster than reading all of them from the file. */
const sparseRows = 512;

/** Reads the bytes of rows, so that parts of them need no read. */
export function seekAllBytes(conditions: readonly OpenCondition[], from: number, to: number): void {
  for (const { column, byte } of conditions) if (byte !== undefined) seekBytes(column, from, to);
}

function seekBytes(packed: Column, from: number, to: number): void {
  packed.seek(from >>> 2, (to + 3) >>> 2);
}

// The loops have no branches, which the processor could not predict.

/** Writes the rows that meet a condition; returns how many there are. Most rows do not, so four of them are looked at together. */
function findHits({ column, bits, byte }: OpenCondition, from: number, to: number, rows: Int32Array): number {
  if (byte !== undefined) {
    seekBytes(column, from, to);
    return findBytes(column.block, column.from, byte, from, to, rows);
  }
  column.seek(from, to);
  const { block, from: base } = column;
  const stop = to - base;
  let [at, hits] = [from - base, 0];
  for (; at + 4 <= stop; at += 4) {
    const one = block[at] as number;
    const two = block[at + 1] as number;
    const three = block[at + 2] as number;
    const four = block[at + 3] as number;
    const first = ((bits[one >>> 5] as number) >>> one) & 1;
    const second = ((bits[two >>> 5] as number) >>> two) & 1;
    const third = ((bits[three >>> 5] as number) >>> three) & 1;
    const fourth = ((bits[four >>> 5] as number) >>> four) & 1;
    if ((first | second | third | fourth) === 0) continue;
    rows[hits] = base + at;
    hits += first;
    rows[hits] = base + at + 1;
    hits += second;
    rows[hits] = base + at + 2;
    hits += third;
    rows[hits] = base + at + 3;
    hits += fourth;
  }
  for (; at < stop; at++) {
    const value = block[at] as number;
    rows[hits] = base + at;
    hits += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return hits;
}

/** Writes all rows; returns how many there are. */
function numberRows(rows: Int32Array, from: number, to: number): number {
  for (let row = from; row < to; row++) rows[row - from] = row;
  return to - from;
}

/** Keeps the first `count` of the rows whose value is in the set; returns how many there are. */
function keepHits(block: Int32Array, base: number, bits: Bits, rows: Int32Array, count: number): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    const value = block[row - base] as number;
    rows[hits] = row;
    hits += ((bits[value >>> 5] as number) >>> value) & 1;
  }
  return hits;
}

/** Does the same for few of many rows. */
function keepSparse(column: Column, bits: Bits, rows: Int32Array, count: number): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    rows[hits] = row;
    if (hasBit(bits, column.at(row))) hits += 1;
  }
  return hits;
}

/** Does the same for values by rank. */
function keepByRank(column: Column, bits: Bits, ranks: Column, rows: Int32Array, count: number): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    rows[hits] = row;
    if (hasBit(bits, column.at(ranks.at(row)))) hits += 1;
  }
  return hits;
}

/** The number of rows that meet a condition. Takes four rows in each turn, which the processor works on in parallel. */
export function countHits({ column, bits, byte }: OpenCondition, from: number, to: number): number {
  if (byte !== undefined) {
    seekBytes(column, from, to);
    return countBytes(column.block, column.from, byte, from, to);
  }
  column.seek(from, to);
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
