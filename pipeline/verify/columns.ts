// Verifies `index.columns`: lists start where the previous one ends, columns have their lengths, ids of words and texts are in range. Then
// the values of all records, and some words and texts.
import { join } from "node:path";
import type { DuckDBBlobValue, DuckDBConnection } from "@duckdb/node-api";
import { attributes, columnOf, orders } from "../../api-static/release/attributes.ts";
import { Columns, maxBlock } from "../../api-static/release/columns.ts";
import { dictionaries, parts } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import { streamChunks } from "../base/database.ts";
import { findOrderProblems } from "./orders.ts";
import { findWordProblems } from "./words.ts";

const texts = Object.values(dictionaries).map(({ column }) => column);

/** Columns of where each list starts, which end with the number of rows, and the columns that have these rows. */
const lists: Readonly<Record<string, readonly string[]>> = {
  "type.start": ["type.bytes"],
  "state.start": ["state.bytes"],
  "recipient.start": ["recipient.rank"],
  "likely.start": ["likely.rank", "likely.match", "likely.is_filed"],
  ...Object.fromEntries(
    texts.flatMap((text) => [
      [`${text}.start`, [`${text}.rank`]],
      [`${text}.text.start`, [`${text}.text.word`]],
      [`${text}.word.start`, [`${text}.word.text`, `${text}.word.next`]],
      [`${text}.word.offset`, []],
    ]),
  ),
};

/** Names that are compared, evenly spread. */
const nameSamples = 1_000;

/**
 * Finds problems of a release's columns.
 * @param connection whose current database is the index
 */
