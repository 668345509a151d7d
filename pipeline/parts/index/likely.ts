// Writes the columns of the recipients that have matches: all of their grants, as filed and matched.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ColumnWidth } from "../../../api-static/release/columns.ts";
import { countRows } from "../../base/database.ts";
import { type ColumnFile, fillColumns } from "./columnFile.ts";
import { writeOrder } from "./orders.ts";
import { type Fill, rowNumbers, scatter, valuesOf } from "./scatter.ts";

const recipientsSql = `CREATE TABLE likely_recipients AS
  SELECT (row_number() OVER (ORDER BY ein) - 1)::INTEGER AS row, ein::INTEGER AS ein FROM (SELECT DISTINCT ein FROM matches)`;

/** The matches, in any order. */
const matchesSql = "SELECT position::INTEGER, row, text FROM matches JOIN likely_recipients USING (ein)";

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
    const match: Fill = hasMatches ? valuesOf(found.read("rank.text")) : rowNumbers;
    const isFiled: Fill = (from, values) => {
      match(from, values);
      for (let index = 0; index < values.length; index++)
        values[index] = (values[index] as number) < 0 ? 1 : 0;
    };
    await writeOrder(file, "likely", {
      records: hasMatches ? records : 0,
      groups: hasMatches ? recipientsByRank(file, found) : rowNumbers,
      count,
      stateWidth,
      others: [
        { name: "match", width: 4, values: match },
        { name: "is_filed", width: 1, values: isFiled },
      ],
    });
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
