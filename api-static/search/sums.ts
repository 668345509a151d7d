// Adds up amounts by group, exactly: as 64-bit floats while they hold every cent, beyond that as big integers; and formats totals.
import { formatSizes, type Sum, stringify } from "../contract/text/amount.ts";
import type { MarkName } from "../release/attributes.ts";
import { addBits, type Bits, countBits, hasBit, newBits, visitRuns } from "./bits.ts";

/** Groups whose sums are held at once, 12 bytes for each. If there are more groups, the matches are read several times. */
const maxSlice = 2 ** 21;

/** Matches that are added at once. */
const atOnce = 2 ** 14;

/** Sums in a float up to this are exact. */
const maxExact = 2 ** 53;

/** Sums beyond this move to the big integers when a sum might become inexact. */
const maxKept = 2 ** 51;

/** The groups whose matches are added up: those of a slice of all ids, or some. */
export type Wanted = { readonly first: number } | { readonly ids: Int32Array };

/** The number and the amounts (cents) of the matches of each wanted group, and the groups of all matches. */
export class Sums {
  readonly maxSlice: number;
  /** The groups with matches, wanted or not. */
  seen: Bits = newBits(0);
  /** By place: the wanted groups are numbered. Those of `exact` are NaN, so that no comparison with a number holds. */
  cents = new Float64Array(0);
  records = new Int32Array(0);
  /** The amounts of groups, by their place, that are too large for `cents`. */
  readonly exact = new Map<number, bigint>();
  #first = 0;
  #size = 0;
  /** The wanted groups by place, as bits, and the place of each; undefined if they are a slice. */
  #ids: Int32Array | undefined;
  #wanted: Bits = newBits(0);
  #places = new Int32Array(0);
  readonly #listed = new Int32Array(atOnce);
  #bound = 0; // of each of `cents`

  constructor(slice = maxSlice) {
    this.maxSlice = slice;
  }

