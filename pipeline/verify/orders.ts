// Verifies every value of the records' columns in `index.columns`: those by rank against the table of all grants, and those of each other
// order against those by rank. Sums of hashes over (rank, value) are equal if both have the same pairs, whatever the order of rows, so each
// column is read once from start to end.
import type { DuckDBConnection } from "@duckdb/node-api";
import { placeFilters } from "../../api-static/contract/filters.ts";
import { attributes, columnOf, type Order } from "../../api-static/release/attributes.ts";
import { type Column, type Columns, maxBlock } from "../../api-static/release/columns.ts";
import { funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { integersOf, streamChunks } from "../base/database.ts";

/** The orders that have the records of a list as neighbors, with the attribute that numbers the lists. */
const lists = {
  position: "funder",
  recipient: "recipient",
  purpose: "purpose",
  recipient_name: "recipient_name",
};

/** Bits of a record: whether an order has it, and whether it is a filed grant of a recipient with likely ones. */
const bits = { position: 1, recipient: 2, purpose: 4, recipient_name: 8, likely: 16, filed: 32 } as const;

/** SQL of the values in `by_funder`. EINs stand for rows of funders and recipients, and -1 minus a text id for names without one. */
const tableSql: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    attributes.flatMap(({ name, texts }) =>
      texts ? [[name, `coalesce(${name}, (SELECT count(*) FROM ${texts}))::INTEGER`]] : [],
    ),
  ),
  position: "position::INTEGER",
  amount: "amount_cents",
  year: "transaction_year::INTEGER",
  funder_ein: "funder_ein::INTEGER",
  recipient_ein:
    "coalesce(recipient_ein::BIGINT, -1 - coalesce(recipient_name, (SELECT count(*) FROM recipient_names))::BIGINT)::INTEGER",
};

const states = Object.values(placeFilters);

type Values = Readonly<Record<string, Int32Array>>;

/** Mixes the bits of an integer. */
function mix(value: number): number {
  const half = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
}

/** One integer for two. */
const fold = (low: number, high: number) => mix(low) ^ Math.imul(high, 0x9e3779b1);

/** Mixes keys, e.g., ranks, for `addUp`. */
function mixAll(keys: Int32Array): Int32Array {
  const mixed = new Int32Array(keys.length);
  for (let row = 0; row < keys.length; row++) mixed[row] = mix(keys[row] as number);
  return mixed;
}

/** Adds up hashes of mixed keys and values: of all rows, or of those that have a bit. */
function addUp(keys: Int32Array, values: Int32Array, flags?: Uint8Array, bit = 0): number {
  let sum = 0;
  for (let row = 0; row < values.length; row++) {
    if (flags !== undefined && ((flags[row] as number) & bit) === 0) continue;
    const hash = mix((keys[row] as number) ^ (values[row] as number));
    sum = (sum + (hash ^ (hash >>> 16))) | 0;
  }
  return sum;
}

/** Halves of 64-bit integers, each pair as one integer. */
function foldPairs(halves: Int32Array): Int32Array {
  return Int32Array.from({ length: halves.length / 2 }, (_, row) =>
    fold(halves[2 * row] as number, halves[2 * row + 1] as number),
  );
}

/**
 * Finds columns with another value of any record. All lists must start in order, and the columns have their lengths.
 * @param connection whose current database is the index
 */
export async function findOrderProblems(
  connection: DuckDBConnection,
  columns: Columns,
  funders: Buffer,
): Promise<string[]> {
  const check = new OrderCheck(columns, funders);
  check.readLikely();
  check.readRanks();
  for (const order of Object.keys(lists) as (keyof typeof lists)[]) check.readOrder(order);
  await check.readTable(connection);
  await check.readMatches(connection);
  return check.problems();
}

class OrderCheck {
  readonly #columns: Columns;
  readonly #problems = new Set<string>();
  /** For each comparison, the sum of one side less that of the other. */
  readonly #sums = new Map<string, number>();
  readonly #starts: Readonly<Record<keyof typeof lists, Pick<Column, "at"> | Int32Array>>;
  readonly #funderEins: Int32Array;
  readonly #recipientEins: Int32Array;
  /** By rank: 1 for a filed grant in the order `likely`, 2 for a likely one. */
  readonly #likely: Uint8Array;
  /** By recipient: 1 if the order `likely` has it. */
  readonly #hasLikely: Uint8Array;

