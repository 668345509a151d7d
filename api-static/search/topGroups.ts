// Keeps the first groups in the order of an answer: by amount or records, descending, then by the other, then by key.
import type { Sum } from "../contract/amount.ts";
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
