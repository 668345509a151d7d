// Reorders columns by counting sort, in buckets that fit the cache. Sorting takes DuckDB many times as long.
import { closeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Column } from "../../../api-static/release/columns.ts";
import { type ColumnFile, type WrittenColumn, writeFully } from "./columnFile.ts";

/** Rows that are moved in one turn of the event loop: about a millisecond. */
const rowsAtOnce = 2 ** 16;

/** Values that are placed at once: 128 MB, and 2 bytes for each place. More are first moved to batches on disk, so memory is bounded. */
const valuesAtOnce = 2 ** 25;

/** The number of places in a bucket, as a power of two: their values fit in the cache of a core. */
const bucketBits = 16;

/** Fills `values` with those of the rows from `from` on. It is called for all rows, in order. */
export type Fill = (from: number, values: Int32Array) => void;

export type Move = {
  /** The number of rows. */
  readonly rows: number;
  /** Reads the places of the rows; -1 is the place of a row that is omitted. */
  readonly places: Fill;
  /** Read the values of the rows, one for each written column. */
  readonly values: readonly Fill[];
  /** Fills in the values of all places, for those that no row has. Without it, each place has a row. */
  readonly others?: Fill;
};

/**
 * Writes columns of `length` values. Each place has at most one row. Rows are read once, and written to disk once more if not all values
 * are placed at once.
 * @param file that the columns belong to
 * @param atOnce values that are placed at once
 */
export async function scatter(
  move: Move,
  length: number,
  columns: readonly WrittenColumn[],
  file: ColumnFile,
  atOnce = valuesAtOnce,
): Promise<void> {
  const size = Math.min(length, Math.ceil(atOnce / columns.length));
  const spill = length > size ? file.openSpill() : undefined;
  try {
    const batches = spill === undefined ? [move] : await splitIntoBatches(move, length, size, spill);
    const buckets = new Buckets(size, columns.length);
    for (const [batch, rows] of batches.entries()) {
      const first = batch * size;
      await fillBuckets(buckets, rows, first);
      const fill: Fill = (from, placed) => move.others?.(first + from, placed);
      for (const [index, column] of columns.entries())
        for (const some of buckets.take(index, Math.min(size, length - first), fill)) column.pushAll(some);
    }
  } finally {
    if (spill !== undefined) closeSync(spill);
  }
  for (const column of columns) column.end();
}

/** Moves rows to the buckets of their places. @param first the first place of this batch */
async function fillBuckets(buckets: Buckets, { rows, places, values }: Move, first: number): Promise<void> {
  const [place, value] = [new Int32Array(rowsAtOnce), new Int32Array(rowsAtOnce)];
  buckets.empty();
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - from);
    places(from, place.subarray(0, count));
    buckets.choose(place, count, first);
    for (const [index, fill] of values.entries()) {
      fill(from, value.subarray(0, count));
      buckets.put(index, value, count);
    }
    await setImmediate();
  }
}

/**
 * Writes the places and the values of the rows to a file, by batches of `size` places, each with its rows in order. As each place has at most one
 * row, a batch has room for as many rows as it has places.
 */
async function splitIntoBatches(
  { rows, places, values }: Move,
  length: number,
  size: number,
  file: number,
): Promise<Move[]> {
  const columns = [places, ...values];
  const offsetOf = (column: number, row: number) => (column * length + row) * Int32Array.BYTES_PER_ELEMENT;
  const written = new Int32Array(Math.ceil(length / size));
  const [value, slots, sorted] = [0, 1, 2].map(() => new Int32Array(rowsAtOnce)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let starts = new Int32Array(0);
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const some = value.subarray(0, Math.min(rowsAtOnce, rows - from));
    for (const [column, fill] of columns.entries()) {
      fill(from, some);
      if (column === 0) starts = sortByBatch(some, size, written.length, slots);
      for (let row = 0; row < some.length; row++) sorted[slots[row] as number] = some[row] as number;
      for (const [batch, before] of written.entries()) {
        const found = sorted.subarray(starts[batch], starts[batch + 1]);
        const bytes = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
        writeFully(file, bytes, offsetOf(column, batch * size + before));
      }
    }
    for (const [batch, before] of written.entries())
      written[batch] = before + (starts[batch + 1] as number) - (starts[batch] as number);
    await setImmediate();
  }
  return Array.from(written, (count, batch) => {
    const [place, ...found] = columns.map((_, column) =>
      valuesOf(new Column(file, { offset: offsetOf(column, batch * size), length: count, width: 4 })),
    );
    return { rows: count, places: place as Fill, values: found };
  });
}

