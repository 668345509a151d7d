// Collects the matches of a search: adds them up by year and size band, which are windows of ranks, by group, and by mark.
import { addSums, emptySum, type Sum, sizeBounds } from "../contract/text/amount.ts";
import type { MarkName } from "../release/attributes.ts";
import { type Column, type Columns, maxBlock } from "../release/columns.ts";
import { Amounts } from "./amounts.ts";
import { type Bits, hasBit, keepCommon, visitBits } from "./bits.ts";
import type { Sums } from "./sums.ts";

const bands = sizeBounds.length + 1;

/** The largest amount of each band, or of its lower 32 bits with a sign. Only those of the first and the last band can be larger. */
const maxLows = [2 ** 31, ...sizeBounds.slice(1).map(Number), 2 ** 31];

/** Calls `visit` with the ranks of all matches in ascending order, at most `maxBlock` at a time, in an array that is valid during the call. */
export type VisitMatches = (visit: (ranks: Int32Array) => void) => void;

/** Groups to add matches to: the column has the group of each rank. */
export type Grouping = { readonly column: Column; readonly sums: Sums };

/** The sums of each year, newest first, of each size band, smallest first, and of all matches. */
export type Collected = {
  readonly years: readonly (Sum & { readonly year: number })[];
  readonly sizes: readonly Sum[];
  readonly all: Sum;
};

export class Collector {
  readonly #years: readonly number[];
  /** Where each window ends: of each year, newest first, the bands, largest first. */
  readonly #ends: Int32Array;
  readonly #amounts: Column;
  readonly #values = { lows: new Int32Array(maxBlock), highs: new Int32Array(maxBlock) };
  readonly #groups: Int32Array[] = [];

  constructor(columns: Columns) {
    const { years } = columns.header;
    const amounts = new Amounts(columns);
    const lower = sizeBounds.toReversed();
    this.#years = years.map(({ year }) => year);
    this.#ends = Int32Array.from(
      years.flatMap(({ first, records }) => {
        const end = first + records;
        return [...lower.map((bound) => amounts.findEnd(bound, first, end)), end];
      }),
    );
    this.#amounts = columns.column("rank.amount");
  }

  /** Adds up all matches. */
  collect(visitMatches: VisitMatches, groupings: readonly Grouping[]): Collected {
    const windows: Sum[] = Array.from(this.#ends, () => emptySum);
    visitMatches((ranks) => this.#add(ranks, windows, groupings));
    const years = this.#years.map((year, index) => ({
      year,
      ...addSums(windows.slice(index * bands, (index + 1) * bands)),
    }));
    const sizes = Array.from({ length: bands }, (_, band) =>
      addSums(windows.filter((_, window) => window % bands === bands - 1 - band)),
    );
    return { years: years.filter(({ records }) => records > 0), sizes, all: addSums(sizes) };
  }

  #add(ranks: Int32Array, windows: Sum[], groupings: readonly Grouping[]): void {
    const { lows, highs } = this.#values;
    gather(this.#amounts, ranks, lows, 2, 0);
    const groups = groupings.map(({ column }, index) => this.#readGroups(column, ranks, index));
    for (let from = 0, to = 0, window = 0; from < ranks.length; from = to, window++) {
      to = findAtLeast(ranks, this.#ends[window] as number, from);
      if (to === from) continue;
      const band = bands - 1 - (window % bands);
      const { records, amount } = windows[window] as Sum;
      const sum = { records: records + to - from, amount: amount + BigInt(addLows(lows, from, to)) };
      for (const [index, { sums }] of groupings.entries())
        sums.add(groups[index] as Int32Array, lows, from, to, maxLows[band] as number);
      if (band === 0 || band === bands - 1) {
        gather(this.#amounts, ranks.subarray(from, to), highs, 2, 1);
        sum.amount += this.#addHighs(from, to, groupings, groups);
      }
      windows[window] = sum;
    }
  }

  /** The group of each rank, without a copy if the ranks are neighbors. Valid until the next read. */
  #readGroups(column: Column, ranks: Int32Array, grouping: number): Int32Array {
    const first = ranks[0] as number;
    if ((ranks.at(-1) as number) - first === ranks.length - 1)
      return column.slice(first, first + ranks.length);
    this.#groups[grouping] ??= new Int32Array(maxBlock);
    gather(column, ranks, this.#groups[grouping], 1, 0);
    return this.#groups[grouping];
  }

  /** Adds the part of each amount that its lower 32 bits lack; returns the sum of these parts. */
  #addHighs(from: number, to: number, groupings: readonly Grouping[], groups: readonly Int32Array[]): bigint {
    const { lows, highs } = this.#values;
    let sum = 0n;
    for (let index = from; index < to; index++) {
      const multiple = (highs[index - from] as number) + ((lows[index] as number) >>> 31); // of 2^32
      if (multiple === 0) continue;
      const cents = BigInt(multiple) << 32n;
      for (const [grouping, { sums }] of groupings.entries())
        sums.addLarge((groups[grouping] as Int32Array)[index] as number, cents);
      sum += cents;
    }
    return sum;
  }
}

/**
 * Fills `values` with the values of a column at ascending ranks. The column reads blocks, which grow where ranks are close.
 * @param width values of the column per rank
 * @param part of them that is wanted
 */
function gather(column: Column, ranks: Int32Array, values: Int32Array, width: 1 | 2, part: 0 | 1): void {
  for (let done = 0; done < ranks.length; ) {
    column.seek((ranks[done] as number) * width + part);
    done = copyValues(column, ranks, values, done, width, part);
  }
}

/** Copies the values of ranks that are in the column's block, from the rank at `index` on. Returns the index of the first other rank. */
function copyValues(
  { block, from, to }: Column,
  ranks: Int32Array,
  values: Int32Array,
  index: number,
  width: number,
  part: number,
): number {
  let done = index;
  for (; done < ranks.length; done++) {
    const at = (ranks[done] as number) * width + part;
    if (at >= to) break;
    values[done] = block[at - from] as number;
  }
  return done;
}

function addLows(lows: Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) sum += lows[index] as number;
  return sum;
}

