// Writes `index.columns`, in which searches find records and texts. docs/text-index.md describes every column.

import { join } from "node:path";
import type { DuckDBBlobValue, DuckDBConnection } from "@duckdb/node-api";
import { indexedFilters } from "../../../api-static/contract/filters/attributes.ts";
import { distinctTexts, marks, textsOf } from "../../../api-static/release/attributes.ts";
import {
  type ColumnWidth,
  type TextFilter,
  textColumns,
  type YearRanks,
} from "../../../api-static/release/columns.ts";
import { type Dictionary, dictionaries, parts } from "../../../api-static/release/layout.ts";
import { addBits, newBits } from "../../../api-static/search/bits.ts";
import { countRows, integersOf, streamChunks } from "../../base/database.ts";
import { allEnded } from "../../base/parallel.ts";
import { ColumnFile, fillColumns, fillStarts } from "./columnFile.ts";
import { bothTexts, idSql, narrow } from "./ids.ts";
import { writeLeaders } from "./leaders.ts";
import { writeLikely } from "./likely.ts";
import { writeOrder } from "./orders.ts";
import { rowNumbers, scatter, valuesByGroup, valuesOf } from "./scatter.ts";
import { makeWords, writePostings, writeWords } from "./words.ts";

/** The number of records of each value of an attribute, and of those without a known one. */
const recordsSql = (name: string) => `SELECT coalesce(records, 0)::INTEGER
  FROM range((SELECT count(*) + 1 FROM index.${textsOf(name).table})) AS ids(id)
  LEFT JOIN (SELECT ${idSql(name)} AS id, count(*) AS records FROM ranks GROUP BY 1) USING (id) ORDER BY id`;

/**
 * Writes `index.columns` into `folder`, from the projections in the attached index, and the tables `ranks` (every record, in order of
 * rank) and of the texts, which it moves into the index. The same tables give the same bytes. Memory is bounded: DuckDB sorts, rows are
 * streamed, and values are placed in batches.
 * @param hasMatches true if there is a table `matches`, which has rows
 */
