// Owns the index: narrow copies of the grants' key columns, each in the order that some filter needs, beside the dictionaries.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import { dictionaries, parts } from "../api-static/layout.ts";
import { resultOrderSql } from "../api-static/record.ts";
import { sqlText } from "./database.ts";
import { textsSql, wordsSql } from "./dictionaries.ts";

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

/** The columns that filters of every projection look at. */
const filterColumns = "transaction_year, amount_cents, purpose, recipient_name";

const einColumns = "funder_ein, recipient_ein, has_non_cash";

/**
 * The projections, each in an order that is part of it (a table keeps the order in which it was filled): all records by rank (the result order of all), by funder and rank (which
 * is the order of positions), by recipient and rank, by text and rank. by_funder carries the ids, for verification.
 */
const projectionsSql = `
CREATE TABLE index.by_funder AS SELECT position, ${filterColumns}, ${einColumns}, id FROM keys ORDER BY position;
CREATE TABLE ranked_keys AS
  SELECT position, (row_number() OVER () - 1)::UINTEGER AS rank, ${filterColumns}, ${einColumns}
  FROM (FROM keys ORDER BY ${resultOrderSql});
DROP TABLE keys;
CREATE TABLE index.by_rank AS SELECT rank, position, ${filterColumns} FROM ranked_keys;
CREATE TABLE index.by_recipient AS
  SELECT position, ${filterColumns}, ${einColumns} FROM ranked_keys WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, rank;
${[dictionaries.purpose, dictionaries.recipientName]
  .map(
    ({ column, projection }) => `
CREATE TABLE index.${projection} AS
  SELECT position, rank, ${filterColumns} FROM ranked_keys WHERE ${column} IS NOT NULL ORDER BY ${column}, rank;`,
  )
  .join("")}
DROP TABLE ranked_keys;
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
  for (const dictionary of Object.values(dictionaries)) await connection.run(textsSql(dictionary));
  reach(0.2);
  await connection.run(keysSql);
  reach(0.3);
  await connection.run("SET force_compression = 'uncompressed'"); // the draft is read once
  await connection.run(`ATTACH '${sqlText(draft)}' AS index`);
  await connection.run(projectionsSql);
  reach(0.5);
  for (const dictionary of Object.values(dictionaries)) await connection.run(wordsSql(dictionary));
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
