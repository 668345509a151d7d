// Builds the index: the dictionaries of texts, and the projections. A projection is a narrow copy of the grants' key
// columns, in the order that some filter needs.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { hasNonCashSql, resultOrderSql } from "../../api-static/contract/record.ts";
import { type Dictionary, dictionaries, parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";
import { postingsSql, textsSql, wordsSql } from "./dictionaries.ts";

/** The key columns of every record, in order of position. */
const keysSql = `
CREATE TABLE keys AS
  SELECT grants.rowid::UINTEGER AS position, grants.id, funder_ein, recipient_ein, transaction_year, amount,
    ${centsSql("amount")} AS amount_cents, ${hasNonCashSql} AS has_non_cash,
    purposes_filed.id AS purpose, recipient_names_filed.id AS recipient_name
  FROM grants
  LEFT JOIN purposes_filed ON grants.purpose = purposes_filed.filed
  LEFT JOIN recipient_names_filed ON grants.recipient_name = recipient_names_filed.filed;
DROP TABLE purposes_filed;
DROP TABLE recipient_names_filed;
`;

/** The columns that filters use in every projection. */
const filterColumns = "transaction_year, amount_cents, purpose, recipient_name";

const einColumns = "funder_ein, recipient_ein, has_non_cash";

/** All records in result order. A record's place in it is its rank. The other projections are made from this table. */
const ranksSql = `
CREATE TABLE ranked_keys AS
  SELECT position, (row_number() OVER () - 1)::UINTEGER AS rank, ${filterColumns}, ${einColumns}
  FROM (FROM keys ORDER BY ${resultOrderSql});
DROP TABLE keys;
`;

/**
 * The projections of `ranked_keys`: by rank, by recipient and rank, by text and rank. Searches rely on the order of their
 * rows, and a table keeps the order in which it was filled.
 */
const rankedProjections: Readonly<Record<string, string>> = {
  by_rank: `SELECT rank, position, ${filterColumns} FROM ranked_keys`,
  by_recipient: `SELECT position, ${filterColumns}, ${einColumns} FROM ranked_keys
    WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, rank`,
  ...Object.fromEntries(
    Object.values(dictionaries).map(({ column, projection }) => [
      projection,
      `SELECT position, rank, ${filterColumns} FROM ranked_keys WHERE ${column} IS NOT NULL ORDER BY ${column}, rank`,
    ]),
  ),
};

/** By funder and rank, which is the order of positions. Verification needs the ids. */
const byFunderSql = `SELECT position, ${filterColumns}, ${einColumns}, id FROM keys ORDER BY position`;

/** Small row groups, so that a search for few rows reads few: DuckDB skips groups by their minimum and maximum. */
const rowGroupRows = 8_192;

/**
 * Writes `index.duckdb` into `folder` from the table `grants`. The same grants give the same rows in the same order; the
 * bytes of the file differ from run to run.
 * @param onProgress called with the fraction of the work that is done, estimated from typical times
 */
export async function writeIndex(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (fraction: number) => void,
): Promise<void> {
  await attachIndex(connection, folder);
  const add = (table: string, query: string) => connection.run(`CREATE TABLE index.${table} AS ${query}`);
  for (const dictionary of Object.values(dictionaries)) await connection.run(textsSql(dictionary));
  onProgress(0.1);
  await connection.run(keysSql);
  onProgress(0.2);
  await add("by_funder", byFunderSql);
  onProgress(0.3);
  for (const dictionary of Object.values(dictionaries)) await addDictionary(connection, add, dictionary);
  onProgress(0.6);
  await connection.run(ranksSql);
  for (const [projection, sql] of Object.entries(rankedProjections)) await add(projection, sql);
  await connection.run("DROP TABLE ranked_keys");
  await detachIndex(connection);
}

/** Attaches the index in `folder`; creates it if there is none. */
export async function attachIndex(connection: DuckDBConnection, folder: string): Promise<void> {
  const path = sqlText(join(folder, parts.index));
  await connection.run(
    `ATTACH '${path}' AS index (STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE ${rowGroupRows})`,
  );
}

/** Detaches the index when its file is complete. */
export async function detachIndex(connection: DuckDBConnection): Promise<void> {
  await connection.run("CHECKPOINT index");
  await connection.run("DETACH index");
}

/** Adds the tables of a dictionary, and drops the tables that they are made from. */
async function addDictionary(
  connection: DuckDBConnection,
  add: (table: string, query: string) => Promise<unknown>,
  dictionary: Dictionary,
): Promise<void> {
  const { texts, words, postings } = dictionary;
  await connection.run(wordsSql(dictionary));
  await add(postings, postingsSql);
  await add(texts, `FROM ${texts}`);
  await add(words, "FROM words");
  await connection.run(`DROP TABLE pieces; DROP TABLE words; DROP TABLE ${texts}`);
}