/** The first index from `from` on with a rank of at least `rank`. */
function findAtLeast(ranks: Int32Array, rank: number, from: number): number {
  let [low, high] = [from, ranks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranks[middle] as number) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Cents in two halves, as a column has them: a sum of big integers would take several times as long. */
type Halves = { records: number; low: number; high: number };

/** From this on, the low half is carried into the high one. Both stay exact below 2^53. */
const carryAt = 2 ** 52;

export class Marks {
  readonly #columns: Columns;
  readonly #collector: Collector;

  constructor(columns: Columns, collector: Collector) {
    this.#columns = columns;
    this.#collector = collector;
  }

  /** The sums of the matches that have a mark. */
  addUp(mark: MarkName, matches: Bits): Collected {
    const found = this.#read(mark);
    keepCommon(found, matches);
    return this.#collector.collect((visit) => visitBits(found, visit), []);
  }

  /** The number and value of the matches with non-cash support in each of some groups. */
  addUpNonCash(matches: Bits, groups: readonly number[], groupOf: (rank: number) => number): readonly Sum[] {
    const sums = new Map(groups.map((group): [number, Halves] => [group, { records: 0, low: 0, high: 0 }]));
    const amounts = this.#columns.column("non_cash.amount");
    let row = 0; // of the column, which has a value for each bit
    visitBits(this.#read("non_cash"), (ranks) => {
      for (const rank of ranks) {
        const sum = hasBit(matches, rank) ? sums.get(groupOf(rank)) : undefined;
        if (sum !== undefined) addHalves(sum, amounts.at(2 * row), amounts.at(2 * row + 1));
        row++;
      }
    });
    return [...sums.values()].map(joinHalves);
  }

  #read(mark: MarkName): Bits {
    return this.#columns.integers(`${mark}.bits`);
  }
}

function addHalves(sum: Halves, low: number, high: number): void {
  sum.records++;
  sum.low += low >>> 0;
  sum.high += high;
  if (sum.low < carryAt) return;
  sum.high += Math.floor(sum.low / 2 ** 32);
  sum.low %= 2 ** 32;
}

function joinHalves({ records, low, high }: Halves): Sum {
  return { records, amount: (BigInt(high) << 32n) + BigInt(low) };
}
