// Finds and counts the rows whose byte has a value, in loops over four bytes at a time.

// The bytes are in the 32-bit integers of a packed column, the first in the lowest bits: row `row` is in the integer `row >>> 2`.

/** The integer of four bytes that have the value. */
export function fourOf(value: number): number {
  return Math.imul(value, 0x0101_0101);
}

/** The lowest bit of each byte is set if the bytes are equal there; the other bits are not set. */
function equalBytes(four: number, others: number): number {
  const different = four ^ others;
  return (~(((different & 0x7f7f_7f7f) + 0x7f7f_7f7f) | different) >>> 7) & 0x0101_0101;
}

/** The bytes of the integer at `index` that are rows `from` up to, but not including, `to`: all bits of them. */
function maskOf(index: number, from: number, to: number): number {
  const [skipped, left] = [from - 4 * index, to - 4 * index];
  return (skipped > 0 ? -1 << (8 * skipped) : -1) & (left < 4 ? ~(-1 << (8 * left)) : -1);
}

/** Integers whose equal bytes are added up in the bytes of one: none exceeds 255. */
const addedAtOnce = 255;

/**
 * The number of rows with the value, from `from` up to, but not including, `to`.
 * @param base the first integer of the block
 */
export function countBytes(block: Int32Array, base: number, value: number, from: number, to: number): number {
  if (from >= to) return 0;
  const four = fourOf(value);
  const [first, last] = [from >>> 2, (to - 1) >>> 2];
  let hits = sumBytes(equalBytes(block[first - base] as number, four) & maskOf(first, from, to));
  if (first === last) return hits;
  hits += sumBytes(equalBytes(block[last - base] as number, four) & maskOf(last, from, to));
  for (let at = first + 1; at < last; at += addedAtOnce)
    hits += countWhole(block, four, at - base, Math.min(at + addedAtOnce, last) - base);
  return hits;
}

function countWhole(block: Int32Array, four: number, from: number, to: number): number {
  let sums = 0;
  for (let at = from; at < to; at++) sums += equalBytes(block[at] as number, four);
  return sumBytes(sums);
}

function sumBytes(four: number): number {
  return (four & 0xff) + ((four >>> 8) & 0xff) + ((four >>> 16) & 0xff) + (four >>> 24);
}

/** Writes the rows with the value; returns how many there are. */
export function findBytes(
  block: Int32Array,
  base: number,
  value: number,
  from: number,
  to: number,
  rows: Int32Array,
): number {
  const four = fourOf(value);
  const [first, stop] = [(from + 3) >>> 2, to >>> 2]; // the integers all of whose bytes are rows
  if (first >= stop) return findSome(block, base, four, from, to, rows, 0);
  const before = findSome(block, base, four, from, 4 * first, rows, 0);
  const sample = Math.min(first + sampleLength, stop);
  const known = findMany(block, base, four, first, sample, rows, before);
  const isRare = (known - before) * rareShare < 4 * (sample - first);
  const hits = (isRare ? findRare : findMany)(block, base, four, sample, stop, rows, known);
  return findSome(block, base, four, 4 * stop, to, rows, hits);
}

/** Integers by which the share of rows with the value is estimated. */
const sampleLength = 512;

/** If at most one row in 24 has the value, the processor mostly predicts a branch that skips integers. */
const rareShare = 24;

/** Writes those of four rows whose byte is equal, after the first `hits`; returns how many there are then. */
function writeRows(rows: Int32Array, hits: number, row: number, equal: number): number {
  let found = hits;
  rows[found] = row;
  found += equal & 1;
  rows[found] = row + 1;
  found += (equal >>> 8) & 1;
  rows[found] = row + 2;
  found += (equal >>> 16) & 1;
  rows[found] = row + 3;
  return found + (equal >>> 24);
}

/** Does the same for few rows, after the first `hits` that are found. */
function findSome(
  block: Int32Array,
  base: number,
  four: number,
  from: number,
  to: number,
  rows: Int32Array,
  hits: number,
): number {
  let found = hits;
  for (let row = from; row < to; row++) {
    rows[found] = row;
    found += (equalBytes(block[(row >>> 2) - base] as number, four) >>> (8 * (row & 3))) & 1;
  }
  return found;
}

/** Does the same for all bytes of integers. */
function findMany(
  block: Int32Array,
  base: number,
  four: number,
  first: number,
  stop: number,
  rows: Int32Array,
  hits: number,
): number {
  let found = hits;
  for (let at = first; at < stop; at++) {
    const equal = equalBytes(block[at - base] as number, four);
    found = writeRows(rows, found, 4 * at, equal);
  }
  return found;
}

/** Does the same if most integers have no byte with the value. */
function findRare(
  block: Int32Array,
  base: number,
  four: number,
  first: number,
  stop: number,
  rows: Int32Array,
  hits: number,
): number {
  let found = hits;
  for (let at = first; at < stop; at++) {
    const equal = equalBytes(block[at - base] as number, four);
    if (equal === 0) continue;
    found = writeRows(rows, found, 4 * at, equal);
  }
  return found;
}

/** Keeps the first `count` of the rows that have the value; returns how many there are. */
export function keepBytes(
  block: Int32Array,
  base: number,
  value: number,
  rows: Int32Array,
  count: number,
): number {
  let hits = 0;
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    const byte = ((block[(row >>> 2) - base] as number) >>> ((row & 3) << 3)) & 0xff;
    rows[hits] = row;
    hits += ((byte ^ value) - 1) >>> 31; // 1 if they are equal
  }
  return hits;
}
