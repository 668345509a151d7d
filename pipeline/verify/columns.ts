// Verifies the structure of `index.columns`: lists start where the previous one ends, orders have each row once, values are in range.
// Searches that are drawn from the records show whether the values are right.

import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { placeFilters } from "../../api-static/contract/filters.ts";
import { type Column, Columns, maxBlock, textColumns } from "../../api-static/release/columns.ts";
import { dictionaries, parts } from "../../api-static/release/layout.ts";
import { findGroupProblems } from "./groupColumns.ts";
import { findLikelyProblems } from "./likely.ts";
import { findStateProblems } from "./states.ts";
import { findWordProblems } from "./words.ts";

const texts = Object.values(textColumns);
const states = Object.values(placeFilters);

/** Columns of where each list starts, which end with the number of rows, and the columns that have these rows. */
const lists: Readonly<Record<string, readonly string[]>> = {
  "type.start": ["type.bytes"],
  "state.start": ["state.bytes"],
  "recipient.start": ["rank", "position", ...texts, ...states].map((name) => `recipient.${name}`),
  "likely.start": ["rank", "position", "match", "is_filed", ...texts, ...states].map(
    (name) => `likely.${name}`,
  ),
  ...Object.fromEntries(
    texts.flatMap((text) => [
      [`${text}.start`, ["rank", "other", ...states].map((name) => `${text}.${name}`)],
      [`${text}.text.start`, [`${text}.text.word`]],
      [`${text}.word.start`, [`${text}.word.text`, `${text}.word.next`]],
      [`${text}.word.offset`, []],
    ]),
  ),
};

/** Columns whose values ascend within each list: ranks, and the texts of a word, in which it may occur twice. */
const ascending = [
  { rows: "recipient.rank", starts: "recipient.start", step: 1 },
  ...texts.flatMap((text) => [
    { rows: `${text}.rank`, starts: `${text}.start`, step: 1 },
    { rows: `${text}.word.text`, starts: `${text}.word.start`, step: 0 },
  ]),
];

/** Columns of other orders that have a value for each record, with the ranks of the records, and the same column by rank. */
const copies: readonly (readonly [values: string, ranks: string, byRank: string])[] = [
  ["likely.rank", "likely.position", "position.rank"] as const,
  ...["position", "recipient", "likely"].flatMap((order) =>
    texts.map((text) => [`${order}.${text}`, `${order}.rank`, `rank.${text}`] as const),
  ),
  ["recipient.position", "recipient.rank", "rank.position"] as const,
  ["purpose.other", "purpose.rank", "rank.recipient_name"] as const,
  ["recipient_name.other", "recipient_name.rank", "rank.purpose"] as const,
];

/** Values of each of these that are compared, evenly spread. */
const samples = 1_000;

/**
 * Finds problems of the structure of a release's columns.
 * @param connection whose current database is the index
 */
export async function findColumnProblems(connection: DuckDBConnection, folder: string): Promise<string[]> {
  const columns = Columns.open(join(folder, parts.columns));
  try {
    const check = new StructureCheck(columns);
    check.run();
    const { problems } = check;
    if (problems.length === 0) {
      // These rely on the starts.
      problems.push(...(await findGroupProblems(connection, columns)));
      problems.push(...(await findStateProblems(connection, columns)));
      problems.push(...(await findLikelyProblems(connection, columns, folder)));
      for (const dictionary of Object.values(dictionaries))
        problems.push(...(await findWordProblems(connection, columns, dictionary)));
    }
    return problems.map((problem) => `${parts.columns}: ${problem}`);
  } catch (error) {
    // A column that is missing or too short.
    if (!(error instanceof RangeError)) throw error;
    return [`${parts.columns}: ${error.message}`];
  } finally {
    columns.close();
  }
}

