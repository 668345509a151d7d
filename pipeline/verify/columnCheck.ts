// Checks the columns of a file, and names the first value of a column that is wrong.
import type { Columns } from "../../api-static/release/columns.ts";

/** Rows by group: the rows of group `group` are `rows` from `starts[group]` up to `starts[group + 1]`, ascending. */
type Grouped = { readonly starts: Int32Array; readonly rows: Int32Array };

/** Groups rows. @param groups of the rows; those from `count` on are omitted */
export function groupRows(groups: Int32Array, count: number): Grouped {
  const starts = new Int32Array(count + 1);
  for (const group of groups) if (group < count) starts[group + 1] = (starts[group + 1] as number) + 1;
  for (let group = 0; group < count; group++)
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
  const next = starts.slice();
  const rows = new Int32Array(starts[count] as number);
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] as number;
    if (group >= count) continue;
    const at = next[group] as number;
    rows[at] = row;
    next[group] = at + 1;
  }
  return { starts, rows };
}

export class ColumnCheck {
  readonly columns: Columns;
  readonly problems: string[] = [];

  constructor(columns: Columns) {
    this.columns = columns;
  }

  /** All values of a column. */
  all(name: string): Int32Array {
    const column = this.columns.column(name);
    return column.slice(0, column.length);
  }

  /** All values of a column of 64-bit integers. */
  allWide(name: string): BigInt64Array {
    const halves = this.all(name);
    return new BigInt64Array(halves.buffer, halves.byteOffset, halves.length / 2);
  }

  count(name: string): number {
    return this.columns.placeOf(name).length;
  }

  report(name: string, row: number, value: unknown, rule: string): void {
    this.problems.push(`${name}: row ${row} is ${value}, expected ${rule}`);
  }

  length(name: string, length: number): void {
    const found = this.count(name);
    if (found !== length) this.problems.push(`${name} has ${found} values, expected ${length}`);
  }

  /** Each of `length` values must be the expected one. @param source of the expected values */
  equal(name: string, length: number, source: string, expected: (row: number) => number | undefined) {
    this.length(name, length);
    const column = this.columns.column(name);
    for (let row = 0; row < column.length; row++) {
      const value = expected(row);
      if (column.at(row) !== value) return this.report(name, row, column.at(row), `${value} as in ${source}`);
    }
  }

  /** Each value must be that of another column, in the row that `keys` has. @param values of the column `source` */
  copied(name: string, keys: string, source: string, values: Int32Array): void {
    const rows = this.columns.column(keys);
    this.equal(name, rows.length, source, (row) => values[rows.at(row)]);
  }

  /** Values must ascend from 0 or more. @param step to the next value, at least */
  ascending(name: string, step = 1) {
    const column = this.columns.column(name);
    for (let row = 0, least = 0; row < column.length; row++) {
      const value = column.at(row);
      if (value < least) return this.report(name, row, value, `at least ${least}`);
      least = value + step;
    }
  }

  /** Starts of lists must ascend from 0 to the number of rows. @param step 1 if no list may be empty */
  lists(name: string, rows: string, step: 0 | 1): void {
    this.ascending(name, step);
    const starts = this.columns.column(name);
    if (starts.at(0) !== 0) this.report(name, 0, starts.at(0), "0");
    this.length(rows, starts.at(starts.length - 1));
  }

  /**
   * The postings of each word must start where those of the word before end. Returns the row of each posting, and the list of each row.
   * @param words of the rows
   * @param listStarts the lists of rows, which `lists` has checked
   */
  postings(
    wordStarts: string,
    words: Int32Array,
    listStarts: string,
  ): { rows: Int32Array; listOf: Int32Array } {
    const { starts, rows } = groupRows(words, this.count(wordStarts) - 1);
    this.equal(wordStarts, starts.length, "the words of all lists", (word) => starts[word]);
    const ends = this.all(listStarts);
    const listOf = new Int32Array(words.length);
    for (let list = 0; list + 1 < ends.length; list++) listOf.fill(list, ends[list], ends[list + 1]);
    return { rows, listOf };
  }
}
