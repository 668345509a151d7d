// Lists recipients as filed: each distinct name and place once, as they compare.
import type { DuckDBConnection } from "@duckdb/node-api";
import { individualsType, placeholderSql } from "../../api-static/contract/text/placeholders.ts";
import { citySql } from "./canonical.ts";

/** Types of grants that no organization in the United States received, as the import of returns writes them. */
const excludedTypes = `'${individualsType}', 'Schedule F'`;

/** A grant has a place if it has a state, and a city or a ZIP code. */
const isPlaced =
  "recipient_listable AND recipient_state IS NOT NULL AND (recipient_city IS NOT NULL OR recipient_zip IS NOT NULL)";

/** The number of a name and place, by which its grants are found. */
const filedNumber = "hash(recipient_name, recipient_state, recipient_city, recipient_zip)";

/**
 * `placed` has each grant that may be matched, with or without an EIN. `filed` has each name and place once: `key` is the number of name,
 * city and state as they compare, null without a city.
 */
const filedSql = [
  `CREATE TABLE placed AS
    SELECT rowid::UINTEGER AS position, ${filedNumber} AS filed, funder_ein, recipient_ein, transaction_year AS year
    FROM grants WHERE recipient_name IS NOT NULL AND ${isPlaced} AND coalesce(type, '') NOT IN (${excludedTypes})`,
  // DuckDB spills distinct rows, but not texts in the states of aggregates.
  `CREATE TABLE filed_names AS
    SELECT ${filedNumber} AS filed, recipient_name AS name, recipient_state::VARCHAR AS state, recipient_city AS filed_city,
      recipient_zip AS zip
    FROM (SELECT DISTINCT recipient_name, recipient_state, recipient_city, recipient_zip FROM grants
      WHERE recipient_name IS NOT NULL AND ${isPlaced})
    WHERE NOT ${placeholderSql("recipient_name")}`,
  // Two names or places with the same number are left out.
  `DELETE FROM filed_names WHERE filed IN (SELECT filed FROM filed_names GROUP BY filed HAVING count(*) > 1)`,
  `CREATE TABLE filed_cities AS SELECT filed_city, ${citySql("filed_city")} AS city FROM (SELECT DISTINCT filed_city FROM filed_names)`,
];

const keysSql = `
CREATE TABLE filed AS
  SELECT filed, name, phrase, words, state, city, filed_city, zip,
    CASE WHEN city IS NOT NULL THEN md5_number(concat_ws('|', phrase, state, city)) END AS key
  FROM filed_names JOIN name_keys USING (name) LEFT JOIN filed_cities USING (filed_city);
DROP TABLE filed_names; DROP TABLE filed_cities`;

/** SQL of the names as filed. `listFiled` must have run. */
export const filedNamesSql = "SELECT name FROM filed_names";

/** Makes the table `placed` (position, filed, funder_ein, recipient_ein, year) and what `keyFiled` needs. */
export async function listFiled(connection: DuckDBConnection): Promise<void> {
  for (const statement of filedSql) await connection.run(statement);
}

/** Makes the table `filed` (filed, name, phrase, words, state, city, filed_city, zip, key). The tables of name keys must be there. */
export async function keyFiled(connection: DuckDBConnection): Promise<void> {
  await connection.run(keysSql);
}
