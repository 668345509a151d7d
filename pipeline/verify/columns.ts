// Verifies `index.columns`: the order by rank has the values of the table of all grants, each other order has the records of its lists and
// copies their attributes from the order by rank. Then the texts and their words.
import { join } from "node:path";
import type { DuckDBBlobValue, DuckDBConnection } from "@duckdb/node-api";
import { resultOrderSql } from "../../api-static/contract/answers/record.ts";
import { indexedFilters } from "../../api-static/contract/filters/attributes.ts";
import {
  type Attribute,
  attributes,
  columnOf,
  distinctTexts,
  marks,
  type Order,
  textsOf,
} from "../../api-static/release/attributes.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { dictionaries, funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import { addBits, newBits } from "../../api-static/search/bits.ts";
import type { Release } from "../../api-static/search/release.ts";
import { integersOf, streamChunks } from "../base/database.ts";
import { ColumnCheck, groupRows } from "./columnCheck.ts";
import { checkLeaders } from "./leaders.ts";
import { checkWords } from "./words.ts";

/** SQL of attributes without texts in `by_funder`. EINs stand for rows of funders and recipients, and -1 minus a text id for names without one. */
const tableSql: Readonly<Record<string, string>> = {
  position: "position::INTEGER",
  amount: "amount",
  funder: "funder_ein::INTEGER",
  recipient:
    "coalesce(recipient_ein::BIGINT, -1 - coalesce(recipient_name, (SELECT count(*) FROM recipient_names))::BIGINT)::INTEGER",
};

const valueSql = ({ name, texts }: Attribute) =>
  texts === undefined ? tableSql[name] : `coalesce(${name}, (SELECT count(*) FROM ${texts}))::INTEGER`;

/** All attributes in order of rank. */
const ranksSql = `SELECT ${attributes.map(valueSql).join(", ")}
FROM (SELECT *, amount_cents AS amount FROM by_funder) ORDER BY ${resultOrderSql}`;

/** The ranks of each year, as in the header. */
const yearsSql = `SELECT transaction_year::INTEGER AS year,
  (sum(count(*)) OVER (ORDER BY transaction_year DESC) - count(*))::DOUBLE AS first, count(*)::DOUBLE AS records
FROM by_funder GROUP BY transaction_year ORDER BY transaction_year DESC`;

/**
 * Finds problems of a release's columns.
 * @param connection whose current database is the index
 */
export async function findColumnProblems(
  connection: DuckDBConnection,
  { folder, funders }: Pick<Release, "folder" | "funders">,
): Promise<string[]> {
  const columns = Columns.open(join(folder, parts.columns));
  const check = new ColumnCheck(columns);
  try {
    const rows = Array.from({ length: funders.length / funderRowBytes }, (_, row) =>
      readFunderRow(funders, row),
    );
    const starts = Int32Array.from([0, ...rows.map(({ first, records }) => first + records)]);
    const eins = Int32Array.from(rows, ({ ein }) => ein);
    await checkRanks(connection, check, eins);
    for (const attribute of attributes) checkAttribute(check, attribute, starts);
    await checkMarks(connection, check);
    checkLeaders(check);
    await checkLikely(connection, check);
    for (const texts of distinctTexts) await checkDistinct(connection, check, texts);
    await checkNameOrder(connection, check);
    for (const dictionary of Object.values(dictionaries)) await checkWords(connection, check, dictionary);
  } catch (error) {
    // A column that is missing or too short.
    if (!(error instanceof RangeError)) throw error;
    check.problems.push(error.message);
  } finally {
    columns.close();
  }
  return check.problems.map((problem) => `${parts.columns}: ${problem}`);
}

/** Compares the order by rank with the table of all grants, which DuckDB sorts. @param funders the EIN of each row */
async function checkRanks(
  connection: DuckDBConnection,
  check: ColumnCheck,
  funders: Int32Array,
): Promise<void> {
  const { records, years } = check.columns.header;
  const read = await connection.runAndReadAll(yearsSql);
  const [found, expected] = [years, read.getRowObjectsJson()].map((each) => JSON.stringify(each));
  if (found !== expected) check.problems.push(`years are ${found}, expected ${expected}`);
  check.ascending("recipient.ein");
  const eins: Readonly<Record<string, Int32Array>> = {
    funder: funders,
    recipient: check.all("recipient.ein"),
  };
  const columns = attributes.map(({ name }) => ({ name, column: check.columns.column(`rank.${name}`) }));
  for (const { name } of columns) check.length(`rank.${name}`, records);
  let rank = 0;
  for await (const chunk of streamChunks(connection, ranksSql)) {
    for (const [index, { name, column }] of columns.entries()) {
      const expected = integersOf(chunk, index);
      const halves = expected.length / chunk.rowCount; // of 64 bits
      const values = column.slice(halves * rank, halves * rank + expected.length);
      const rows = eins[name];
      const inTable = rows ? values.map((value) => rows[value] ?? rows.length - 1 - value) : values;
      const at = inTable.findIndex((value, index) => value !== expected[index]);
      if (at < 0) continue;
      const row = rank + Math.floor(at / halves);
      check.report(`rank.${name}`, row, inTable[at], `${expected[at]} as in by_funder of ${parts.index}`);
      return;
    }
    rank += chunk.rowCount;
  }
}

/**
 * Compares the copies of an attribute with the order by rank, and the order whose lists are of its values.
 * @param funders the first position of each funder, then the number of records
 */
