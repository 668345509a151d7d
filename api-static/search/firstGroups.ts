// Finds the first groups of one kind, in as many passes over the matches as their sums take.
import { emptySum, type Sum } from "../contract/amount.ts";
import type { Column, Columns } from "../release/columns.ts";
import { hasBit } from "./bits.ts";
import type { GroupKind } from "./groupKeys.ts";
import type { Sums } from "./sums.ts";
import { type Group, type GroupOrder, TopGroups } from "./topGroups.ts";

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

/** What is wanted of the groups of a kind. */
export type FirstWanted = {
  readonly order: GroupOrder;
  readonly limit: number;
  /** The share of all records that match, at most. */
  readonly share: number;
  /** Leaders whose sums are found first, at least. */
  readonly leaders: number;
};

export class FirstGroups {
  /** The group of each rank. */
  readonly column: Column;
  readonly sums: Sums;
  /** The matches that are in no group. */
  without: Sum = emptySum;
  /** The number of groups with matches. */
  total = 0;
  top: TopGroups;
  readonly #kind: GroupKind;
  readonly #wanted: FirstWanted;
  readonly #leaders: Leaders | undefined;
  /** Leaders of this pass; undefined if it is about the slice of all groups that starts at `#first`. */
  #count: number | undefined;
  #first = 0;

  constructor(columns: Columns, kind: GroupKind, sums: Sums, wanted: FirstWanted) {
    this.column = columns.column(kind.column);
    this.sums = sums;
    this.#kind = kind;
    this.#wanted = wanted;
    this.#leaders = kind.hasLeaders ? new Leaders(columns, wanted.order, wanted.leaders) : undefined;
    this.#count = this.#leaders?.choose(wanted.share, wanted.limit);
    this.top = this.#newTop();
  }

  /** Starts a pass: all matches are added to `sums` then. */
  start(): void {
    const { ids, none } = this.#kind;
    if (this.#count === undefined) this.sums.start(ids, { first: this.#first });
    else this.sums.start(ids, { ids: (this.#leaders as Leaders).list(this.#count, none) });
  }

  /** Ends a pass. Returns false if the groups are not found, so that another one is needed. */
  end(): boolean {
    const { sums } = this;
    const { ids, none } = this.#kind;
    const places = sums.end();
    this.without = sums.sumOf(none) ?? this.without;
    const isWithout = none >= 0 && hasBit(sums.seen, none);
    this.total = sums.countSeen() - (isWithout ? 1 : 0);
    this.top.offerAll(sums, places, none);
    if (this.#count === undefined) {
      this.#first += sums.maxSlice;
      return this.#first >= ids;
    }
    const found = places.length - (isWithout ? 1 : 0);
    const last = this.top.list()[this.#wanted.limit - 1];
    if (found === this.total || this.#leaders?.isProven(this.#count, last)) return true;
    this.#count = this.#leaders?.grow(this.#count);
    this.top = this.#newTop();
    return false;
  }

  #newTop(): TopGroups {
    return new TopGroups(this.#wanted.limit, this.#wanted.order, this.#kind.placeOf);
  }
}