  constructor(columns: Columns, funders: Buffer) {
    this.#columns = columns;
    const { records } = columns.header;
    const rows = Array.from({ length: funders.length / funderRowBytes }, (_, row) =>
      readFunderRow(funders, row),
    );
    this.#funderEins = Int32Array.from(rows, ({ ein }) => ein);
    this.#recipientEins = columns.integers("recipient.ein");
    this.#starts = {
      position: Int32Array.from([...rows.map(({ first }) => first), records]),
      recipient: columns.column("recipient.start"),
      purpose: columns.column("purpose.start"),
      recipient_name: columns.column("recipient_name.start"),
    };
    this.#likely = new Uint8Array(records);
    this.#hasLikely = new Uint8Array(this.#recipientEins.length);
  }

  /** What differs. */
  problems(): string[] {
    for (const [problem, sum] of this.#sums) if (sum !== 0) this.#problems.add(problem);
    return [...this.#problems];
  }

  #add(problem: string, sum: number): void {
    this.#sums.set(problem, ((this.#sums.get(problem) ?? 0) + sum) | 0);
  }

  /** The attributes that an order copies, with what is wrong if one differs. */
  #copies(order: Order): { name: string; column: string; problem: string }[] {
    return attributes
      .filter((attribute) => attribute.orders.includes(order))
      .map(({ name }) => {
        const column = columnOf(order, name);
        return { name, column, problem: `${column} differs from rank.${name}` };
      });
  }

  *#blocks(length: number): Generator<readonly [from: number, to: number]> {
    for (let from = 0; from < length; from += maxBlock) yield [from, Math.min(length, from + maxBlock)];
  }

  /** Adds up the values by rank, once for each order that has them, and compares the columns by rank with each other. */
  readRanks(): void {
    const { years, records } = this.#columns.header;
    const open = attributes.map(({ name, width }) => ({
      name,
      width,
      column: this.#columns.column(`rank.${name}`),
    }));
    const counts = new Map(
      states.map((name) => [name, new Int32Array(this.#columns.placeOf("state.start").length)]),
    );
    const keys = new Int32Array(maxBlock);
    const orders = ["position", "recipient", "likely", "purpose", "recipient_name"] as const;
    const copies = orders.map((order) => ({ bit: bits[order], copies: this.#copies(order) }));
    const order = new ResultOrder(years);
    for (const [from, to] of this.#blocks(records)) {
      for (let rank = from; rank < to; rank++) keys[rank - from] = mix(rank);
      const values: Record<string, Int32Array> = { year: order.yearsOf(from, to) };
      for (const { name, width, column } of open) {
        const read = width === 8 ? column.slice(2 * from, 2 * to) : column.slice(from, to);
        if (width === 8) order.read(read);
        values[name] = width === 8 ? foldPairs(read) : read;
        const counted = counts.get(name as (typeof states)[number]);
        if (counted !== undefined) for (const id of read) counted[id] = (counted[id] as number) + 1;
      }
      this.#addEins(values);
      const flags = this.#flagsOf(values, from);
      for (const { bit, copies: of } of copies)
        for (const { name, problem } of of)
          this.#add(problem, addUp(keys, values[name] as Int32Array, flags, bit));
      for (const [list, name] of Object.entries(lists))
        this.#add(
          problemOfLists(list),
          addUp(keys, values[name] as Int32Array, flags, bits[list as keyof typeof lists]),
        );
      this.#add(problemOfFiled, addUp(keys, values.recipient_ein as Int32Array, flags, bits.filed));
      for (const name of Object.keys(tableSql))
        this.#add(problemOfTable(name), addUp(keys, values[name] as Int32Array));
    }
    if (!order.isRight) this.#problems.add("its years or rank.amount are out of order");
    for (const [name, counted] of counts)
      if (this.#columns.integers(`${name}.records`).some((count, id) => count !== counted[id]))
        this.#problems.add(`${name}.records differs from rank.${name}`);
  }

  #addEins(values: Record<string, Int32Array>): void {
    const [funders, recipients] = [this.#funderEins, this.#recipientEins];
    values.funder_ein = (values.funder as Int32Array).map((row) => funders[row] as number);
    values.recipient_ein = (values.recipient as Int32Array).map((row) =>
      row < recipients.length ? (recipients[row] as number) : recipients.length - 1 - row,
    );
  }

  #flagsOf({ recipient, purpose, recipient_name }: Values, from: number): Uint8Array {
    const [recipients, purposes, names] = [
      "recipient.ein",
      "purpose.text.letters",
      "recipient_name.text.letters",
    ].map((column) => this.#columns.placeOf(column).length) as [number, number, number];
    const flags = new Uint8Array((recipient as Int32Array).length);
    for (let row = 0; row < flags.length; row++) {
      const [group, likely] = [(recipient as Int32Array)[row] as number, this.#likely[from + row] as number];
      const hasEin = group < recipients;
      if (hasEin && likely === 2) this.#problems.add("likely has a grant with an EIN as a likely one");
      flags[row] =
        bits.position |
        (hasEin ? bits.recipient : 0) |
        (((purpose as Int32Array)[row] as number) < purposes ? bits.purpose : 0) |
        (((recipient_name as Int32Array)[row] as number) < names ? bits.recipient_name : 0) |
        (likely > 0 ? bits.likely : 0) |
        (hasEin && this.#hasLikely[group] === 1 ? bits.filed : 0);
    }
    return flags;
  }

  /** Subtracts the values of an order, whose ranks must ascend in each list. */
  readOrder(order: keyof typeof lists): void {
    const ranks = this.#columns.column(`${order}.rank`);
    const copies = this.#copies(order).map((copy) => ({
      ...copy,
      values: this.#columns.column(copy.column),
    }));
    const groups = new Lists(this.#starts[order]);
    for (const [from, to] of this.#blocks(ranks.length)) {
      const some = ranks.slice(from, to);
      const keys = mixAll(some);
      for (const { values, problem } of copies) this.#add(problem, -addUp(keys, values.slice(from, to)));
      this.#add(problemOfLists(order), -addUp(keys, groups.read(from, some)));
    }
    if (!groups.areInOrder) this.#problems.add(`${order}.rank is out of order`);
  }

  /** Subtracts the values of the order `likely`, and notes which grants and recipients it has. */
  readLikely(): void {
    const open = (name: string) => this.#columns.column(`likely.${name}`);
    const [ranks, positions, matches, filed] = [
      open("rank"),
      open("position"),
      open("match"),
      open("is_filed"),
    ];
    const copies = this.#copies("likely").map((copy) => ({
      ...copy,
      values: this.#columns.column(copy.column),
    }));
    const eins = this.#columns.integers("likely.ein");
    for (const ein of eins) {
      const recipient = findRow(this.#recipientEins, ein);
      if (recipient !== undefined) this.#hasLikely[recipient] = 1;
    }
    const groups = new Lists(open("start"));
    for (const [from, to] of this.#blocks(ranks.length)) {
      const [some, texts, areFiled] = [ranks.slice(from, to), matches.slice(from, to), filed.slice(from, to)];
      const keys = mixAll(some);
      for (const { values, problem } of copies) this.#add(problem, -addUp(keys, values.slice(from, to)));
      const ofRows = groups.read(from, some).map((group) => eins[group] as number);
      const flags = Uint8Array.from(areFiled, (isFiled) => (isFiled === 1 ? 1 : 2));
      this.#add(problemOfFiled, -addUp(keys, ofRows, flags, 1));
      const likely = ofRows.map((ein, row) => fold(ein, texts[row] as number));
      this.#add(problemOfMatches, -addUp(mixAll(positions.slice(from, to)), likely, flags, 2));
      for (let row = 0; row < some.length; row++) {
        const rank = some[row] as number;
        if (this.#likely[rank] !== 0)
          this.#problems.add("likely.rank has values that are out of range or repeated");
        if ((texts[row] === -1) !== (areFiled[row] === 1))
          this.#problems.add("likely.is_filed differs from likely.match");
        this.#likely[rank] = flags[row] as number;
      }
    }
    if (!groups.areInOrder) this.#problems.add("likely.rank is out of order");
  }

  /** Subtracts the values of the table of all grants, whose rows are in order of position. */
  async readTable(connection: DuckDBConnection): Promise<void> {
    const ranks = this.#columns.column("position.rank");
    const names = Object.keys(tableSql);
    let position = 0;
    for await (const chunk of streamChunks(
      connection,
      `SELECT ${Object.values(tableSql).join(", ")} FROM by_funder`,
    )) {
      const keys = mixAll(ranks.slice(position, position + chunk.rowCount));
      for (const [index, name] of names.entries()) {
        const values = integersOf(chunk, index);
        this.#add(problemOfTable(name), -addUp(keys, name === "amount" ? foldPairs(values) : values));
      }
      position += chunk.rowCount;
    }
  }

  /** Adds the matches in the table of those that summaries add up. */
  async readMatches(connection: DuckDBConnection): Promise<void> {
    const sql = "SELECT position::INTEGER, matched_ein::INTEGER, text::INTEGER FROM by_match";
    for await (const chunk of streamChunks(connection, sql)) {
      const [eins, texts] = [integersOf(chunk, 1), integersOf(chunk, 2)];
      const likely = eins.map((ein, row) => fold(ein, texts[row] as number));
      this.#add(problemOfMatches, addUp(mixAll(integersOf(chunk, 0)), likely));
    }
  }
}

const problemOfLists = (order: string) =>
  `the lists of ${order === "position" ? parts.funders : order} differ from those by rank`;
const problemOfFiled = "likely lacks grants that name a recipient, or has others";
const problemOfMatches = `likely differs from by_match of ${parts.index}`;

function problemOfTable(name: string): string {
  const column = { year: "its years", funder_ein: "rank.funder", recipient_ein: "rank.recipient" }[name];
  return `${column ?? `rank.${name}`}, by position.rank, differs from by_funder of ${parts.index}`;
}

function findRow(sorted: Int32Array, value: number): number | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value ? low : undefined;
}

/** The lists of consecutive rows. */
class Lists {
  areInOrder = true;
  readonly #starts: Pick<Column, "at"> | Int32Array;
  #list = -1;
  #stop = 0;
  #least = 0;

  constructor(starts: Pick<Column, "at"> | Int32Array) {
    this.#starts = starts;
  }

  /** The list of each of the next rows. @param from the first row @param ranks of the rows, which must ascend in each list */
  read(from: number, ranks: Int32Array): Int32Array {
    const lists = new Int32Array(ranks.length);
    let [list, stop, least, isRight] = [this.#list, this.#stop, this.#least, this.areInOrder];
    for (let row = 0; row < ranks.length; row++) {
      for (; from + row >= stop; least = 0) {
        list += 1;
        stop = this.#starts.at(list + 1) as number;
      }
      const rank = ranks[row] as number;
      isRight &&= rank >= least;
      least = rank + 1;
      lists[row] = list;
    }
    this.#list = list;
    this.#stop = stop;
    this.#least = least;
    this.areInOrder = isRight;
    return lists;
  }
}

/** The years of the header must follow one another, and amounts must descend within each. */
class ResultOrder {
  isRight = true;
  readonly #years: Columns["header"]["years"];
  #index = -1;
  #rank = 0;
  #stop = 0;
  #low = 0;
  #high = 0;

  constructor(years: Columns["header"]["years"]) {
    this.#years = years;
  }

  /** The years of ranks. */
  yearsOf(from: number, to: number): Int32Array {
    const years = new Int32Array(to - from);
    for (const { year, first, records } of this.#years)
      years.fill(year, Math.max(0, first - from), Math.max(0, first + records - from));
    return years;
  }

  /** Reads the amounts of the next ranks. */
  read(halves: Int32Array): void {
    for (let at = 0; at < halves.length; at += 2, this.#rank++) {
      const [low, high] = [(halves[at] as number) >>> 0, halves[at + 1] as number];
      if (this.#rank >= this.#stop) this.#nextYear();
      else this.isRight &&= high < this.#high || (high === this.#high && low <= this.#low);
      [this.#low, this.#high] = [low, high];
    }
  }

  #nextYear(): void {
    const [before, next] = [this.#years[this.#index], this.#years[this.#index + 1]];
    this.#index += 1;
    this.isRight &&=
      next !== undefined &&
      next.first === this.#rank &&
      next.records > 0 &&
      (before?.year ?? 9999) > next.year;
    this.#stop = this.#rank + (next?.records ?? Number.POSITIVE_INFINITY);
  }
}