/**
 * Finds the slots of rows in the order of their batches; omitted rows are the last ones.
 * @returns the first slot of each batch, then that of the omitted rows
 */
function sortByBatch(
  places: Int32Array,
  size: number,
  batches: number,
  slots: Int32Array,
): Int32Array<ArrayBuffer> {
  const batchOf = (place: number) => (place < 0 ? batches : (place / size) | 0);
  const starts = new Int32Array(batches + 2);
  for (const place of places) starts[batchOf(place) + 1] = (starts[batchOf(place) + 1] as number) + 1;
  for (let batch = 0; batch <= batches; batch++)
    starts[batch + 1] = (starts[batch + 1] as number) + (starts[batch] as number);
  const next = starts.slice();
  for (let row = 0; row < places.length; row++) {
    const batch = batchOf(places[row] as number);
    slots[row] = next[batch] as number;
    next[batch] = (slots[row] as number) + 1;
  }
  return starts;
}

/** The values that are placed at once. As each place has at most one value, the values of a bucket fill at most as many slots as it has places. */
class Buckets {
  /** Of each slot, the place of its values within the bucket. */
  readonly #within: Uint16Array;
  /** The values of each column. */
  readonly #values: readonly Int32Array[];
  /** The next free slot of each bucket. */
  readonly #next: Int32Array;
  /** The slots of the rows that were chosen last; -1 is that of an omitted row. */
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

  /** Chooses slots for rows by their places. @param first the first place of this batch */
  choose(places: Int32Array, count: number, first: number): void {
    const [within, next, slots] = [this.#within, this.#next, this.#slots];
    for (let row = 0; row < count; row++) {
      const place = (places[row] as number) - first;
      const isHere = place >= 0; // not omitted
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
export function valuesOf(column: Column): Fill {
  return (from, values) => values.set(column.slice(from, from + values.length));
}

/** The numbers of the rows. */
export const rowNumbers: Fill = (from, values) => {
  for (let index = 0; index < values.length; index++) values[index] = from + index;
};

/**
 * Values of rows that lie in order of their groups.
 * @param starts the first row of each group, then the number of rows
 * @param valueFor a row, its group, and the row after the last one of the group
 */
export function valuesByGroup(
  starts: Pick<Column, "at"> | Int32Array,
  valueFor = (_row: number, group: number, _stop: number) => group,
): Fill {
  let [group, stop] = [-1, 0];
  return (from, values) => {
    for (let index = 0; index < values.length; index++) {
      for (; from + index >= stop; stop = starts.at(group + 1) as number) group += 1;
      values[index] = valueFor(from + index, group, stop);
    }
  };
}

/**
 * The places of rows by group; the rows of a group stay in order.
 * @param groups the group of each row; rows of groups after the last one are omitted
 * @param next the place of the first row of each group, then the number of places; it changes while rows are read
 */
export function placesByGroup(groups: Fill, next: Int32Array): Fill {
  const count = next.length - 1;
  return (from, places) => {
    groups(from, places);
    for (let index = 0; index < places.length; index++) {
      const group = places[index] as number;
      places[index] = group < count ? (next[group] as number) : -1;
      if (group < count) next[group] = (next[group] as number) + 1;
    }
  };
}
