// Checks the columns of a file by rules, and names the first value of a column that breaks one.
import type { ColumnLists } from "../../api-static/release/attributes.ts";
import type { Columns } from "../../api-static/release/columns.ts";

/** Columns of words in lists, and where the rows of each word and of each list start. */
export type Words = {
  readonly words: string;
  readonly listStarts: string;
  readonly wordStarts: string;
};

export class ColumnCheck {
  readonly columns: Columns;
  readonly problems: string[] = [];

  constructor(columns: Columns) {
    this.columns = columns;
  }

  /** All values of a column. A 64-bit value is two, the lower half first. */
  all(name: string): Int32Array {
    const column = this.columns.column(name);
    return column.slice(0, column.length);
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

  /** Each value must be the expected one. @param source of the expected values */
  equal(name: string, source: string, expected: (row: number) => number | undefined) {
    const column = this.columns.column(name);
    for (let row = 0; row < column.length; row++) {
      const value = expected(row);
      if (column.at(row) !== value) return this.report(name, row, column.at(row), `${value} as in ${source}`);
    }
  }

  /** Each value must be that of another column, in the row that `keys` has. @param values of the column `source` */
  copied(name: string, keys: string, source: string, values = this.all(source)): void {
    this.length(name, this.count(keys));
    const rows = this.columns.column(keys);
    this.equal(name, source, (row) => values[rows.at(row)]);
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
  lists(lists: ColumnLists, step: 0 | 1): void {
    for (const [name, rows] of Object.entries(lists)) {
      const starts = this.columns.column(name);
      this.ascending(name, step);
      if (starts.at(0) !== 0) this.report(name, 0, starts.at(0), "0");
      for (const row of rows) this.length(row, starts.at(starts.length - 1));
    }
  }

  /**
   * Each list of an order must have the ranks whose group has its number, ascending.
   * @param groups by rank; the number of lists stands for none
   */
  order(order: string, starts: Int32Array, groups: Int32Array) {
    const name = `${order}.rank`;
    const ranks = this.columns.column(name);
    for (let row = 0, list = 0, least = 0; row < ranks.length; row++) {
      for (; row >= (starts[list + 1] as number); least = 0) list += 1;
      const rank = ranks.at(row);
      if (rank < least || groups[rank] !== list)
        return this.report(name, row, rank, `at least ${least}, of list ${list}`);
      least = rank + 1;
    }
    const lists = starts.length - 1;
    let count = 0;
    for (const group of groups) if (group < lists) count += 1;
    this.length(name, count);
  }

  /**
   * The postings of each word must be the lists that have the word, in order, once for each time they have it.
   * @param expected value of the posting for a row of `words`, from the list and the row after it
   */
  postings(
    name: string,
    { words, listStarts, wordStarts }: Words,
    expected: (list: number, row: number, stop: number) => number,
  ) {
    const values = this.all(name);
    const next = this.all(wordStarts).slice();
    const [wordOf, starts] = [this.columns.column(words), this.columns.column(listStarts)];
    for (let list = 0, row = 0; list + 1 < starts.length; list++)
      for (const stop = starts.at(list + 1); row < stop; row++) {
        const word = wordOf.at(row);
        const posting = next[word] as number;
        const value = expected(list, row, stop);
        if (values[posting] !== value)
          return this.report(name, posting, values[posting], `${value} for word ${word}`);
        next[word] = posting + 1;
      }
    this.equal(wordStarts, words, (word) => (word === 0 ? 0 : next[word - 1]));
  }
}
