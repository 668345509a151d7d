// Writes columns in another order of their rows: moves each value to its place, as a counting sort does. Sorting takes DuckDB many
// times as long. Values are moved to the bucket of their place first, and then within the bucket: moving each to its place at once
// would wait for memory nearly every time.
import { setImmediate } from "node:timers/promises";
import type { Column } from "../../../api-static/release/columns.ts";
import type { WrittenColumn } from "./columnFile.ts";

/** Rows that are moved in one turn of the event loop: about a millisecond. */
const rowsAtOnce = 2 ** 16;

/** Values that are placed in one pass over all rows: 128 MB, and 2 bytes for each place. More take several passes, so memory is bounded. */
const valuesPerPass = 2 ** 25;

/** The number of places in a bucket, as a power of two: their values fit in the cache of a core. */
const bucketBits = 16;

/** Fills `values` with those of the rows from `from` on. It is called for all rows, in order. */
export type Fill = (from: number, values: Int32Array) => void;

export type Move = {
  /** The number of rows. */
  readonly rows: number;
  /** Starts a pass over the places of the rows; -1 is the place of a row that is omitted. */
  readonly places: () => Fill;
  /** Start a pass over the values of the rows, one for each written column. */
  readonly values: readonly (() => Fill)[];
  /** Fills in the values of all places, for those that no row has. Without it, each place has a row. */
  readonly others?: Fill;
};

/**
 * Writes columns of `length` values. Each place has at most one row.
 * @param atOnce values that are placed in one pass
 */
export async function scatter(
  { rows, places, values, others }: Move,
  length: number,
  columns: readonly Pick<WrittenColumn, "pushAll" | "end">[],
  atOnce = valuesPerPass,
): Promise<void> {
  const size = Math.min(length, Math.ceil(atOnce / columns.length));
  const buckets = new Buckets(size, columns.length);
  const [place, value] = [new Int32Array(rowsAtOnce), new Int32Array(rowsAtOnce)];
  for (let first = 0; first < length; first += size) {
    const [fillPlaces, fillValues] = [places(), values.map((start) => start())];
    buckets.empty();
    for (let from = 0; from < rows; from += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, rows - from);
      fillPlaces(from, place.subarray(0, count));
      buckets.choose(place, count, first);
      for (const [index, fill] of fillValues.entries()) {
        fill(from, value.subarray(0, count));
        buckets.put(index, value, count);
      }
      await setImmediate();
    }
    const fill: Fill = (from, placed) => others?.(first + from, placed);
    for (const [index, column] of columns.entries())
      for (const some of buckets.take(index, Math.min(size, length - first), fill)) column.pushAll(some);
  }
  for (const column of columns) column.end();
}

/** The values of one pass. As each place has at most one value, the values of a bucket fill at most as many slots as it has places. */
class Buckets {
  /** Of each slot, the place of its values within the bucket. */
  readonly #within: Uint16Array;
  /** The values of each column. */
  readonly #values: readonly Int32Array[];
  /** The next free slot of each bucket. */
  readonly #next: Int32Array;
  /** The slots of the rows that were chosen last; -1 is that of a row whose place belongs to another pass. */
  readonly #slots = new Int32Array(rowsAtOnce);
  readonly #placed = new Int32Array(2 ** bucketBits);

  constructor(size: number, columns: number) {
    this.#within = new Uint16Array(size);
    this.#values = Array.from({ length: columns }, () => new Int32Array(size));
    this.#next = new Int32Array(Math.ceil(size / 2 ** bucketBits));
  }

  empty(): void {
    for (let bucket = 0; bucket < this.#next.length; bucket++) this.#next[bucket] = bucket << bucketBits;
  }

  /** Chooses slots for rows by their places, of which the first one of this pass is `first`. */
  choose(places: Int32Array, count: number, first: number): void {
    const [within, next, slots] = [this.#within, this.#next, this.#slots];
    for (let row = 0; row < count; row++) {
      const place = (places[row] as number) - first;
      const isHere = place >= 0 && place < within.length;
      const slot = isHere ? (next[place >>> bucketBits] as number) : -1;
      slots[row] = slot;
      if (!isHere) continue;
      next[place >>> bucketBits] = slot + 1;
      within[slot] = place; // the lower bits
    }
  }

  /** Puts the values of a column into the slots of the chosen rows. */
  put(column: number, values: Int32Array, count: number): void {
    const [into, slots] = [this.#values[column] as Int32Array, this.#slots];
    for (let row = 0; row < count; row++) {
      const slot = slots[row] as number;
      if (slot >= 0) into[slot] = values[row] as number;
    }
  }

  /**
   * The values of a column in order of place, bucket by bucket. Each array is valid until the next one is asked for.
   * @param fill fills in the values of places that no row has
   */
  *take(column: number, length: number, fill: Fill): Generator<Int32Array> {
    const [from, within, next] = [this.#values[column] as Int32Array, this.#within, this.#next];
    for (let start = 0; start < length; start += this.#placed.length) {
      const placed = this.#placed.subarray(0, length - start);
      fill(start, placed);
      const stop = next[start >>> bucketBits] as number;
      for (let slot = start; slot < stop; slot++) placed[within[slot] as number] = from[slot] as number;
      yield placed;
    }
  }
}

/** The values of a column. */
export function valuesOf(column: Column): () => Fill {
  return () => (from, values) => values.set(column.slice(from, from + values.length));
}

/** The values of two columns in one integer, as `WrittenPair` writes them: moving both then costs as much as moving one. */
export function pairsOf(first: Column, second: Column): () => Fill {
  return () => (from, values) => {
    const to = from + values.length;
    const [ones, others] = [first.slice(from, to), second.slice(from, to)];
    for (let index = 0; index < values.length; index++)
      values[index] = (ones[index] as number) | ((others[index] as number) << 16);
  };
}

/** The numbers of the rows. */
export function rowNumbers(): Fill {
  return (from, values) => {
    for (let index = 0; index < values.length; index++) values[index] = from + index;
  };
}

/**
 * Values of rows that lie in order of their groups.
 * @param starts the first row of each group, then the number of rows
 * @param valueFor a row, its group, and the row after the last one of the group
 */
export function valuesByGroup(
  starts: Pick<Column, "at"> | Int32Array,
  valueFor = (_row: number, group: number, _stop: number) => group,
): () => Fill {
  return () => {
    let [group, stop] = [-1, 0];
    return (from, values) => {
      for (let index = 0; index < values.length; index++) {
        for (; from + index >= stop; stop = starts.at(group + 1) as number) group += 1;
        values[index] = valueFor(from + index, group, stop);
      }
    };
  };
}

/**
 * The places of rows by group; the rows of a group stay in order.
 * @param groups the group of each row; a row of the group after the last one is omitted
 * @param starts the place of the first row of each group, then the number of places
 */
export function placesByGroup(groups: Column, starts: Int32Array): () => Fill {
  return () => {
    const next = starts.slice();
    const omitted = starts.length - 1;
    return (from, places) => {
      const some = groups.slice(from, from + places.length);
      for (let index = 0; index < places.length; index++) {
        const group = some[index] as number;
        places[index] = group === omitted ? -1 : (next[group] as number);
        if (group !== omitted) next[group] = (next[group] as number) + 1;
      }
    };
  };
}
