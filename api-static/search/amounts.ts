// Reads amounts: finds the records of a year that reach one, as amounts descend within a year of the result order, and puts rows in order by them.
import type { Column, Columns } from "../release/columns.ts";
import type { Checkpoint } from "./texts.ts";

/** Amounts read at once: that takes hardly longer than reading one. */
const blockLength = 4_096;

/** The amounts of all records by rank. */
export class Amounts {
  readonly #column: Column;
  /** Amounts that were read to halve a range of ranks. Every search halves the same ranges of a year, so few are read twice. */
  readonly #halves = new Map<number, bigint>();

  constructor(columns: Columns) {
    this.#column = columns.column("rank.amount");
  }

  /** The end of the ranks whose amount is at least `minimum`, in a year with the ranks `first` up to, but not including, `end`. */
  findEnd(minimum: bigint, first: number, end: number): number {
    let [low, high] = [first, end];
    while (low < high) {
      const isFar = high - low > blockLength;
      if (!isFar) this.#column.seek(2 * low, 2 * high);
      const middle = (low + high) >>> 1;
      const amount = isFar ? this.#readHalf(middle) : this.#column.bigAt(middle);
      if (amount >= minimum) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The amounts of ranks in ascending order. */
  read(ranks: ArrayLike<number>): bigint[] {
    return Array.from(ranks, (rank) => this.#column.bigAt(rank));
  }

  #readHalf(rank: number): bigint {
    const amount = this.#halves.get(rank) ?? this.#column.bigAt(rank);
    this.#halves.set(rank, amount);
    return amount;
  }
}

/** The matching rows of one year in result order, block by block: their amounts descend. */
export type YearRows = Iterator<{ readonly rows: ArrayLike<number>; readonly ranks: ArrayLike<number> }>;

/** Rows that are taken between two checkpoints. */
const rowsAtOnce = 4_096;

/** The first `wanted` rows of all years by amount, descending, and rows with equal amounts by rank: by year, then by id. */
export function findByAmount(
  years: readonly YearRows[],
  amounts: Amounts,
  wanted: number,
  checkpoint: Checkpoint,
): number[] {
  const left = years.map((rows) => new Year(rows, amounts)).filter((year) => year.next());
  left.sort((one, other) => (one.isBefore(other) ? -1 : 1));
  const found: number[] = [];
  for (let year = left[0]; year !== undefined && found.length < wanted; year = left[0]) {
    if (found.length % rowsAtOnce === 0) checkpoint();
    found.push(year.row);
    if (year.next()) moveFirst(left);
    else left.shift();
  }
  return found;
}

/** Puts the first year after those that now come before it. There are few years. */
function moveFirst(years: Year[]): void {
  const moved = years[0] as Year;
  let at = 0;
  for (; years[at + 1]?.isBefore(moved); at++) years[at] = years[at + 1] as Year;
  years[at] = moved;
}

/** The next row of a year. */
class Year {
  row = 0;
  #rank = 0;
  #cents = 0n;
  readonly #blocks: YearRows;
  readonly #amounts: Amounts;
  #block: { readonly rows: ArrayLike<number>; readonly ranks: ArrayLike<number> } = { rows: [], ranks: [] };
  #found: readonly bigint[] = [];
  #at = -1;

  constructor(blocks: YearRows, amounts: Amounts) {
    this.#blocks = blocks;
    this.#amounts = amounts;
  }

  /** Moves to the next row; false if there is none. */
  next(): boolean {
    this.#at += 1;
    while (this.#at === this.#block.rows.length) {
      const { value, done } = this.#blocks.next();
      if (done) return false;
      this.#block = value;
      this.#found = this.#amounts.read(value.ranks);
      this.#at = 0;
    }
    this.row = this.#block.rows[this.#at] as number;
    this.#rank = this.#block.ranks[this.#at] as number;
    this.#cents = this.#found[this.#at] as bigint;
    return true;
  }

  isBefore(other: Year): boolean {
    return this.#cents === other.#cents ? this.#rank < other.#rank : this.#cents > other.#cents;
  }
}
