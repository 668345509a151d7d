// Chooses the recipients whose sums a broad search needs: the first ones of a page are nearly always among the leaders of all grants.
import type { Column, Columns } from "../release/columns.ts";
import type { Group, GroupOrder } from "./topGroups.ts";

/** How many times as many leaders are tried if the first ones do not prove the page. */
const growth = 16;

/** An amount that `most` cannot exceed stands for any larger one. */
const maxAmount = 2n ** 63n - 1n;

/** The recipients of a release with the most money, or the most records, in order. */
export class Leaders {
  readonly #order: GroupOrder;
  readonly #ids: Column;
  /** The most that a leader, and any group after it, has in a search. */
  readonly #most: Column;
  /** Leaders whose sums are found first, at least. */
  readonly #least: number;

  constructor(columns: Columns, order: GroupOrder, least: number) {
    this.#least = least;
    this.#order = order;
    this.#ids = columns.column(`recipient.by_${order}`);
    this.#most = columns.column(`recipient.by_${order}.most`);
  }

  /**
   * How many leaders to begin with; undefined if the sums of all groups are wanted. The fewest after which no group has half as much as
   * the last of the page is likely to have.
   * @param share of all records that match, at most
   * @param limit groups of the page
   */
  choose(share: number, limit: number): number | undefined {
    const last = this.#mostAt(2 * limit);
    if (last === undefined) return undefined;
    const likely = (share * Number(last)) / 2;
    for (let count = this.#least; count < this.#ids.length; count *= 2)
      if (Number(this.#mostAt(count)) < likely) return count;
    return undefined;
  }

  /** A larger number of leaders; undefined if all groups are wanted. */
  grow(count: number): number | undefined {
    return count * growth < this.#ids.length ? count * growth : undefined;
  }

  /** True if no group after the first `count` leaders can be as large as this one. */
  isProven(count: number, last: Group | undefined): boolean {
    const most = this.#mostAt(count);
    if (last === undefined || most === undefined || most === maxAmount) return false;
    return BigInt(last[this.#order]) > most;
  }

  /** The first leaders, and an id that is none of them unless it is negative. */
  list(count: number, other: number): Int32Array {
    const ids = new Int32Array(other < 0 ? count : count + 1);
    ids.set(this.#ids.slice(0, count));
    if (other >= 0) ids[count] = other;
    return ids;
  }

  #mostAt(index: number): bigint | undefined {
    if (index >= this.#ids.length) return undefined;
    return this.#order === "amount" ? this.#most.bigAt(index) : BigInt(this.#most.at(index));
  }
}
