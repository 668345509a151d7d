// Adds up amounts by group, exactly: as 64-bit floats while they hold every cent, beyond that as big integers.
import type { Sum } from "../contract/sizes.ts";

/** Groups that are listed as they get their first match, so that few groups are read and cleared alone. A power of two. */
const maxListed = 2 ** 19;

/**
 * Matches wait in buckets, each for groups that are neighbors, so that their sums fit in the cache of a core. Added at once, most
 * matches would wait for memory.
 */
const bucketBits = 16;
const bucketSize = 2 ** 14;

/** Matches that are put into buckets at once. A bucket that might have no room for them is emptied before. */
const atOnce = 2 ** 12;

/** Sums in a float up to this are exact. */
const maxExact = 2 ** 53;

/** Sums beyond this move to the big integers when a sum might become inexact. */
const maxKept = 2 ** 51;

/** The number and the amounts (cents) of the matches of each group: of the groups `first` to `first + size`. */
export class Sums {
  /** Groups with sums at once. More take several passes over the matches. */
  readonly maxSize: number;
  first = 0;
  size = 0;
  /** By group. Those of `exact` are NaN, so that no comparison with a number holds. */
  cents = new Float64Array(0);
  records = new Int32Array(0);
  /** The number of groups with matches. */
  found = 0;
  /** The amounts of groups, by their place, that are too large for `cents`. */
  readonly exact = new Map<number, bigint>();
  readonly #listed = new Int32Array(maxListed);
  /** The number of matches in each bucket; their places and amounts. */
  readonly #filled: Int32Array;
  readonly #places: Int32Array;
  readonly #lows: Int32Array;
  #bound = 0; // of each of `cents`

  constructor(maxSize: number) {
    const buckets = (maxSize >>> bucketBits) + 1;
    this.maxSize = maxSize;
    this.#filled = new Int32Array(buckets);
    this.#places = new Int32Array(buckets * bucketSize);
    this.#lows = new Int32Array(buckets * bucketSize);
  }

  /** Starts over with the groups from `first` on, all before `end`, as far as there is room. */
  start(first: number, end: number): void {
    this.#clear();
    this.first = first;
    this.size = Math.max(0, Math.min(end - first, this.maxSize));
    if (this.cents.length <= this.size) {
      this.cents = new Float64Array(this.size + 1);
      this.records = new Int32Array(this.size + 1);
    }
    this.records[this.size] = 1; // matches of other groups are added in the place after the last, and are not found
  }

  /**
   * Adds matches.
   * @param groups of the matches
   * @param lows their amounts, or the lower 32 bits with a sign
   * @param max none of `lows` exceeds it, with either sign
   */
  add(groups: Int32Array, lows: Int32Array, from: number, to: number, max: number): void {
    this.#bound += (to - from) * max;
    if (this.#bound > maxExact) this.#moveLarge((to - from) * max);
    const { first, size } = this;
    const [filled, places, placed] = [this.#filled, this.#places, this.#lows];
    for (let start = from; start < to; start += atOnce) {
      this.#empty(bucketSize - atOnce);
      sort(groups, lows, start, Math.min(to, start + atOnce), first, size, filled, places, placed);
    }
  }

  /** Adds up the buckets with more than `most` matches. */
  #empty(most: number): void {
    for (let bucket = 0; bucket < this.#filled.length; bucket++) {
      const filled = this.#filled[bucket] as number;
      if (filled <= most) continue;
      const from = bucket * bucketSize;
      this.found = addUp(this.#places, this.#lows, from, from + filled, this, this.#listed);
      this.#filled[bucket] = 0;
    }
  }

  /** Adds cents to the amount of a group whose match was added. */
  addLarge(group: number, cents: bigint): void {
    const place = group - this.first;
    if (place >= 0 && place < this.size) this.#addExact(place, cents);
  }

  /** Ends the adding. Returns the places of the groups with matches. */
  end(): Int32Array {
    this.#empty(0);
    for (const place of this.exact.keys()) {
      this.#addExact(place, BigInt(this.cents[place] as number));
      this.cents[place] = Number.NaN;
    }
    if (this.found <= maxListed) return this.#listed.subarray(0, this.found);
    return listPlaces(this.records, this.size, new Int32Array(this.found));
  }

  /** The sum of a group, after the end; undefined if it has no matches in this pass. */
  sumOf(group: number): Sum | undefined {
    const place = group - this.first;
    const records = place >= 0 && place < this.size ? (this.records[place] as number) : 0;
    if (records === 0) return undefined;
    return { records, amount: this.exact.get(place) ?? BigInt(this.cents[place] as number) };
  }

  #addExact(place: number, cents: bigint): void {
    this.exact.set(place, (this.exact.get(place) ?? 0n) + cents);
  }

  #moveLarge(added: number): void {
    this.#empty(0);
    const { cents, size } = this;
    for (let place = 0; place < size; place++) {
      const sum = cents[place] as number;
      if (sum >= -maxKept && sum <= maxKept) continue;
      this.#addExact(place, BigInt(sum));
      cents[place] = 0;
    }
    this.#bound = maxKept + added;
  }

  #clear(): void {
    const { cents, records, size, found } = this;
    const listed = found <= maxListed ? this.#listed.subarray(0, found) : undefined;
    for (const place of listed ?? []) {
      cents[place] = 0;
      records[place] = 0;
    }
    if (listed === undefined) {
      cents.fill(0, 0, size);
      records.fill(0, 0, size);
    }
    if (size < cents.length) {
      cents[size] = 0;
      records[size] = 0;
    }
    this.exact.clear();
    this.#filled.fill(0); // of work that was given up
    this.found = 0;
    this.#bound = 0;
  }
}

// The loops have no branches, as those of a scan.

/** Puts matches into the buckets of their groups' places. */
function sort(
  groups: Int32Array,
  lows: Int32Array,
  from: number,
  to: number,
  first: number,
  size: number,
  filled: Int32Array,
  places: Int32Array,
  placed: Int32Array,
): void {
  for (let index = from; index < to; index++) {
    const offset = (groups[index] as number) - first;
    const place = offset >>> 0 < size ? offset : size;
    const bucket = place >>> bucketBits;
    const count = filled[bucket] as number;
    const at = bucket * bucketSize + count;
    places[at] = place;
    placed[at] = lows[index] as number;
    filled[bucket] = count + 1;
  }
}

/** Adds matches to the sums, and lists the places of new groups. Returns the number of groups found so far. */
function addUp(
  places: Int32Array,
  lows: Int32Array,
  from: number,
  to: number,
  { cents, records, found }: Sums,
  listed: Int32Array,
): number {
  let count = found;
  for (let index = from; index < to; index++) {
    const place = places[index] as number;
    const before = records[place] as number;
    listed[count & (maxListed - 1)] = place;
    count += (before - 1) >>> 31; // 1 for the first match of a group
    records[place] = before + 1;
    cents[place] = (cents[place] as number) + (lows[index] as number);
  }
  return count;
}

/** Fills `places` with those that have records. */
function listPlaces(records: Int32Array, size: number, places: Int32Array): Int32Array {
  let count = 0;
  for (let place = 0; place < size; place++) if ((records[place] as number) > 0) places[count++] = place;
  return places;
}
