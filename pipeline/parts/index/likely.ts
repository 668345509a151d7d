// Writes the columns of the recipients that have matches: all of their grants, as filed and matched.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type ColumnWidth, textColumns } from "../../../api-static/release/columns.ts";
import { countRows } from "../../base/database.ts";
import { type ColumnFile, fillColumns, fillStarts } from "./columnFile.ts";
import { bothStates, bothTexts, states } from "./ids.ts";

const keys = "purpose, recipient_name, funder_state, recipient_state";

/** The grants of each recipient that has a match. Text -1 stands for a grant that was filed with its EIN. */
const likelySql = `
CREATE TABLE likely AS
  WITH found AS (
    SELECT recipient_ein AS ein, position, -1 AS text FROM index.by_funder
    WHERE recipient_ein IN (SELECT ein FROM matches)
    UNION ALL SELECT ein, position, text FROM matches
  )
  SELECT ein::INTEGER AS ein, rank, found.position::INTEGER AS position, text, ${keys}
  FROM found JOIN (SELECT rank, position FROM ranks) USING (position)
  JOIN (SELECT position, ${keys} FROM index.by_funder) USING (position) ORDER BY ein, rank`;

/**
 * Writes the order "likely" from the tables `matches` and `ranks`, and from the projections in the attached index. Its columns are empty
 * if there are no matches.
 */
export async function writeLikely(
  connection: DuckDBConnection,
  file: ColumnFile,
  stateWidth: ColumnWidth,
  hasMatches: boolean,
): Promise<void> {
  await connection.run(hasMatches ? likelySql : "CREATE TABLE likely (ein INTEGER)");
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
