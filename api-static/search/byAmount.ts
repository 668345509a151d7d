// Puts the matching rows of several years in the order by amount, as far as a page needs them.
import type { Amounts } from "./amounts.ts";
import type { Checkpoint } from "./texts.ts";

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
  const heap = new Heap(years.map((rows) => new Year(rows, amounts)).filter((year) => year.next()));
  const found: number[] = [];
  for (let year = heap.first; year !== undefined && found.length < wanted; year = heap.first) {
    if (found.length % rowsAtOnce === 0) checkpoint();
    found.push(year.row);
    heap.replaceFirst(year.next());
  }
  return found;
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

/** A binary heap: no year comes before the one at half its index. */
class Heap {
  readonly #years: Year[];

  constructor(years: Year[]) {
    this.#years = years.sort((one, other) => (one.isBefore(other) ? -1 : 1));
  }

  get first(): Year | undefined {
    return this.#years[0];
  }

  /** Puts the first year in its new place. @param isLeft false to remove it */
  replaceFirst(isLeft: boolean): void {
    const years = this.#years;
    const last = isLeft ? undefined : years.pop();
    if (years.length === 0) return;
    const moved = last ?? (years[0] as Year);
    let at = 0;
    for (;;) {
      const [left, right] = [years[2 * at + 1], years[2 * at + 2]];
      if (left === undefined) break;
      const child = right?.isBefore(left) ? 2 * at + 2 : 2 * at + 1;
      if (!(years[child] as Year).isBefore(moved)) break;
      years[at] = years[child] as Year;
      at = child;
    }
    years[at] = moved;
  }
}
