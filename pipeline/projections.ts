// Owns the index: narrow copies of the grants' key columns, each in the order that some filter needs, and dictionaries of text.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
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

/** The key columns of every record, in order of position. */
const keysSql = `
CREATE TABLE keys AS
  SELECT grants.rowid::UINTEGER AS position, grants.id, funder_ein, recipient_ein, transaction_year, amount,
    (amount::DECIMAL(20,2) * 100)::BIGINT AS amount_cents, coalesce(non_cash_amount > 0, false) AS has_non_cash,
    purposes_filed.id AS purpose, recipient_names_filed.id AS recipient_name
  FROM grants
  LEFT JOIN purposes_filed ON grants.purpose = purposes_filed.filed
  LEFT JOIN recipient_names_filed ON grants.recipient_name = recipient_names_filed.filed;
DROP TABLE purposes_filed;
DROP TABLE recipient_names_filed;
`;

const keyColumns =
  "position, funder_ein, recipient_ein, transaction_year, amount_cents, has_non_cash, purpose, recipient_name";

/** The projections (by_funder carries the ids, for verification), each in an order that is part of it: all records by rank, by funder and rank, by recipient and rank. */
const projectionsSql = `
CREATE TABLE index.by_rank AS SELECT ${keyColumns} FROM keys ORDER BY ${resultOrderSql};
CREATE TABLE index.by_funder AS SELECT ${keyColumns}, id FROM keys ORDER BY position;
DROP TABLE keys;
CREATE TABLE index.by_recipient AS
  SELECT ${keyColumns} FROM index.by_rank WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, rowid;
CREATE TABLE index.purposes AS FROM purposes;
CREATE TABLE index.recipient_names AS FROM recipient_names;
DROP TABLE purposes;
DROP TABLE recipient_names;
`;

/**
 * Builds `index.duckdb` in `folder` from the table `grants`. The same grants give the same
 * bytes: the tables are filled as fast as they can be, and then written into their file by `projections.settle.ts`.
 * @param reach told what share of the work is done, by rough shares of its time
 */
export async function writeIndex(
  connection: DuckDBConnection,
  folder: string,
  reach: (share: number) => void,
): Promise<void> {
  const draft = join(folder, `${parts.index}.draft`);
  await connection.run(dictionarySql("purpose", "purposes"));
  await connection.run(dictionarySql("recipient_name", "recipient_names"));
  reach(0.3);
  await connection.run(keysSql);
  reach(0.5);
  await connection.run("SET force_compression = 'uncompressed'"); // the draft is read once
  await connection.run(`ATTACH '${sqlText(draft)}' AS index`);
  await connection.run(projectionsSql);
  await connection.run("DETACH index");
  reach(0.8);
  await settleIndex(draft, join(folder, parts.index));
  await rm(draft);
}

/** Copies a database in a process whose memory starts zeroed, so that bytes no value uses are the same in every run. */
async function settleIndex(draft: string, target: string): Promise<void> {
  const script = fileURLToPath(new URL("./projections.settle.ts", import.meta.url));
  const env = { ...process.env, DUCKDB_JE_MALLOC_CONF: "zero:true", MALLOC_PERTURB_: "165" };
  await promisify(execFile)(process.execPath, [script, draft, target], { env });
}
