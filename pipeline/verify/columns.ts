// Verifies `index.columns`: lists start where the previous one ends, each order has the records of its lists and copies their attributes
// from the order by rank, and that has the values of the table of all grants. Then the texts and their words.
import { join } from "node:path";
import type { DuckDBBlobValue, DuckDBConnection } from "@duckdb/node-api";
import { type Attribute, attributes, columnOf, recordLists } from "../../api-static/release/attributes.ts";
import { Columns } from "../../api-static/release/columns.ts";
import { dictionaries, funderRowBytes, parts, readFunderRow } from "../../api-static/release/layout.ts";
import type { Release } from "../../api-static/search/release.ts";
import { integersOf, streamChunks } from "../base/database.ts";
import { ColumnCheck } from "./columnCheck.ts";
import { checkLeaders } from "./leaders.ts";
import { checkWords } from "./words.ts";

/** Names that are compared, evenly spread. */
const nameSamples = 1_000;

/** SQL of attributes without texts in `by_funder`. EINs stand for rows of funders and recipients, and -1 minus a text id for names without one. */
const tableSql: Readonly<Record<string, string>> = {
  position: "position::INTEGER",
  amount: "amount_cents",
  funder: "funder_ein::INTEGER",
  recipient:
    "coalesce(recipient_ein::BIGINT, -1 - coalesce(recipient_name, (SELECT count(*) FROM recipient_names))::BIGINT)::INTEGER",
};

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
    check.lists(recordLists, 1);
    for (const name of ["recipient.ein", "likely.ein"]) check.ascending(name);
    // The others rely on the starts.
    if (check.problems.length === 0) await checkValues(connection, check, funders);
  } catch (error) {
    // A column that is missing or too short.
    if (!(error instanceof RangeError)) throw error;
    check.problems.push(error.message);
  } finally {
    columns.close();
  }
  return check.problems.map((problem) => `${parts.columns}: ${problem}`);
}

async function checkValues(connection: DuckDBConnection, check: ColumnCheck, funders: Buffer): Promise<void> {
  const rows = Array.from({ length: funders.length / funderRowBytes }, (_, row) =>
    readFunderRow(funders, row),
  );
  const eins = {
    funder: Int32Array.from(rows, ({ ein }) => ein),
    recipient: check.all("recipient.ein"),
  };
  const ends = Int32Array.from([0, ...rows.map(({ first, records }) => first + records)]);
  check.length("position.rank", ends.at(-1) as number);
  for (const attribute of attributes) await checkAttribute(connection, check, attribute, ends, eins);
  await checkYears(connection, check);
  checkLeaders(check, "funder", rows.length);
  checkLeaders(check, "recipient", eins.recipient.length + check.count("recipient_name.start") - 1);
  await checkLikely(connection, check, eins.recipient);
  for (const name of ["type", "state"] as const) await checkDistinct(connection, check, name);
  await checkNameOrder(connection, check);
  for (const dictionary of Object.values(dictionaries)) await checkWords(connection, check, dictionary);
}

/** @param funders the first position of each funder, then the number of records */
async function checkAttribute(
  connection: DuckDBConnection,
  check: ColumnCheck,
  { name, texts, lists, orders }: Attribute,
  funders: Int32Array,
  eins: Readonly<Record<"funder" | "recipient", Int32Array>>,
): Promise<void> {
  const source = `rank.${name}`;
  const values = check.all(source);
  check.length(source, check.columns.header.records);
  for (const order of orders)
    if (order !== "rank") check.copied(columnOf(order, name), `${order}.rank`, source, values);
  if (lists !== undefined)
    check.order(lists, lists === "position" ? funders : check.all(`${lists}.start`), values);
  if (texts === "states") {
    const counts = new Int32Array(check.count("state.start"));
    for (const id of values) counts[id] = (counts[id] as number) + 1;
    check.length(`${name}.records`, counts.length);
    check.equal(`${name}.records`, source, (id) => counts[id]);
  }
  const sql = texts ? `coalesce(${name}, (SELECT count(*) FROM ${texts}))::INTEGER` : tableSql[name];
  const ofRows = name === "funder" || name === "recipient" ? eins[name] : undefined;
  const last = ofRows === undefined ? 0 : ofRows.length - 1;
  const inTable = ofRows === undefined ? values : values.map((row) => ofRows[row] ?? last - row);
  await compareTable(connection, check, source, sql as string, inTable);
}

/** Compares values by rank with the table of all grants, whose rows are in order of position. */
async function compareTable(
  connection: DuckDBConnection,
  check: ColumnCheck,
  name: string,
  sql: string,
  values: Int32Array,
): Promise<void> {
  const ranks = check.columns.column("position.rank");
  let position = 0;
  for await (const chunk of streamChunks(connection, `SELECT ${sql} FROM by_funder`)) {
    const expected = integersOf(chunk, 0);
    const halves = expected.length / chunk.rowCount;
    for (let row = 0; row < expected.length; row++) {
      const rank = ranks.at(position + Math.floor(row / halves));
      const value = values[halves * rank + (row % halves)];
      if (value !== expected[row])
        return check.report(name, rank, value, `${expected[row]} as in by_funder of ${parts.index}`);
    }
    position += chunk.rowCount;
  }
}

