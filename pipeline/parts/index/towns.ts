// Finds the towns and ZIP codes of recipients, as filed. A town is a city, in canonical form, in a state.
import type { DuckDBConnection } from "@duckdb/node-api";
import { townSeparator } from "../../../api-static/contract/text/states.ts";
import { canonicalTextSql } from "../../../api-static/contract/text/text.ts";
import { type JoinedSql, type PlaceSources, stateSql } from "./places.ts";

const separator = `chr(${townSeparator.charCodeAt(0)})`;

/** Each city as filed in each state, their number of grants, and the town that they are. @param id of the state */
const filedTownsSql = (id: string, join: string) => `
CREATE TABLE filed_towns AS
  SELECT filed, city, state, records, concat_ws(${separator}, ${canonicalTextSql("city")}, coalesce(text, '')) AS town
  FROM (SELECT *, replace(filed, ${separator}, ' ') AS city FROM (
    SELECT recipient_city AS filed, ${id} AS state, count(*) AS records
    FROM grants ${join} WHERE recipient_city IS NOT NULL GROUP BY ALL))
  LEFT JOIN index.states ON id = state`;

/** The towns, in order of their bytes, and the id of each city as filed in its state. A town is spelled as most of its grants have it. */
const townsSql = `
CREATE TABLE spelled_towns AS
  SELECT (row_number() OVER (ORDER BY town) - 1)::UINTEGER AS id, town, first(city ORDER BY records DESC, city) AS spelled
  FROM filed_towns GROUP BY town;
CREATE TABLE index.towns AS SELECT id, concat_ws(${separator}, town, spelled) AS text FROM spelled_towns ORDER BY id;
CREATE TABLE town_ids AS SELECT filed, state, id FROM filed_towns JOIN spelled_towns USING (town);
DROP TABLE filed_towns;
DROP TABLE spelled_towns`;

const zipsSql = `
CREATE TABLE index.zips AS
  SELECT (row_number() OVER (ORDER BY recipient_zip) - 1)::UINTEGER AS id, printf('%05d', recipient_zip) AS text
  FROM (SELECT DISTINCT recipient_zip FROM grants WHERE recipient_zip IS NOT NULL) ORDER BY id;
CREATE TABLE zip_ids AS SELECT text::UINTEGER AS zip, id FROM index.zips`;

/**
 * Makes the tables `towns` and `zips` of the attached index from the table `grants`, and the tables that the SQL needs.
 * @returns SQL of the ids of both, to be used beside that of `makePlaces`, which must have run
 */
export async function makeTowns(connection: DuckDBConnection, sources: PlaceSources): Promise<JoinedSql> {
  const state = stateSql("recipientState", sources);
  for (const sql of [filedTownsSql(state.id, state.join), townsSql, zipsSql]) await connection.run(sql);
  return {
    selected: "town_ids.id AS recipient_city, zip_ids.id AS recipient_zip",
    joins: `LEFT JOIN town_ids ON town_ids.filed = grants.recipient_city AND town_ids.state IS NOT DISTINCT FROM ${state.id}
      LEFT JOIN zip_ids ON zip_ids.zip = grants.recipient_zip`,
    made: ["town_ids", "zip_ids"],
  };
}
