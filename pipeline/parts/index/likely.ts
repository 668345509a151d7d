// Writes the columns of the recipients that have matches: all of their grants, as filed and matched.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type ColumnWidth, textColumns } from "../../../api-static/release/columns.ts";
import { countRows } from "../../base/database.ts";
import { cutMatches, matchesAtOnce } from "../../releases/matchRanges.ts";
import { type ColumnFile, fillColumns, fillStarts } from "./columnFile.ts";
import { bothStates, bothTexts, states } from "./ids.ts";

const keys = "purpose, recipient_name, funder_state, recipient_state";

/** A range's grants of recipients that have a match. Text -1 stands for a grant that was filed with its EIN. */
const foundSql = `
CREATE TABLE found AS
  WITH part AS (FROM matches WHERE ein BETWEEN $first::UINTEGER AND $last::UINTEGER)
  SELECT recipient_ein AS ein, position, -1 AS text FROM index.by_recipient
  WHERE recipient_ein BETWEEN $first::UINTEGER AND $last::UINTEGER AND recipient_ein IN (SELECT ein FROM part)
  UNION ALL SELECT ein, position, text FROM part`;

const likelySql = `
SELECT ein::INTEGER AS ein, rank, found.position::INTEGER AS position, text, ${keys}
FROM found JOIN (SELECT rank, position FROM ranks) USING (position)
JOIN (SELECT position, ${keys} FROM index.by_funder) USING (position) ORDER BY ein, rank`;

/** Makes the table `likely`, range by range: one join of all matches needs more memory than a sync has beside other statements. */
async function makeLikely(connection: DuckDBConnection, atOnce: number): Promise<void> {
  await connection.run("CREATE TABLE found (ein UINTEGER, position UINTEGER, text INTEGER)");
  await connection.run(`CREATE TABLE likely AS ${likelySql} WITH NO DATA; DROP TABLE found`);
  for (const range of await cutMatches(connection, "SELECT ein FROM matches", atOnce)) {
    await connection.run(foundSql, range);
    await connection.run(`INSERT INTO likely ${likelySql}`);
    await connection.run("DROP TABLE found");
  }
}

/**
 * Writes the order "likely" from the tables `matches` and `ranks`, and from the projections in the attached index. Its columns are empty
 * if there are no matches.
 */
export async function writeLikely(
  connection: DuckDBConnection,
  file: ColumnFile,
  stateWidth: ColumnWidth,
  hasMatches: boolean,
  atOnce = matchesAtOnce,
): Promise<void> {
  await (hasMatches ? makeLikely(connection, atOnce) : connection.run("CREATE TABLE likely (ein INTEGER)"));
  await connection.run(
    "CREATE TABLE likely_recipients AS SELECT ein, count(*)::INTEGER AS records FROM likely GROUP BY ein ORDER BY ein",
  );
  const [rows, count] = [
    await countRows(connection, "likely"),
    await countRows(connection, "likely_recipients"),
  ];
  await fillColumns(connection, "SELECT ein FROM likely_recipients", [file.add("likely.ein", count)]);
  await fillStarts(connection, "SELECT records FROM likely_recipients", file.add("likely.start", count + 1));
  const columns = [
    ...["rank", "position", "match"].map((name) => file.add(`likely.${name}`, rows)),
    file.add("likely.is_filed", rows, 1),
    ...Object.values(textColumns).map((name) => file.add(`likely.${name}`, rows)),
    ...states.map((name) => file.add(`likely.${name}`, rows, stateWidth)),
  ];
  const sql = `SELECT rank, position, text, (text < 0)::INTEGER, ${bothTexts}, ${bothStates} FROM likely`;
  if (hasMatches) await fillColumns(connection, sql, columns);
  await connection.run("DROP TABLE likely; DROP TABLE likely_recipients");
}
