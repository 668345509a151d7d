// Writes `index.columns`, in which searches find records and texts. docs/text-index.md describes every column.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type TextFilter, textColumns, type YearRanks } from "../../../api-static/release/columns.ts";
import { type Dictionary, dictionaries, parts } from "../../../api-static/release/layout.ts";
import { countRows } from "../../base/database.ts";
import { allEnded } from "../../base/parallel.ts";
import { ColumnFile, fillColumns, fillStarts } from "./columnFile.ts";
import { placesByGroup, rowNumbers, scatter, valuesOf } from "./scatter.ts";
import { makeWords, writePostings, writeWords } from "./words.ts";

/** SQL of a text's id, of type INTEGER. A record without a text has the number of texts, which no text has. */
const textSql = ({ column, texts }: Dictionary) =>
  `coalesce(${column}, (SELECT count(*) FROM ${texts}))::INTEGER`;

const bothTexts = `${textSql(dictionaries.purpose)}, ${textSql(dictionaries.recipientName)}`;

/**
 * Writes `index.columns` into `folder`, from the projections in the attached index, and the tables `ranks` (every record, in order of
 * rank) and of the texts. The same tables give the same bytes. Memory is bounded: DuckDB sorts, rows are streamed, and values are
 * placed in passes.
 * @param finishTables called when the tables are no longer needed: DuckDB works on it while this thread places the last values
 */
export async function writeColumns(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (fraction: number) => void,
  finishTables: () => Promise<void>,
): Promise<void> {
  const file = new ColumnFile(join(folder, parts.columns));
  try {
    const years = await readYears(connection);
    const records = years.reduce((sum, year) => sum + year.records, 0);
    await writeOrders(connection, file, records);
    onProgress(0.2);
    await writeRecipients(connection, file);
    onProgress(0.3);
    for (const filter of ["purpose", "recipientName"] as const) {
      const dictionary = dictionaries[filter];
      await writeTextStarts(connection, file, dictionary);
      // DuckDB makes the words while this thread places the records of each text.
      await allEnded(makeWords(connection, dictionary), writeRecordsOfTexts(file, records, filter));
      await writeWords(connection, file, dictionary);
      onProgress(filter === "purpose" ? 0.6 : 0.8);
    }
    await allEnded(finishTables(), writeAllPostings(file));
    onProgress(1);
    file.end({ records, years });
  } catch (error) {
    file.close();
    throw error;
  }
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
async function writeOrders(connection: DuckDBConnection, file: ColumnFile, records: number): Promise<void> {
  const add = (name: string) => file.add(name, records);
  const texts = Object.values(textColumns);
  await fillColumns(connection, "SELECT position, amount_cents FROM ranks", [
    add("rank.position"),
    file.add("rank.amount", records, 8),
  ]);
  await fillColumns(
    connection,
    `SELECT ${bothTexts} FROM index.by_funder`,
    texts.map((column) => add(`position.${column}`)),
  );
  const read = (name: string) => valuesOf(file.read(name));
  const toPositions = { rows: records, places: read("rank.position"), values: [rowNumbers] };
  await scatter(toPositions, records, [add("position.rank")]);
  const values = texts.map((column) => read(`position.${column}`));
  await scatter(
    { rows: records, places: read("position.rank"), values },
    records,
    texts.map((column) => add(`rank.${column}`)),
  );
}

/** Writes where the records of each text start. */
async function writeTextStarts(
  connection: DuckDBConnection,
  file: ColumnFile,
  { column, texts }: Dictionary,
): Promise<void> {
  const starts = file.add(`${column}.start`, (await countRows(connection, texts)) + 1);
  await fillStarts(connection, `SELECT records::INTEGER FROM ${texts} ORDER BY id`, starts);
}

/** Writes the records of each text: their ranks, and their other texts. */
async function writeRecordsOfTexts(file: ColumnFile, records: number, filter: TextFilter): Promise<void> {
  const column = textColumns[filter];
  const other = textColumns[filter === "purpose" ? "recipientName" : "purpose"];
  const found = file.read(`${column}.start`);
  const starts = found.slice(0, found.length);
  const length = starts.at(-1) as number;
  const move = {
    rows: records,
    places: placesByGroup(file.read(`rank.${column}`), starts),
    values: [rowNumbers, valuesOf(file.read(`rank.${other}`))],
  };
  const names = [`${column}.rank`, `${column}.other`];
  await scatter(
    move,
    length,
    names.map((name) => file.add(name, length)),
  );
}

/** Writes the texts of each word, in both dictionaries. */
async function writeAllPostings(file: ColumnFile): Promise<void> {
  for (const dictionary of Object.values(dictionaries)) await writePostings(file, dictionary);
}

/** Writes the recipients' EINs in order, where the rows of each start, and the columns by recipient. */
async function writeRecipients(connection: DuckDBConnection, file: ColumnFile): Promise<void> {
  const sql = `SELECT recipient_ein::INTEGER AS recipient_ein, count(*)::INTEGER AS records FROM index.by_recipient
    GROUP BY by_recipient.recipient_ein ORDER BY by_recipient.recipient_ein`;
  await connection.run(`CREATE TABLE recipients AS ${sql}`);
  const count = await countRows(connection, "recipients");
  await fillColumns(connection, "SELECT recipient_ein FROM recipients", [file.add("recipient.ein", count)]);
  await fillStarts(connection, "SELECT records FROM recipients", file.add("recipient.start", count + 1));
  await connection.run("DROP TABLE recipients");
  const records = file.read("recipient.start").at(count);
  const add = (name: string) => file.add(`recipient.${name}`, records);
  await fillColumns(
    connection,
    "SELECT rank, position FROM ranks WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, rank",
    ["rank", "position"].map(add),
  );
  await fillColumns(
    connection,
    `SELECT ${bothTexts} FROM index.by_recipient`,
    Object.values(textColumns).map(add),
  );
}
