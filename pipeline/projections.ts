// Owns the index: narrow copies of the grants' key columns, each in the order that some filter needs, and dictionaries of text.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parts } from "../api-static/layout.ts";
import { resultOrderSql } from "../api-static/record.ts";
import { canonicalTextSql } from "../api-static/text.ts";
import { sqlText } from "./database.ts";

/** Distinct texts of a column in canonical form, most frequent first, and the id of each text as it was filed. */
const dictionarySql = (column: string, table: string) => `
CREATE TABLE filed AS
  SELECT ${column} AS filed, ${canonicalTextSql(column)} AS text, count(*) AS records
  FROM grants WHERE ${column} IS NOT NULL GROUP BY ${column};
CREATE TABLE ${table} AS
  SELECT (row_number() OVER (ORDER BY records DESC, text) - 1)::UINTEGER AS id, text, records
  FROM (SELECT text, sum(records)::UINTEGER AS records FROM filed GROUP BY text)
  ORDER BY id;
CREATE TABLE ${table}_filed AS SELECT filed, id FROM filed JOIN ${table} USING (text);
DROP TABLE filed;
`;

/** The key columns of every record in order of position; `rank` orders all records by the result order. */
const keysSql = `
CREATE TABLE keys AS
  SELECT grants.rowid::UINTEGER AS position, grants.id, funder_ein, recipient_ein, transaction_year, amount,
    (amount::DECIMAL(20,2) * 100)::BIGINT AS amount_cents, purposes_filed.id AS purpose, recipient_names_filed.id AS recipient_name
  FROM grants
  LEFT JOIN purposes_filed ON grants.purpose = purposes_filed.filed
  LEFT JOIN recipient_names_filed ON grants.recipient_name = recipient_names_filed.filed;
`;

const keyColumns =
  "position, funder_ein, recipient_ein, transaction_year, amount_cents, purpose, recipient_name";

/** Each table of the index with the query that fills it; the order of rows is part of the table. */
const projections = {
  by_rank: `SELECT ${keyColumns} FROM keys ORDER BY ${resultOrderSql}`,
  by_funder: `SELECT ${keyColumns} FROM keys ORDER BY position`,
  by_recipient: `SELECT ${keyColumns} FROM keys WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, ${resultOrderSql}`,
};

/**
 * Builds `index.duckdb` in `folder` from the table `grants`, which is dropped on the way.
 *
 * The same grants give the same bytes: rows are ordered first, then copied into the file by one thread, without the
 * text compressions that sample at random, and in the storage format of a fixed version. (Bytes that no value uses
 * are zeroed only when the process runs with DUCKDB_JE_MALLOC_CONF=zero:true and MALLOC_PERTURB_ set, as `make sync` does.)
 * @param threads to go back to afterwards
 */
export async function writeIndex(
  connection: DuckDBConnection,
  folder: string,
  threads: number,
): Promise<void> {
  await connection.run(dictionarySql("purpose", "purposes"));
  await connection.run(dictionarySql("recipient_name", "recipient_names"));
  await connection.run(keysSql);
  await connection.run("DROP TABLE grants; DROP TABLE purposes_filed; DROP TABLE recipient_names_filed");

  const target = sqlText(join(folder, parts.index));
  await connection.run("SET disabled_compression_methods = 'fsst,dict_fsst,zstd'");
  await connection.run(`ATTACH '${target}' AS target (STORAGE_VERSION 'v1.2.0')`);
  for (const [table, select] of Object.entries(projections)) {
    await connection.run(`CREATE TABLE ${table} AS ${select}`);
    await copyTable(connection, table, threads);
  }
  await connection.run("DROP TABLE keys");
  for (const table of ["purposes", "recipient_names"]) await copyTable(connection, table, threads);
  await connection.run("CHECKPOINT target");
  await connection.run("DETACH target");
}

async function copyTable(connection: DuckDBConnection, table: string, threads: number): Promise<void> {
  await connection.run("SET threads = 1");
  await connection.run(`CREATE TABLE target.${table} AS FROM ${table}`);
  await connection.run(`SET threads = ${threads}`);
  await connection.run(`DROP TABLE ${table}`);
}