/** Years must be those of the table, and descend; so must the amounts of each year. */
async function checkYears(connection: DuckDBConnection, check: ColumnCheck): Promise<void> {
  const { years, records } = check.columns.header;
  const ofRanks = new Int32Array(records);
  for (const { year, first, records: count } of years) ofRanks.fill(year, first, first + count);
  await compareTable(connection, check, "years", "transaction_year::INTEGER", ofRanks);
  const halves = check.all("rank.amount");
  const amountAt = (rank: number) =>
    (halves[2 * rank + 1] as number) * 2 ** 32 + ((halves[2 * rank] as number) >>> 0);
  for (let rank = 1; rank < records; rank++) {
    const step = (ofRanks[rank] as number) - (ofRanks[rank - 1] as number);
    if (step > 0 || (step === 0 && amountAt(rank) > amountAt(rank - 1)))
      return check.report("rank.amount", rank, amountAt(rank), "years and amounts to descend");
  }
}

/** The order `likely` must have all grants of the recipients that have matches, and the matches of the index. */
async function checkLikely(
  connection: DuckDBConnection,
  check: ColumnCheck,
  recipients: Int32Array,
): Promise<void> {
  const starts = check.all("likely.start");
  const none = starts.length - 1;
  const lists = new Map(Array.from(check.all("likely.ein"), (ein, list) => [ein, list]));
  const listOf = recipients.map((ein) => lists.get(ein) ?? none);
  const filed = check.all("rank.recipient");
  const groups = filed.map((recipient) => listOf[recipient] ?? none);
  const matches = new Int32Array(groups.length).fill(-1);
  const ranks = check.columns.column("position.rank");
  const sql = "SELECT position::INTEGER, matched_ein::INTEGER, text::INTEGER FROM by_match ORDER BY position";
  for await (const chunk of streamChunks(connection, sql)) {
    const [positions, eins, texts] = [integersOf(chunk, 0), integersOf(chunk, 1), integersOf(chunk, 2)];
    for (let row = 0; row < positions.length; row++) {
      const rank = ranks.at(positions[row] as number);
      if ((filed[rank] as number) < recipients.length || matches[rank] !== -1)
        return check.report("rank.recipient", rank, filed[rank], "no EIN: by_match has a match of the grant");
      groups[rank] = lists.get(eins[row] as number) ?? -1;
      matches[rank] = texts[row] as number;
    }
  }
  check.order("likely", starts, groups);
  check.copied("likely.match", "likely.rank", `by_match of ${parts.index}`, matches);
  const found = check.columns.column("likely.match");
  check.equal("likely.is_filed", "likely.match", (row) => (found.at(row) === -1 ? 1 : 0));
}

/** Compares the types or states, as bytes: DuckDB's client drops a byte order mark at the start of a text. */
async function checkDistinct(
  connection: DuckDBConnection,
  check: ColumnCheck,
  name: "type" | "state",
): Promise<void> {
  const starts = check.all(`${name}.start`);
  const read = await connection.runAndReadAll(`SELECT encode(text) FROM ${name}s ORDER BY id`);
  const texts = read.getRows().map(([text]) => Buffer.from((text as DuckDBBlobValue).bytes));
  check.length(`${name}.start`, texts.length + 1);
  const bytes = check.columns.bytes(`${name}.bytes`);
  const id = texts.findIndex((text, id) => !text.equals(bytes.subarray(starts[id], starts[id + 1])));
  if (id >= 0)
    check.report(`${name}.bytes`, id, bytes.toString("utf8", starts[id], starts[id + 1]), `${texts[id]}`);
}

/** Each name must have another place in the order of bytes, and those of samples must ascend. */
async function checkNameOrder(connection: DuckDBConnection, check: ColumnCheck): Promise<void> {
  const name = "recipient_name.order";
  const order = check.all(name);
  check.length(name, check.count("recipient_name.start") - 1);
  const seen = new Uint8Array(order.length);
  check.equal(name, "no other row and below the number of rows", (row) => {
    const place = order[row] as number;
    const isNew = seen[place] === 0;
    seen[place] = 1;
    return isNew ? place : undefined;
  });
  const step = Math.max(1, Math.floor(order.length / nameSamples));
  const sql = `SELECT id::INTEGER FROM recipient_names WHERE id % ${step} = 0 ORDER BY text`;
  let least = 0;
  for (const [id] of (await connection.runAndReadAll(sql)).getRows()) {
    const place = order[Number(id)] as number;
    if (place < least) return check.report(name, Number(id), place, `at least ${least}, by its text`);
    least = place + 1;
  }
}