  /** Starts over. @param count of all ids */
  start(count: number, wanted: Wanted): void {
    this.#clear();
    if (this.seen.length * 32 <= count) this.seen = newBits(count);
    this.#ids = "ids" in wanted ? wanted.ids : undefined;
    this.#first = "ids" in wanted ? 0 : wanted.first;
    this.#size = this.#ids?.length ?? Math.max(0, Math.min(count - this.#first, this.maxSlice));
    if (this.cents.length < this.#size) {
      this.cents = new Float64Array(this.#size);
      this.records = new Int32Array(this.#size);
    }
    if (this.#ids === undefined) return;
    if (this.#wanted.length < this.seen.length) this.#wanted = newBits(count);
    if (this.#places.length < count) this.#places = new Int32Array(count);
    addBits(this.#wanted, this.#ids);
    for (let place = 0; place < this.#size; place++) this.#places[this.#ids[place] as number] = place;
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
    const listed = this.#listed;
    for (let start = from; start < to; start += atOnce) {
      const end = Math.min(to, start + atOnce);
      addBits(this.seen, groups.subarray(start, end));
      const count =
        this.#ids === undefined
          ? listSlice(groups, start, end, this.#first, this.#size, listed)
          : listWanted(groups, start, end, this.#wanted, listed);
      this.#addListed(groups, lows, count);
    }
  }

  /** Adds the first `count` of the listed matches. */
  #addListed(groups: Int32Array, lows: Int32Array, count: number): void {
    const { cents, records } = this;
    const listed = this.#listed;
    const first = this.#first;
    const places = this.#ids === undefined ? undefined : this.#places;
    for (let at = 0; at < count; at++) {
      const index = listed[at] as number;
      const group = groups[index] as number;
      const place = places === undefined ? group - first : (places[group] as number);
      records[place] = (records[place] as number) + 1;
      cents[place] = (cents[place] as number) + (lows[index] as number);
    }
  }

  /** Adds cents to the amount of a group whose match was added. */
  addLarge(group: number, cents: bigint): void {
    const place = this.#placeOf(group);
    if (place !== undefined) this.#addExact(place, cents);
  }

  /** Ends the adding. Returns the places of the wanted groups with matches. */
  end(): Int32Array {
    for (const place of this.exact.keys()) {
      this.#addExact(place, BigInt(this.cents[place] as number));
      this.cents[place] = Number.NaN;
    }
    const places = new Int32Array(this.#countWanted());
    let count = 0;
    this.#visitPlaces((place) => {
      places[count++] = place;
    });
    return places.subarray(0, count);
  }

  /** The number of groups with matches, wanted or not. */
  countSeen(): number {
    return countBits(this.seen, 0, this.seen.length * 32);
  }

  /** The group at a place. */
  idAt(place: number): number {
    return this.#ids === undefined ? this.#first + place : (this.#ids[place] as number);
  }

  /** The sum of a group, after the end; undefined if it has no matches, or is not wanted. */
  sumOf(group: number): Sum | undefined {
    const place = this.#placeOf(group);
    const records = place === undefined ? 0 : (this.records[place] as number);
    if (place === undefined || records === 0) return undefined;
    return { records, amount: this.exact.get(place) ?? BigInt(this.cents[place] as number) };
  }

  #placeOf(group: number): number | undefined {
    if (this.#ids !== undefined) return hasBit(this.#wanted, group) ? this.#places[group] : undefined;
    const place = group - this.#first;
    return place >= 0 && place < this.#size ? place : undefined;
  }

  #countWanted(): number {
    if (this.#ids !== undefined) return this.#size;
    return countBits(this.seen, this.#first, this.#first + this.#size);
  }

  /** Calls `visit` with the places of the wanted groups that have matches, in order. */
  #visitPlaces(visit: (place: number) => void): void {
    if (this.#ids !== undefined) {
      for (let place = 0; place < this.#size; place++) if ((this.records[place] as number) > 0) visit(place);
      return;
    }
    const [first, stop] = [this.#first, this.#first + this.#size];
    visitRuns(this.seen, (from, to) => {
      for (let id = Math.max(from, first); id < Math.min(to, stop); id++) visit(id - first);
    });
  }

  #addExact(place: number, cents: bigint): void {
    this.exact.set(place, (this.exact.get(place) ?? 0n) + cents);
  }

  #moveLarge(added: number): void {
    for (let place = 0; place < this.#size; place++) {
      const sum = this.cents[place] as number;
      if (sum >= -maxKept && sum <= maxKept) continue;
      this.#addExact(place, BigInt(sum));
      this.cents[place] = 0;
    }
    this.#bound = maxKept + added;
  }

  /** Clears what the last work touched, which may have been given up. */
  #clear(): void {
    this.#visitPlaces((place) => {
      this.cents[place] = 0;
      this.records[place] = 0;
    });
    for (const id of this.#ids ?? []) this.#wanted[id >>> 5] = 0;
    this.seen.fill(0);
    this.exact.clear();
    this.#bound = 0;
  }
}

// The loops have no branches, as those of a scan. Matches are listed before they are added: few wait for memory then.

/** Lists the matches of wanted groups; returns how many there are. */
function listWanted(groups: Int32Array, from: number, to: number, wanted: Bits, listed: Int32Array): number {
  let count = 0;
  for (let index = from; index < to; index++) {
    const group = groups[index] as number;
    listed[count] = index;
    count += ((wanted[group >>> 5] as number) >>> group) & 1;
  }
  return count;
}

/** Does the same for the groups of a slice. */
function listSlice(
  groups: Int32Array,
  from: number,
  to: number,
  first: number,
  size: number,
  listed: Int32Array,
): number {
  let count = 0;
  for (let index = from; index < to; index++) {
    listed[count] = index;
    count += ((groups[index] as number) - first) >>> 0 < size ? 1 : 0;
  }
  return count;
}

/** Sums by year, newest first, and by size band without totals over people, smallest first; groups as they are written, and how many there are of each kind. */
export type Totals = {
  readonly all: Sum;
  readonly years: readonly (Sum & { readonly year: number })[];
  readonly sizes: readonly (Sum | undefined)[];
  readonly marks: MarkSums;
  readonly funders: { readonly total: number; readonly top: readonly object[] };
  readonly recipients: { readonly total: number; readonly top: readonly object[]; readonly without: Sum };
  /** For each filter on a place, the matches of the other filters; undefined if there is no such filter. */
  readonly coverage: object | undefined;
};

/** The sums of grants with each mark. The one of non-cash support adds up its value, not the cash beside it. */
export type MarkSums = Readonly<Record<MarkName, Sum>>;

export function formatTotals({ all, years, sizes, marks, funders, recipients, coverage }: Totals): Buffer {
  const data = {
    ...all,
    funders: funders.total,
    recipients: recipients.total,
    first_year: years.at(-1)?.year ?? null,
    last_year: years[0]?.year ?? null,
    ...marks,
    years: years.map(({ year, ...sum }) => ({ transaction_year: year, ...sum })),
    sizes: formatSizes(sizes),
    top_funders: funders.top,
    top_recipients: recipients.top,
    without_recipient: recipients.without,
    ...(coverage !== undefined && { coverage }),
  };
  return Buffer.from(stringify(data));
}