export async function findColumnProblems(
  connection: DuckDBConnection,
  { folder, funders }: Pick<Release, "folder" | "funders">,
): Promise<string[]> {
  const columns = Columns.open(join(folder, parts.columns));
  try {
    const problems = new StructureCheck(columns).run();
    if (problems.length === 0) {
      // These rely on the starts and lengths.
      problems.push(...(await findOrderProblems(connection, columns, funders)));
      for (const name of ["type", "state"] as const)
        problems.push(...(await findDistinctProblems(connection, columns, name)));
      problems.push(...(await findNameOrderProblems(connection, columns)));
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
  readonly #problems: string[] = [];
  readonly #columns: Columns;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  run(): string[] {
    for (const [starts, rows] of Object.entries(lists)) this.#checkStarts(starts, rows);
    for (const name of ["recipient.ein", "likely.ein"]) this.#checkAscending(name);
    if (this.#problems.length > 0) return this.#problems; // the other checks rely on the starts
    this.#checkLengths();
    for (const text of texts) this.#checkWords(text);
    this.#checkOnce("recipient_name.order", this.#count("recipient_name.start") - 1);
    return this.#problems;
  }

  /** Starts must ascend from zero, and end with the number of rows. */
  #checkStarts(name: string, rows: readonly string[]): void {
    const starts = this.#columns.column(name);
    this.#checkAscending(name);
    if (starts.at(0) !== 0) this.#problems.push(`${name} does not start with 0`);
    for (const row of rows) this.#checkLength(row, starts.at(starts.length - 1));
  }

  /** The columns of an order must have a value for each of its records. */
  #checkLengths(): void {
    const { records } = this.#columns.header;
    for (const order of orders) {
      const hasAll = order === "rank" || order === "position";
      const length = hasAll ? records : this.#count(`${order}.rank`);
      if (order === "position") this.#checkLength("position.rank", records);
      for (const { name } of attributes.filter((attribute) => attribute.orders.includes(order)))
        this.#checkLength(columnOf(order, name), length);
    }
    for (const state of ["funder_state", "recipient_state"])
      this.#checkLength(`${state}.records`, this.#count("state.start"));
  }

  /** Checks the columns that have ids of a dictionary's texts or words. */
  #checkWords(text: string): void {
    const ids = this.#count(`${text}.start`) - 1;
    const words = this.#count(`${text}.word.start`) - 1;
    for (const column of ["text.word", "end.word"]) this.#checkRange(`${text}.${column}`, words);
    this.#checkRange(`${text}.word.next`, words + 1);
    this.#checkRange(`${text}.word.text`, ids);
    this.#checkPostings(text);
    const lengths = {
      ...{ "text.start": ids + 1, "text.letters": ids, "word.offset": words + 1 },
      "end.word": this.#count(`${text}.end.offset`),
    };
    for (const [column, length] of Object.entries(lengths)) this.#checkLength(`${text}.${column}`, length);
  }

  /** Each word must occur in texts as often as its list is long, and the texts in its list must ascend. */
  #checkPostings(text: string): void {
    const starts = this.#columns.integers(`${text}.word.start`);
    const counts = new Int32Array(starts.length);
    for (const words of this.#blocks(`${text}.text.word`))
      for (const word of words) counts[word] = (counts[word] as number) + 1;
    let isRight = true;
    for (let word = 0; word < starts.length - 1; word++)
      isRight &&= counts[word] === (starts[word + 1] as number) - (starts[word] as number);
    if (!isRight)
      this.#problems.push(`${text}.text.word has words more or less often than ${text}.word.start says`);
    let [word, row, before, isAscending] = [0, 0, 0, true];
    for (const ids of this.#blocks(`${text}.word.text`))
      for (const id of ids) {
        for (; row >= (starts[word + 1] as number); before = 0) word += 1;
        isAscending &&= id >= before;
        [before, row] = [id, row + 1];
      }
    if (!isAscending) this.#problems.push(`${text}.word.text is out of order`);
  }

  #checkLength(name: string, length: number): void {
    if (this.#count(name) !== length)
      this.#problems.push(`${name} has ${this.#count(name)} values, expected ${length}`);
  }

  #checkAscending(name: string): void {
    let [before, isRight] = [-1, true];
    for (const values of this.#blocks(name))
      for (const value of values) {
        isRight &&= value > before;
        before = value;
      }
    if (!isRight) this.#problems.push(`${name} is out of order`);
  }

  /** Values must be at least 0 and less than `bound`. */
  #checkRange(name: string, bound: number): void {
    let isRight = true;
    for (const values of this.#blocks(name))
      for (const value of values) isRight &&= value >= 0 && value < bound;
    if (!isRight) this.#problems.push(`${name} has values that are out of range`);
  }

  /** Each number below `bound` may occur once. */
  #checkOnce(name: string, bound: number): void {
    const seen = new Uint8Array(bound);
    let isRight = this.#count(name) === bound;
    for (const values of this.#blocks(name))
      for (const value of values) {
        isRight &&= seen[value] === 0;
        seen[value] = 1;
      }
    if (!isRight) this.#problems.push(`${name} has values that are out of range or repeated`);
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

/** Compares the types or states, as bytes: DuckDB's client drops a byte order mark at the start of a text. */
async function findDistinctProblems(
  connection: DuckDBConnection,
  columns: Columns,
  name: "type" | "state",
): Promise<string[]> {
  const starts = columns.integers(`${name}.start`);
  const bytes = columns.bytes(`${name}.bytes`);
  let [id, isRight] = [0, true];
  for await (const chunk of streamChunks(connection, `SELECT encode(text) FROM ${name}s ORDER BY id`))
    chunk.visitColumnValues(0, (value) => {
      const text = bytes.subarray(starts[id], starts[id + 1] ?? 0);
      isRight &&= text.equals((value as DuckDBBlobValue).bytes);
      id += 1;
    });
  return isRight && id === starts.length - 1 ? [] : [`the ${name}s differ from the table ${name}s`];
}

/** Checks that samples of the names in order of their bytes have ascending places. */
async function findNameOrderProblems(connection: DuckDBConnection, columns: Columns): Promise<string[]> {
  const order = columns.column("recipient_name.order");
  const step = Math.max(1, Math.floor(order.length / nameSamples));
  const sql = `SELECT id FROM recipient_names WHERE id % ${step} = 0 ORDER BY text`;
  const places = (await connection.runAndReadAll(sql)).getRows().map(([id]) => order.at(Number(id)));
  const isRight = places.every((place, index) => place > (places[index - 1] ?? -1));
  return isRight ? [] : ["recipient_name.order differs from the order of the names"];
}
