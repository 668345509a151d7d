// Adds up the marks of matches: non-cash support, totals over people, and money that is passed on.
import type { Sum } from "../contract/sizes.ts";
import type { MarkName } from "../release/attributes.ts";
import type { Columns } from "../release/columns.ts";
import { type Bits, hasBit, keepCommon, visitBits } from "./bits.ts";
import type { Collected, Collector } from "./collect.ts";

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
