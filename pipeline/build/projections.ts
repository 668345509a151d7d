// Owns which tables the index has: the projections, narrow copies of the grants' key columns, each in the order that some
// filter needs, and the dictionaries.
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { hasNonCashSql, resultOrderSql } from "../../api-static/contract/record.ts";
import { type Dictionary, dictionaries } from "../../api-static/release/layout.ts";
import { postingsSql, textsSql, wordsSql } from "./dictionaries.ts";
import { IndexFile } from "./indexFile.ts";

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

/** The columns that filters of every projection look at. */
const filterColumns = "transaction_year, amount_cents, purpose, recipient_name";

const einColumns = "funder_ein, recipient_ein, has_non_cash";

/** All records by rank, which is their place in the result order of all; what the projections are made of. */
const ranksSql = `
CREATE TABLE ranked_keys AS
  SELECT position, (row_number() OVER () - 1)::UINTEGER AS rank, ${filterColumns}, ${einColumns}
  FROM (FROM keys ORDER BY ${resultOrderSql});
DROP TABLE keys;
`;

/**
 * The projections of `ranked_keys`, each in an order that is part of it (a table keeps the order in which it was filled): all records by
 * rank, by recipient and rank, by text and rank.
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

/** By funder and rank, which is the order of positions; it carries the ids, for verification. */
const byFunderSql = `SELECT position, ${filterColumns}, ${einColumns}, id FROM keys ORDER BY position`;

/**
 * Builds `index.duckdb` in `folder` from the table `grants`. The same grants give the same bytes.
 * @param reach told what share of the work is done, by rough shares of its time
 */
export async function writeIndex(
  connection: DuckDBConnection,
  folder: string,
  reach: (share: number) => void,
): Promise<void> {
  const index = new IndexFile(connection, folder);
  try {
    for (const dictionary of Object.values(dictionaries)) await connection.run(textsSql(dictionary));
    reach(0.1);
    await connection.run(keysSql);
    reach(0.2);
    await index.add("by_funder", byFunderSql);
    reach(0.3);
    for (const dictionary of Object.values(dictionaries)) await addDictionary(connection, index, dictionary);
    reach(0.5);
    await connection.run(ranksSql);
    for (const [projection, sql] of Object.entries(rankedProjections)) await index.add(projection, sql);
    await connection.run("DROP TABLE ranked_keys");
    reach(0.8);
    await index.finish();
  } finally {
    await index.close();
  }
}

/** Adds a dictionary's tables, and drops what they were made of. */
async function addDictionary(
  connection: DuckDBConnection,
  index: IndexFile,
  dictionary: Dictionary,
): Promise<void> {
  const { texts, words, postings } = dictionary;
  await connection.run(wordsSql(dictionary));
  await index.add(postings, postingsSql);
  await index.add(texts, `FROM ${texts}`);
  await index.add(words, "FROM words");
  await connection.run(`DROP TABLE pieces; DROP TABLE words; DROP TABLE ${texts}`);
}