class StructureCheck {
  readonly problems: string[] = [];
  readonly #columns: Columns;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  run(): void {
    const { records } = this.#columns.header;
    for (const [starts, rows] of Object.entries(lists)) this.#checkStarts(starts, rows);
    if (this.problems.length > 0) return; // the other checks rely on the starts
    this.#checkYears();
    for (const name of ["recipient.ein", "likely.ein"]) this.#checkAscending(name);
    for (const name of ["rank.position", "position.rank", "recipient.position"])
      this.#checkOnce(name, records);
    this.#checkOnce("recipient_name.order", this.#count("recipient_name.start") - 1);
    for (const text of texts) this.#checkTexts(text);
    for (const { rows, starts, step } of ascending) this.#checkOrder(rows, starts, step);
    if (this.problems.length > 0) return; // the samples rely on the ranks
    for (const names of copies) this.#compareSamples(...names);
  }

  #compareSamples(name: string, ranksName: string, byRankName: string): void {
    const [values, ranks, byRank] = [name, ranksName, byRankName].map((each) =>
      this.#columns.column(each),
    ) as [Column, Column, Column];
    const step = Math.max(1, Math.floor(values.length / samples));
    for (let row = 0; row < values.length; row += step)
      if (values.at(row) !== byRank.at(ranks.at(row))) {
        this.problems.push(`${name} differs from ${byRankName}, e.g., in row ${row}`);
        return;
      }
  }

  /** Starts must ascend from zero, and end with the number of rows. */
  #checkStarts(name: string, rows: readonly string[]): void {
    const last = this.#columns.column(name);
    this.#checkAscending(name);
    if (last.at(0) !== 0) this.problems.push(`${name} does not start with 0`);
    for (const row of rows)
      if (this.#count(row) !== last.at(last.length - 1))
        this.problems.push(
          `${row} has ${this.#count(row)} values, ${name} ends with ${last.at(last.length - 1)}`,
        );
  }

  /** The years of the header must follow one another, and amounts must descend within each. */
  #checkYears(): void {
    const { years, records } = this.#columns.header;
    const amounts = this.#columns.column("rank.amount");
    let [rank, before, isInOrder] = [0, Number.POSITIVE_INFINITY, true];
    for (const { year, first, records: count } of years) {
      isInOrder &&= first === rank && year < before;
      before = year;
      let [lastLow, lastHigh] = [-1, 2 ** 31 - 1];
      for (const stop = rank + count; rank < stop; rank++) {
        const [low, high] = [amounts.at(2 * rank) >>> 0, amounts.at(2 * rank + 1)];
        isInOrder &&= high < lastHigh || (high === lastHigh && low <= lastLow);
        [lastLow, lastHigh] = [low, high];
      }
    }
    if (!isInOrder || rank !== records) this.problems.push("its years or rank.amount are out of order");
  }

  /** Checks the columns that have ids of a dictionary's texts or words. */
  #checkTexts(text: string): void {
    const ids = this.#count(`${text}.start`) - 1;
    const words = this.#count(`${text}.word.start`) - 1;
    const { records } = this.#columns.header;
    this.#checkOnce(`${text}.rank`, records);
    for (const column of [`rank.${text}`, `position.${text}`]) this.#compareCounts(column, `${text}.start`);
    const other = texts.find((each) => each !== text);
    for (const column of [`recipient.${text}`, `${other}.other`]) this.#checkRange(column, ids + 1);
    for (const column of ["text.word", "end.word"]) this.#checkRange(`${text}.${column}`, words);
    this.#checkRange(`${text}.word.next`, words + 1);
    this.#checkRange(`${text}.word.text`, ids);
    this.#compareCounts(`${text}.text.word`, `${text}.word.start`);
    const lengths = {
      ...{ "text.start": ids + 1, "text.letters": ids, "word.offset": words + 1 },
      "end.word": this.#count(`${text}.end.offset`),
    };
    for (const [column, length] of Object.entries(lengths))
      if (this.#count(`${text}.${column}`) !== length)
        this.problems.push(
          `${text}.${column} has ${this.#count(`${text}.${column}`)} values, expected ${length}`,
        );
  }

  /** Each value must occur as often as its list is long; the number of lists, which stands for none, may occur in the other rows. */
  #compareCounts(name: string, startsName: string): void {
    const starts = this.#columns.column(startsName);
    const counts = new Int32Array(starts.length);
    let isSame = true;
    for (const values of this.#blocks(name))
      for (let row = 0; row < values.length; row++) {
        const value = values[row] as number;
        isSame &&= value >= 0 && value < counts.length;
        counts[value] = (counts[value] as number) + 1;
      }
    for (let id = 0; id < starts.length - 1; id++)
      isSame &&= counts[id] === starts.at(id + 1) - starts.at(id);
    if (!isSame) this.problems.push(`${name} has its values more or less often than ${startsName} says`);
  }

  #checkAscending(name: string): void {
    const column = this.#columns.column(name);
    let isRight = true;
    for (let row = 1; row < column.length; row++) isRight &&= column.at(row - 1) < column.at(row);
    if (!isRight) this.problems.push(`${name} is out of order`);
  }

  /** Values must be at least 0 and less than `bound`. */
  #checkRange(name: string, bound: number): void {
    let isRight = true;
    for (const values of this.#blocks(name))
      for (let row = 0; row < values.length; row++)
        isRight &&= (values[row] as number) >= 0 && (values[row] as number) < bound;
    if (!isRight) this.problems.push(`${name} has values that are out of range`);
  }

  /** Each number below `bound` may occur once. */
  #checkOnce(name: string, bound: number): void {
    const seen = new Uint8Array((bound + 7) >>> 3);
    let isRight = true;
    for (const values of this.#blocks(name))
      for (let row = 0; row < values.length; row++) {
        const value = values[row] as number;
        const [byte, bit] = [value >>> 3, 1 << (value & 7)];
        isRight &&= value >= 0 && value < bound && ((seen[byte] as number) & bit) === 0;
        seen[byte] = (seen[byte] as number) | bit;
      }
    if (!isRight) this.problems.push(`${name} has values that are out of range or repeated`);
  }

  /** Values must ascend by at least `step` within each list. */
  #checkOrder(name: string, startsName: string, step: number): void {
    const starts = this.#columns.column(startsName);
    let [list, stop, least, row, isRight] = [-1, 0, 0, 0, true];
    for (const values of this.#blocks(name))
      for (let index = 0; index < values.length; index++, row++) {
        for (; row >= stop; least = 0) {
          list += 1;
          stop = starts.at(list + 1);
        }
        isRight &&= (values[index] as number) >= least;
        least = (values[index] as number) + step;
      }
    if (!isRight) this.problems.push(`${name} is out of order`);
  }

  /** The values of a column, many at a time. Each array is valid until the next one. */
  *#blocks(name: string): Generator<Int32Array> {
    const column = this.#columns.column(name);
    for (let from = 0; from < column.length; from += maxBlock)
      yield column.slice(from, Math.min(column.length, from + maxBlock));
  }

  #count(name: string): number {
    return this.#columns.placeOf(name).length;
  }
}
