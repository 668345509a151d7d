// Writes the columns of the recipients that have matches: all of their grants, as filed and matched.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type ColumnWidth, textColumns } from "../../../api-static/release/columns.ts";
import { countRows } from "../../base/database.ts";
import { type ColumnFile, fillColumns, WrittenPair } from "./columnFile.ts";
import { states } from "./ids.ts";
import { type Fill, pairsOf, placesByGroup, rowNumbers, scatter, valuesOf } from "./scatter.ts";

const recipientsSql = `CREATE TABLE likely_recipients AS
  SELECT (row_number() OVER (ORDER BY ein) - 1)::INTEGER AS row, ein::INTEGER AS ein FROM (SELECT DISTINCT ein FROM matches)`;

/** The matches, in any order. */
const matchesSql = "SELECT position::INTEGER, row, text FROM matches JOIN likely_recipients USING (ein)";

/** Records whose recipients are looked up at once. */
const recordsAtOnce = 2 ** 16;

/**
 * Writes the order "likely" from the table `matches` and the columns by rank. Its columns are empty if there are no matches, and then the
 * table need not exist.
 */
export async function writeLikely(
  connection: DuckDBConnection,
  file: ColumnFile,
  records: number,
  stateWidth: ColumnWidth,
  hasMatches: boolean,
): Promise<void> {
  await connection.run(
    hasMatches ? recipientsSql : "CREATE TABLE likely_recipients (row INTEGER, ein INTEGER)",
  );
  const count = await countRows(connection, "likely_recipients");
  await fillColumns(connection, "SELECT ein FROM likely_recipients ORDER BY row", [
    file.add("likely.ein", count),
  ]);
  const found = file.openTemporary();
  try {
    if (hasMatches) await writeMatchesByRank(connection, file, records, found);
    const recipients = hasMatches ? recipientsByRank(file, found) : rowNumbers;
    await writeRecordsOfRecipients(file, hasMatches ? records : 0, { recipients, found, stateWidth });
  } finally {
    found.close();
  }
  await connection.run("DROP TABLE likely_recipients");
}

/** Writes the row of the likely recipient of each record, and the line about the match, by rank: -1 for records without one. */
async function writeMatchesByRank(
  connection: DuckDBConnection,
  file: ColumnFile,
  records: number,
  found: ColumnFile,
): Promise<void> {
  const rows = await countRows(connection, "matches");
  const add = (order: string, length: number) =>
    ["recipient", "text"].map((name) => found.add(`${order}.${name}`, length));
  const read = (order: string) =>
    ["recipient", "text"].map((name) => valuesOf(found.read(`${order}.${name}`)));
  await fillColumns(connection, matchesSql, [found.add("match.position", rows), ...add("match", rows)]);
  const toPositions = {
    rows,
    places: valuesOf(found.read("match.position")),
    values: read("match"),
    others: (_from: number, values: Int32Array) => values.fill(-1),
  };
  await scatter(toPositions, records, add("position", records), found);
  const toRanks = {
    rows: records,
    places: valuesOf(file.read("position.rank")),
    values: read("position"),
  };
  await scatter(toRanks, records, add("rank", records), found);
}

/** The row of each record's recipient, filed or likely, by rank: the number of rows for recipients without a match. */
function recipientsByRank(file: ColumnFile, found: ColumnFile): Fill {
  const [all, likely] = [file.readWhole("recipient.ein"), file.readWhole("likely.ein")];
  const rows = new Int32Array(all.length).fill(likely.length);
  let row = 0;
  for (const [recipient, ein] of all.entries()) {
    while (row < likely.length && (likely[row] as number) < ein) row += 1;
    if (likely[row] === ein) rows[recipient] = row;
  }
  const [filed, matched] = [file.read("rank.recipient"), found.read("rank.recipient")];
  return (from, values) => {
    const ofFiled = filed.slice(from, from + values.length);
    const ofMatch = matched.slice(from, from + values.length);
    for (let index = 0; index < values.length; index++) {
      const match = ofMatch[index] as number;
      values[index] = match >= 0 ? match : (rows[ofFiled[index] as number] ?? likely.length);
    }
  };
}

type RecipientRecords = {
  /** The row of each record's recipient. */
  readonly recipients: Fill;
  readonly found: ColumnFile;
  readonly stateWidth: ColumnWidth;
};

/** Writes the records of each recipient, in order of rank. */
async function writeRecordsOfRecipients(
  file: ColumnFile,
  records: number,
  { recipients, found, stateWidth }: RecipientRecords,
): Promise<void> {
  const starts = countStarts(recipients, records, file.read("likely.ein").length);
  const start = file.add("likely.start", starts.length);
  start.pushAll(starts);
  start.end();
  const length = starts.at(-1) as number;
  const texts = Object.values(textColumns);
  const columns = [
    ...["rank", "position", "match"].map((name) => file.add(`likely.${name}`, length)),
    file.add("likely.is_filed", length, 1),
    ...texts.map((name) => file.add(`likely.${name}`, length)),
  ];
  const [ofFunders, ofRecipients] = states.map((name) => file.add(`likely.${name}`, length, stateWidth));
  if (ofFunders === undefined || ofRecipients === undefined || length === 0) return;
  const ofRank = (name: string) => file.read(`rank.${name}`);
  const lines = valuesOf(found.read("rank.text"));
  const isFiled: Fill = (from, values) => {
    lines(from, values);
    for (let index = 0; index < values.length; index++) values[index] = (values[index] as number) < 0 ? 1 : 0;
  };
  const move = {
    rows: records,
    places: placesByGroup(recipients, starts),
    values: [
      rowNumbers,
      valuesOf(ofRank("position")),
      lines,
      isFiled,
      ...texts.map((name) => valuesOf(ofRank(name))),
      pairsOf(ofRank("funder_state"), ofRank("recipient_state")),
    ],
  };
  await scatter(move, length, [...columns, new WrittenPair(ofFunders, ofRecipients)], file);
}

/** The first row of each group, then the number of rows in groups. @param groups of the rows; rows of group `count` are omitted */
function countStarts(groups: Fill, rows: number, count: number): Int32Array<ArrayBuffer> {
  const starts = new Int32Array(count + 1);
  const some = new Int32Array(recordsAtOnce);
  for (let from = 0; from < rows; from += recordsAtOnce) {
    const values = some.subarray(0, Math.min(recordsAtOnce, rows - from));
    groups(from, values);
    for (const group of values) if (group < count) starts[group + 1] = (starts[group + 1] as number) + 1;
  }
  for (let group = 0; group < count; group++)
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
  return starts;
}