function checkAttribute(check: ColumnCheck, { name, lists, orders }: Attribute, funders: Int32Array): void {
  const source = `rank.${name}`;
  const values = check.all(source);
  for (const order of orders)
    if (order !== "rank") check.copied(columnOf(order, name), `${order}.rank`, source, values);
  if (lists !== undefined)
    checkOrder(check, lists, lists === "position" ? funders : check.all(`${lists}.start`), values);
  if (!indexedFilters.some((filter) => filter.name === name)) return;
  const counts = new Int32Array(check.count(`${textsOf(name).column}.start`));
  for (const id of values) counts[id] = (counts[id] as number) + 1;
  check.equal(`${name}.records`, counts.length, source, (id) => counts[id]);
}

/**
 * Each list of an order must have the ranks whose group has its number, ascending, and one or more.
 * @param found where the lists start, then the number of rows
 * @param groups by rank; those from the number of lists on are in no list
 */
function checkOrder(check: ColumnCheck, order: Order, found: Int32Array, groups: Int32Array): void {
  const { starts, rows } = groupRows(groups, found.length - 1);
  const list = found.findIndex((start, list) => start !== starts[list] || start === starts[list - 1]);
  if (list >= 0)
    check.report(`${order}.rank`, found[list] as number, `in list ${list}`, `${starts[list]} there`);
  check.equal(`${order}.rank`, rows.length, "the lists", (row) => rows[row]);
}

/** Compares the bits of each mark, and the amounts of non-cash support, with the table of all grants. */
async function checkMarks(connection: DuckDBConnection, check: ColumnCheck): Promise<void> {
  const ranks = check.all("position.rank");
  for (const [name, { sql }] of Object.entries(marks)) {
    const bits = newBits(ranks.length);
    for await (const chunk of streamChunks(
      connection,
      `SELECT position::INTEGER FROM by_funder WHERE ${sql}`,
    ))
      addBits(
        bits,
        integersOf(chunk, 0).map((position) => ranks[position] as number),
      );
    check.equal(`${name}.bits`, bits.length, `by_funder of ${parts.index}`, (at) => bits[at]);
  }
  const amounts = check.columns.column("non_cash.amount");
  let row = 0;
  const sql = `SELECT non_cash_cents FROM (SELECT *, amount_cents AS amount FROM by_funder)
    WHERE ${marks.non_cash.sql} ORDER BY ${resultOrderSql}`;
  for await (const chunk of streamChunks(connection, sql)) {
    const expected = integersOf(chunk, 0);
    const found = amounts.slice(2 * row, 2 * row + expected.length);
    const at = found.findIndex((half, index) => half !== expected[index]);
    if (at >= 0)
      return check.report("non_cash.amount", row + (at >>> 1), found[at], `${expected[at]} in this half`);
    row += chunk.rowCount;
  }
  check.length("non_cash.amount", row);
}

/** The order `likely` must have all grants of the recipients that have matches, and the matches of the index. */
async function checkLikely(connection: DuckDBConnection, check: ColumnCheck): Promise<void> {
  check.ascending("likely.ein");
  const starts = check.all("likely.start");
  const none = starts.length - 1; // EINs without matches
  const free = none + 1; // grants without an EIN and a match
  const lists = new Map(Array.from(check.all("likely.ein"), (ein, list) => [ein, list]));
  const listOf = check.all("recipient.ein").map((ein) => lists.get(ein) ?? none);
  const groups = check.all("rank.recipient").map((recipient) => listOf[recipient] ?? free);
  const matches = new Int32Array(groups.length).fill(-1);
  const ranks = check.columns.column("position.rank");
  const sql = "SELECT position::INTEGER, matched_ein::INTEGER, text::INTEGER FROM by_match ORDER BY position";
  for await (const chunk of streamChunks(connection, sql)) {
    const [positions, eins, texts] = [integersOf(chunk, 0), integersOf(chunk, 1), integersOf(chunk, 2)];
    for (let row = 0; row < positions.length; row++) {
      const rank = ranks.at(positions[row] as number);
      const list = lists.get(eins[row] as number);
      if (groups[rank] !== free || list === undefined)
        return check.report(
          "rank.recipient",
          rank,
          groups[rank],
          `${free}: by_match has one match of the grant`,
        );
      groups[rank] = list;
      matches[rank] = texts[row] as number;
    }
  }
  checkOrder(check, "likely", starts, groups);
  check.copied("likely.match", "likely.rank", `by_match of ${parts.index}`, matches);
  const found = check.columns.column("likely.match");
  check.equal("likely.is_filed", found.length, "likely.match", (row) => (found.at(row) === -1 ? 1 : 0));
}

/** Compares the texts of an attribute, as bytes: DuckDB's client drops a byte order mark at the start of a text. */
async function checkDistinct(
  connection: DuckDBConnection,
  check: ColumnCheck,
  { table, column: name }: (typeof distinctTexts)[number],
): Promise<void> {
  const read = await connection.runAndReadAll(`SELECT encode(text) FROM ${table} ORDER BY id`);
  const texts = read.getRows().map(([text]) => (text as DuckDBBlobValue).bytes);
  const bytes = Buffer.concat(texts);
  check.equal(`${name}.bytes`, bytes.length, table, (at) => bytes[at]);
  let end = 0;
  const ends = texts.map((text) => {
    end += text.length;
    return end;
  });
  check.equal(`${name}.start`, ends.length + 1, table, (id) => ends[id - 1] ?? 0);
}

/** The place of each name must be that in the order of bytes. */
async function checkNameOrder(connection: DuckDBConnection, check: ColumnCheck): Promise<void> {
  const name = "recipient_name.order";
  const places = check.all(name);
  let place = 0;
  for await (const chunk of streamChunks(connection, "SELECT id::INTEGER FROM recipient_names ORDER BY text"))
    for (const id of integersOf(chunk, 0)) {
      if (places[id] !== place) return check.report(name, id, places[id], `${place}, by its text`);
      place += 1;
    }
  check.length(name, place);
}
