// Reads amounts, and finds the records of a year that reach an amount: amounts descend within a year of the result order.
import type { Column, Columns } from "../release/columns.ts";

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
