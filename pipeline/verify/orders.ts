// Verifies every value of the records' columns in `index.columns`: those by rank against the table of all grants, and those of each other
// order against those by rank. Sums of hashes over (rank, value) are equal if both have the same pairs, whatever the order of rows, so each
// column is read once from start to end.
import type { DuckDBConnection } from "@duckdb/node-api";
import { placeFilters } from "../../api-static/contract/filters.ts";
import { attributes, columnOf, type Order } from "../../api-static/release/attributes.ts";
import { type Column, type Columns, maxBlock } from "../../api-static/release/columns.ts";
import { funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { integersOf, streamChunks } from "../base/database.ts";
import { addUp, fold, foldPairs, mix, mixAll } from "./hashSums.ts";
import { Lists } from "./lists.ts";

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
  /** Year and amount of the last rank that was read: its upper and its lower half. */
  #last: readonly [year: number, high: number, low: number] = [Number.POSITIVE_INFINITY, 0, 0];
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
  #copies(order: Order): { name: string; values: Column; problem: string }[] {
    return attributes
      .filter((attribute) => attribute.orders.includes(order))
      .map(({ name }) => {
        const column = columnOf(order, name);
        return {
          name,
          values: this.#columns.column(column),
          problem: `${column} differs from rank.${name}`,
        };
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
    for (const [from, to] of this.#blocks(records)) {
      for (let rank = from; rank < to; rank++) keys[rank - from] = mix(rank);
      const values: Record<string, Int32Array> = { year: new Int32Array(to - from) };
      for (const { year, first, records: count } of years)
        values.year?.fill(year, Math.max(0, first - from), Math.max(0, first + count - from));
      for (const { name, width, column } of open) {
        const read = width === 8 ? column.slice(2 * from, 2 * to) : column.slice(from, to);
        if (width === 8) this.#checkResultOrder(values.year as Int32Array, read);
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
    for (const [name, counted] of counts)
      if (this.#columns.integers(`${name}.records`).some((count, id) => count !== counted[id]))
        this.#problems.add(`${name}.records differs from rank.${name}`);
  }

  /** Years must descend, and amounts within each. @param halves of the amounts of the next ranks */
  #checkResultOrder(years: Int32Array, halves: Int32Array): void {
    let [lastYear, lastHigh, lastLow] = this.#last;
    let isRight = true;
    for (let row = 0; row < years.length; row++) {
      const year = years[row] as number;
      const low = (halves[2 * row] as number) >>> 0;
      const high = halves[2 * row + 1] as number;
      isRight &&=
        year < lastYear || (year === lastYear && (high < lastHigh || (high === lastHigh && low <= lastLow)));
      lastYear = year;
      lastHigh = high;
      lastLow = low;
    }
    this.#last = [lastYear, lastHigh, lastLow];
    if (!isRight) this.#problems.add("its years or rank.amount are out of order");
  }

  #addEins(values: Record<string, Int32Array>): void {
    const [funders, recipients] = [this.#funderEins, this.#recipientEins];
    values.funder_ein = (values.funder as Int32Array).map((row) => funders[row] as number);
    values.recipient_ein = (values.recipient as Int32Array).map((row) =>
      row < recipients.length ? (recipients[row] as number) : recipients.length - 1 - row,
    );
  }

  #flagsOf({ recipient, purpose, recipient_name }: Values, from: number): Uint8Array {
    const count = (column: string) => this.#columns.placeOf(column).length;
    const recipients = count("recipient.ein");
    const purposes = count("purpose.start") - 1;
    const names = count("recipient_name.start") - 1;
    const flags = new Uint8Array((recipient as Int32Array).length);
    for (let row = 0; row < flags.length; row++) {
      const group = (recipient as Int32Array)[row] as number;
      const likely = this.#likely[from + row] as number;
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
    const copies = this.#copies(order);
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
    const ranks = open("rank");
    const positions = open("position");
    const matches = open("match");
    const filed = open("is_filed");
    const copies = this.#copies("likely");
    const eins = this.#columns.integers("likely.ein");
    let recipient = 0;
    for (const ein of eins) {
      while ((this.#recipientEins[recipient] as number) < ein) recipient += 1;
      if (this.#recipientEins[recipient] === ein) this.#hasLikely[recipient] = 1;
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
    const sql = `SELECT ${Object.values(tableSql).join(", ")} FROM by_funder`;
    let position = 0;
    for await (const chunk of streamChunks(connection, sql)) {
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