export async function writeColumns(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (fraction: number) => void,
  hasMatches: boolean,
): Promise<void> {
  const file = new ColumnFile(join(folder, parts.columns));
  try {
    const years = await readYears(connection);
    const records = years.reduce((sum, year) => sum + year.records, 0);
    const width = widthOf(await countRows(connection, "index.states"));
    await writeRanksAndPositions(connection, file, records);
    await writeMarks(connection, file, records);
    for (const { table, column } of distinctTexts) await writeDistinct(connection, file, table, column);
    onProgress(0.2);
    const recipients = await countRows(connection, "recipients");
    const eins = file.add("recipient.ein", recipients);
    await fillColumns(connection, "SELECT ein::INTEGER FROM recipients ORDER BY row", [eins]);
    const orderBy = (order: "recipient" | (typeof textColumns)[TextFilter], count: number) => {
      const groups = valuesOf(file.read(`rank.${order}`));
      return writeOrder(file, order, { records, groups, count, stateWidth: width });
    };
    await orderBy("recipient", recipients);
    await writeLikely(connection, file, records, width, hasMatches);
    await writeLeaders(connection, file);
    onProgress(0.3);
    await writeOrderOfTexts(connection, file, dictionaries.recipientName);
    for (const filter of ["purpose", "recipientName"] as const) {
      const dictionary = dictionaries[filter];
      const texts = await countRows(connection, dictionary.texts);
      // DuckDB makes the words while this thread places the records of each text.
      await allEnded(makeWords(connection, dictionary), orderBy(textColumns[filter], texts));
      await writeWords(connection, file, dictionary);
      onProgress(filter === "purpose" ? 0.6 : 0.8);
    }
    // DuckDB moves the tables while this thread places the texts of each word.
    await allEnded(storeTexts(connection), writeAllPostings(file));
    onProgress(1);
    file.end({ records, years });
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Moves the tables of texts into the attached index. */
async function storeTexts(connection: DuckDBConnection): Promise<void> {
  await connection.run("DROP TABLE ranks; DROP TABLE recipients");
  for (const { texts } of Object.values(dictionaries))
    await connection.run(`CREATE TABLE index.${texts} AS FROM ${texts}; DROP TABLE ${texts}`);
}

/** Bytes of ids below `count`. `count` itself stands for none, so it must be a value, too. */
function widthOf(count: number): ColumnWidth {
  if (count <= 0xff) return 1;
  return count <= 0xffff ? 2 : 4;
}

/** The ranks of each year, newest first. */
async function readYears(connection: DuckDBConnection): Promise<YearRanks[]> {
  const counted = await connection.runAndReadAll(`SELECT transaction_year, count(*)::DOUBLE
    FROM index.by_funder GROUP BY transaction_year ORDER BY transaction_year DESC`);
  let first = 0;
  return counted.getRows().map(([year, records]) => {
    const ranks = { year: Number(year), first, records: Number(records) };
    first += ranks.records;
    return ranks;
  });
}

/**
 * Writes the columns by rank and those by position. Ranks and positions are of type INTEGER: their 32 bits are the same as those of
 * unsigned integers below 2^31.
 */
async function writeRanksAndPositions(
  connection: DuckDBConnection,
  file: ColumnFile,
  records: number,
): Promise<void> {
  const add = (name: string) => file.add(name, records);
  const texts = Object.values(textColumns);
  const counts = new Map<string, number>();
  for (const { name } of narrow)
    counts.set(name, await countRows(connection, `index.${textsOf(name).table}`));
  const countOf = (name: string) => counts.get(name) as number;
  const ids = (some: typeof narrow) => some.map(({ name }) => idSql(name)).join(", ");
  const addNarrow = (order: string, some: typeof narrow) =>
    some.map(({ name }) => file.add(`${order}.${name}`, records, widthOf(countOf(name))));
  await fillColumns(connection, `SELECT position, amount_cents, recipient, ${ids(narrow)} FROM ranks`, [
    add("rank.position"),
    file.add("rank.amount", records, 8),
    add("rank.recipient"),
    ...addNarrow("rank", narrow),
  ]);
  for (const { name } of indexedFilters)
    await fillColumns(connection, recordsSql(name), [file.add(`${name}.records`, countOf(name) + 1)]);
  const byPosition = narrow.filter(({ orders }) => orders.includes("position"));
  await fillColumns(connection, `SELECT ${bothTexts}, ${ids(byPosition)} FROM index.by_funder`, [
    ...texts.map((column) => add(`position.${column}`)),
    ...addNarrow("position", byPosition),
  ]);
  const read = (name: string) => valuesOf(file.read(name));
  const toPositions = { rows: records, places: read("rank.position"), values: [rowNumbers] };
  await scatter(toPositions, records, [add("position.rank")], file);
  const values = texts.map((column) => read(`position.${column}`));
  values.push(valuesByGroup(await readFunderStarts(connection)));
  await scatter(
    { rows: records, places: read("position.rank"), values },
    records,
    [...texts, "funder"].map((column) => add(`rank.${column}`)),
    file,
  );
}

/** Writes a bit for each record and mark, by rank, and the amounts of non-cash support. */
async function writeMarks(connection: DuckDBConnection, file: ColumnFile, records: number): Promise<void> {
  for (const [name, { sql }] of Object.entries(marks)) {
    const bits = newBits(records);
    for await (const chunk of streamChunks(connection, `SELECT rank FROM ranks WHERE ${sql}`))
      addBits(bits, integersOf(chunk, 0));
    file.addAll(`${name}.bits`, bits);
  }
  const marked = `ranks WHERE ${marks.non_cash.sql}`;
  const amounts = file.add("non_cash.amount", await countRows(connection, marked), 8);
  await fillColumns(connection, `SELECT non_cash_cents FROM ${marked} ORDER BY rank`, [amounts]);
}

/** The first position of each funder, then the number of records. */
async function readFunderStarts(connection: DuckDBConnection): Promise<Int32Array> {
  const sql = "SELECT count(*)::INTEGER FROM index.by_funder GROUP BY funder_ein ORDER BY funder_ein";
  const starts: number[] = [];
  let first = 0;
  for await (const chunk of streamChunks(connection, sql))
    for (const records of integersOf(chunk, 0)) {
      starts.push(first);
      first += records;
    }
  starts.push(first);
  return Int32Array.from(starts);
}

/** Writes the texts of attributes: types as filed, states or causes. */
async function writeDistinct(
  connection: DuckDBConnection,
  file: ColumnFile,
  texts: string,
  name: string,
): Promise<void> {
  const table = `index.${texts}`;
  const starts = file.add(`${name}.start`, (await countRows(connection, table)) + 1);
  await fillStarts(connection, `SELECT strlen(text)::INTEGER FROM ${table} ORDER BY id`, starts);
  const bytes: Uint8Array[] = [];
  // As bytes: DuckDB's client drops a byte order mark at the start of a text.
  for await (const chunk of streamChunks(connection, `SELECT encode(text) FROM ${table} ORDER BY id`))
    chunk.visitColumnValues(0, (value) => bytes.push((value as DuckDBBlobValue).bytes));
  file.addBytes(`${name}.bytes`, Buffer.concat(bytes));
}

/** Writes the place of each text in the order of bytes. A window function of DuckDB would take twice as long. */
async function writeOrderOfTexts(
  connection: DuckDBConnection,
  file: ColumnFile,
  { column, texts }: Dictionary,
): Promise<void> {
  const places = new Int32Array(await countRows(connection, texts));
  let place = 0;
  for await (const chunk of streamChunks(connection, `SELECT id::INTEGER FROM ${texts} ORDER BY text`))
    for (const id of integersOf(chunk, 0)) places[id] = place++;
  file.addAll(`${column}.order`, places);
}

/** Writes the texts of each word, in both dictionaries. */
async function writeAllPostings(file: ColumnFile): Promise<void> {
  for (const dictionary of Object.values(dictionaries)) await writePostings(file, dictionary);
}
