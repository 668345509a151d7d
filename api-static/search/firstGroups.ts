// Finds the first groups of one kind, in as many passes over the matches as their sums take.
import { emptySum, type Sum } from "../contract/text/amount.ts";
import type { Column, Columns } from "../release/columns.ts";
import { hasBit } from "./bits.ts";
import type { GroupKind } from "./groupKeys.ts";
import type { Sums } from "./sums.ts";

export type GroupOrder = "amount" | "records";

/** A group of matches, and its sum. Its id identifies its key. */
export type Group = Sum & { readonly id: number };

type Comparison = (a: Group, b: Group) => number;

/** Groups that are kept beyond the limit until they are sorted and cut. */
const minSpare = 1_000;

/** Of fewer groups for each that is wanted, the values are sorted first: most groups would be kept for a while otherwise. */
const manyForEach = 64;

export class TopGroups {
  readonly #limit: number;
  readonly #compare: Comparison;
  readonly #order: GroupOrder;
  /** Of groups that are kept: finding one may read from disk, so only equal groups have theirs found. */
  readonly #places = new Map<number, number>();
  #groups: Group[] = [];
  #isSorted = true;
  #last: Group | undefined; // the last group within the limit, once that many are kept

  /** @param placeOf the place of a group's key in the order of keys */
  constructor(limit: number, order: GroupOrder, placeOf: (id: number) => number) {
    this.#limit = limit;
    this.#order = order;
    const placeOfGroup = ({ id }: Group) => {
      const place = this.#places.get(id) ?? placeOf(id);
      this.#places.set(id, place);
      return place;
    };
    const comparisons =
      order === "amount" ? [compareAmounts, compareRecords] : [compareRecords, compareAmounts];
    const [first, other] = comparisons as [Comparison, Comparison];
    this.#compare = (a, b) => first(a, b) || other(a, b) || placeOfGroup(a) - placeOfGroup(b);
  }

  /** Offers the groups at these places of sums that have ended, except one. */
  offerAll(sums: Sums, places: Int32Array, except: number): void {
    const { cents, records } = sums;
    const values = this.#order === "amount" ? cents : records;
    const atLeast =
      places.length < manyForEach * this.#limit ? findLast(values, places, this.#limit + 1) : -Infinity;
    let least = Math.max(atLeast, this.#findLeast());
    for (let index = 0; index < places.length; index++) {
      const place = places[index] as number;
      const id = sums.idAt(place);
      if ((values[place] as number) < least || id === except) continue; // NaN is not less
      this.offer({ id, ...(sums.sumOf(id) as Sum) });
      least = Math.max(atLeast, this.#findLeast());
    }
  }

  /** The groups in order. */
  list(): readonly Group[] {
    this.#cut();
    return this.#groups;
  }

  /** No group of fewer records, or with a smaller amount in a float, is among the first. */
  #findLeast(): number {
    if (this.#last === undefined) return Number.NEGATIVE_INFINITY;
    if (this.#order === "records") return this.#last.records;
    return Math.min(Number(this.#last.amount), 2 ** 53); // beyond, a float may be larger than the amount
  }

  offer(group: Group): void {
    if (this.#last !== undefined && this.#compare(group, this.#last) > 0) {
      this.#places.delete(group.id); // there may be millions
      return;
    }
    this.#groups.push(group);
    this.#isSorted = false;
    if (this.#groups.length >= 2 * this.#limit + minSpare) this.#cut();
  }

  #cut(): void {
    if (!this.#isSorted) this.#groups.sort(this.#compare);
    this.#isSorted = true;
    this.#groups.length = Math.min(this.#groups.length, this.#limit);
    this.#last = this.#groups[this.#limit - 1];
    this.#places.clear();
  }
}

/** The last of the greatest `count` values at these places. NaN counts as the least of all: its group may have any amount. */
function findLast(values: Float64Array | Int32Array, places: Int32Array, count: number): number {
  if (places.length <= count) return -Infinity;
  const sorted = Float64Array.from(places, (place) => values[place] as number);
  for (let index = 0; index < sorted.length; index++)
    if (Number.isNaN(sorted[index])) sorted[index] = -Infinity;
  return sorted.sort()[sorted.length - count] as number;
}

function compareAmounts(a: Group, b: Group): number {
  return a.amount === b.amount ? 0 : a.amount < b.amount ? 1 : -1;
}

function compareRecords(a: Group, b: Group): number {
  return b.records - a.records;
}

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
