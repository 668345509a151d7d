// Writes columns in another order of their rows: moves each value to its place, as a counting sort does. Sorting takes DuckDB many
// times as long.
import { setImmediate } from "node:timers/promises";
import type { Column } from "../../api-static/release/columns.ts";
import type { WrittenColumn } from "./columnFile.ts";

/** Rows that are moved in one turn of the event loop: less than a millisecond. */
const rowsAtOnce = 2 ** 16;

/** Values that are placed in one pass over all rows: 128 MB. More take several passes, so memory is bounded. */
const valuesPerPass = 2 ** 25;

/** Fills `values` with those of the rows from `from` on. It is called for all rows, in order. */
export type Fill = (from: number, values: Int32Array) => void;

export type Move = {
  /** The number of rows. */
  readonly rows: number;
  /** Starts a pass over the places of the rows; -1 is the place of a row that is omitted. */
  readonly places: () => Fill;
  /** Start a pass over the values of the rows, one for each written column. */
  readonly values: readonly (() => Fill)[];
};

/**
 * Writes columns of `length` values, each of which has exactly one place.
 * @param atOnce values that are placed in one pass
 */
export async function scatter(
  { rows, places, values }: Move,
  length: number,
  columns: readonly WrittenColumn[],
  atOnce = valuesPerPass,
): Promise<void> {
  const size = Math.min(length, Math.ceil(atOnce / columns.length));
  const placed = columns.map(() => new Int32Array(size));
  const [place, value] = [new Int32Array(rowsAtOnce), new Int32Array(rowsAtOnce)];
  for (let first = 0; first < length; first += size) {
    const [fillPlaces, fillValues] = [places(), values.map((start) => start())];
    for (let from = 0; from < rows; from += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, rows - from);
      fillPlaces(from, place.subarray(0, count));
      for (const [index, fill] of fillValues.entries()) {
        fill(from, value.subarray(0, count));
        moveValues(place, value, count, first, placed[index] as Int32Array);
      }
      await setImmediate();
    }
    for (const [index, column] of columns.entries())
      column.pushAll((placed[index] as Int32Array).subarray(0, Math.min(size, length - first)));
  }
  for (const column of columns) column.end();
}

/** Moves the values whose places are in `target`, whose first place is `first`. */
function moveValues(
  place: Int32Array,
  value: Int32Array,
  count: number,
  first: number,
  target: Int32Array,
): void {
  for (let row = 0; row < count; row++) {
    const at = (place[row] as number) - first;
    if (at >= 0 && at < target.length) target[at] = value[row] as number;
  }
}

/** The values of a column. */
export function valuesOf(column: Column): () => Fill {
  return () => (from, values) => values.set(column.slice(from, from + values.length));
}

/** The numbers of the rows. */
export function rowNumbers(): Fill {
  return (from, values) => {
    for (let index = 0; index < values.length; index++) values[index] = from + index;
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
