// Sets of small integers, one bit for each, 32 in an integer; and spans: runs of neighboring rows of an order.
import { maxBlock } from "../release/columns.ts";

/** A set of integers, e.g., ids of texts. Loops read it directly, as `hasBit` does. */
export type Bits = Int32Array;

/** An empty set for the integers 0 to `length`, that last one included: it is the id of "no text", and never in the set. */
export function newBits(length: number): Bits {
  return new Int32Array((length >>> 5) + 1);
}

/** True if the integer is in the set. */
export function hasBit(bits: Bits, integer: number): boolean {
  return (((bits[integer >>> 5] as number) >>> integer) & 1) === 1;
}

/** Adds integers to the set. */
export function addBits(bits: Bits, integers: Int32Array): void {
  for (let index = 0; index < integers.length; index++) {
    const integer = integers[index] as number;
    bits[integer >>> 5] = (bits[integer >>> 5] as number) | (1 << integer);
  }
}

/** Calls `visit` with the integers in the set, in order, at most `maxBlock` at a time, in an array that is valid during the call. */
export function visitBits(bits: Bits, visit: (some: Int32Array) => void): void {
  const integers = new Int32Array(Math.min(maxBlock, 32 * bits.length));
  let count = 0;
  for (let index = 0; index < bits.length; index++) {
    if (count + 32 > integers.length) {
      visit(integers.subarray(0, count));
      count = 0;
    }
    for (let left = bits[index] as number; left !== 0; left &= left - 1)
      integers[count++] = index * 32 + 31 - Math.clz32(left & -left);
  }
  if (count > 0) visit(integers.subarray(0, count));
}

/** Adds an integer; returns whether it was not in the set. */
export function addBit(bits: Bits, integer: number): boolean {
  const before = bits[integer >>> 5] as number;
  bits[integer >>> 5] = before | (1 << (integer & 31));
  return bits[integer >>> 5] !== before;
}

/** Removes the integers that are not in the other set. */
export function keepCommon(bits: Bits, others: Bits): void {
  for (let index = 0; index < bits.length; index++)
    bits[index] = (bits[index] as number) & (others[index] as number);
}

/** Calls `visit` with each run of neighbors in the set, in order: its first integer, and the one after its last. */
export function visitRuns(bits: Bits, visit: (from: number, to: number) => void): void {
  let [from, to] = [0, 0]; // the run that is being collected
  for (let index = 0; index < bits.length; index++) {
    let left = bits[index] as number;
    if (left === -1 && to === index * 32) {
      to += 32;
      continue;
    }
    for (; left !== 0; left &= left - 1) {
      const at = index * 32 + 31 - Math.clz32(left & -left);
      if (at !== to) {
        if (to > from) visit(from, to);
        from = at;
      }
      to = at + 1;
    }
  }
  if (to > from) visit(from, to);
}

/** How many of the integers `from` up to, but not including, `to` are in the set. */
export function countBits(bits: Bits, from: number, to: number): number {
  if (from >= to) return 0;
  const [first, last] = [from >>> 5, (to - 1) >>> 5];
  const [afterFirst, beforeLast] = [-1 << from, -1 >>> -to]; // a shift uses the lowest five bits of its distance
  if (first === last) return countOnes((bits[first] as number) & afterFirst & beforeLast);
  let count =
    countOnes((bits[first] as number) & afterFirst) + countOnes((bits[last] as number) & beforeLast);
  for (let index = first + 1; index < last; index++) {
    const word = bits[index] as number;
    if (word !== 0) count += countOnes(word); // most sets are sparse
  }
  return count;
}

/** The number of bits of a 32-bit integer that are 1: sums of two neighbors, then of four, of eight, and of all. */
function countOnes(word: number): number {
  const twos = word - ((word >>> 1) & 0x5555_5555);
  const fours = (twos & 0x3333_3333) + ((twos >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Rows in ascending order: `spans[0]` up to, but not including, `spans[1]`, then `spans[2]` to `spans[3]`, and so on. */
export type Spans = Int32Array;

export function countSpans(spans: Spans): number {
  let rows = 0;
  for (let span = 0; span < spans.length; span += 2)
    rows += (spans[span + 1] as number) - (spans[span] as number);
  return rows;
}

/** The rows of spans that are at or after a row. */
export function clipSpans(spans: Spans, from: number): Spans {
  return spans.map((row) => Math.max(row, from));
}

/** The same rows in spans of at most `length` rows, none of them empty. */
export function cutSpans(spans: Spans, length: number): Spans {
  const cut: number[] = [];
  for (let span = 0; span < spans.length; span += 2) {
    const to = spans[span + 1] as number;
    for (let from = spans[span] as number; from < to; from += length)
      cut.push(from, Math.min(from + length, to));
  }
  return Int32Array.from(cut);
}

/** The rows, in ascending order, that are in the spans. */
export function keepRows(rows: Int32Array, spans: Spans): Int32Array {
  let span = 0;
  return rows.filter((row) => {
    while (span < spans.length && row >= (spans[span + 1] as number)) span += 2;
    return span < spans.length && row >= (spans[span] as number);
  });
}

/** The rows of spans after the first `offset`, at most `limit`. */
export function readSpans(spans: Spans, offset: number, limit: number): number[] {
  const rows: number[] = [];
  let left = offset; // rows to skip
  for (let span = 0; span < spans.length && rows.length < limit; span += 2) {
    const [from, to] = [spans[span] as number, spans[span + 1] as number];
    for (let row = from + left; row < to && rows.length < limit; row++) rows.push(row);
    left = Math.max(0, left - (to - from));
  }
  return rows;
}
