// Builds the index: the columns that searches scan, and in DuckDB the distinct texts and the projections. A projection is a
// narrow copy of the grants' key columns, in the order that summaries need.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../api-static/contract/amount.ts";
import { hasNonCashSql, resultOrderSql } from "../../api-static/contract/record.ts";
import { dictionaries, parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../database.ts";
import { allEnded } from "../parallel.ts";
import { writeColumns } from "./columns.ts";
import { textsSql } from "./dictionaries.ts";
import { attachBefore, detachBefore, type KeptRecords } from "./keptKeys.ts";

/** The key columns of the records in the table `grants`. `shift` is SQL of what their rowids lack to be positions. */
const freshKeysSql = (shift: string, funders: string) => `
SELECT (grants.rowid + ${shift})::UINTEGER AS position, grants.id, funder_ein, recipient_ein, transaction_year,
  ${centsSql("amount")} AS amount_cents, ${hasNonCashSql} AS has_non_cash,
  purposes_filed.id AS purpose, recipient_names_filed.id AS recipient_name
FROM grants ${funders}
LEFT JOIN purposes_filed ON grants.purpose = purposes_filed.filed
LEFT JOIN recipient_names_filed ON grants.recipient_name = recipient_names_filed.filed`;

/** The same columns of the kept records. */
const keptKeysSql = `
SELECT (position + shift)::UINTEGER, by_funder.id, funder_ein, recipient_ein, transaction_year,
  amount_cents, has_non_cash, purposes_kept.id, recipient_names_kept.id
FROM before.by_funder JOIN kept_funders USING (funder_ein)
LEFT JOIN purposes_kept ON by_funder.purpose = purposes_kept.before
LEFT JOIN recipient_names_kept ON by_funder.recipient_name = recipient_names_kept.before`;

/** The key columns of every record. */
const keysSql = (isKeeping: boolean) =>
  isKeeping
    ? `CREATE TABLE keys AS ${freshKeysSql("shift", "JOIN fresh_funders USING (funder_ein)")} UNION ALL ${keptKeysSql};
DROP TABLE purposes_filed; DROP TABLE recipient_names_filed; DROP TABLE purposes_kept; DROP TABLE recipient_names_kept`
    : `CREATE TABLE keys AS ${freshKeysSql("0", "")};
DROP TABLE purposes_filed; DROP TABLE recipient_names_filed`;

/** The columns of the projections, which are by funder and by recipient. */
const projectedColumns =
  "position, transaction_year, amount_cents, purpose, recipient_name, funder_ein, recipient_ein, has_non_cash";

/** By funder and rank, which is the order of positions. Verification needs the ids. */
const byFunderSql = `SELECT ${projectedColumns}, id FROM keys ORDER BY position`;

/** All records in result order. A record's place in it is its rank. */
const ranksSql = `
CREATE TABLE ranked_keys AS
  SELECT (row_number() OVER () - 1)::UINTEGER AS rank, ${projectedColumns}
  FROM (FROM (SELECT *, amount_cents AS amount FROM keys) ORDER BY ${resultOrderSql});
DROP TABLE keys;
`;

/** By recipient and rank, for the projection and for the columns, which have the ranks too. */
const recipientKeysSql = `
CREATE TABLE recipient_keys AS FROM ranked_keys WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, rank`;

/** Summaries rely on the order of its rows: a table keeps the order in which it was filled. */
const byRecipientSql = `SELECT ${projectedColumns} FROM recipient_keys`;

/** Small row groups, so that a search for few rows reads few: DuckDB skips groups by their minimum and maximum. */
const rowGroupRows = 8_192;

export type IndexOptions = {
  /** The records that are not in the table `grants`. */
  readonly kept?: KeptRecords | undefined;
  /** Work that needs the projections alone. It runs while the columns are written, which takes DuckDB little time. */
  readonly meanwhile?: () => Promise<void>;
};

/**
 * Writes `index.duckdb` and `index.columns` into `folder` from the table `grants` and the kept records. The same grants give the same
 * rows in the same order, and the same bytes of `index.columns`; the bytes of `index.duckdb` differ from run to run.
 * @param onProgress called with the fraction of the work that is done, estimated from typical times
 * @throws DamagedError if the index that has the kept records is damaged
 */
export async function writeIndex(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (fraction: number) => void,
  { kept, meanwhile = async () => {} }: IndexOptions = {},
): Promise<void> {
  const isKeeping = kept !== undefined;
  if (isKeeping) await attachBefore(connection, kept);
  await attachIndex(connection, folder);
  const add = (table: string, query: string) => connection.run(`CREATE TABLE index.${table} AS ${query}`);
  for (const dictionary of Object.values(dictionaries)) await connection.run(textsSql(dictionary, isKeeping));
  onProgress(0.1);
  await connection.run(keysSql(isKeeping));
  if (isKeeping) await detachBefore(connection);
  onProgress(0.2);
  await add("by_funder", byFunderSql);
  await connection.run(ranksSql);
  onProgress(0.3);
  await connection.run(recipientKeysSql);
  await add("by_recipient", byRecipientSql);
  const writeTexts = async () => {
    await writeColumns(connection, folder, (fraction) => onProgress(0.4 + 0.6 * fraction));
    await connection.run("DROP TABLE ranked_keys; DROP TABLE recipient_keys");
    for (const { texts } of Object.values(dictionaries)) {
      await add(texts, `FROM ${texts}`);
      await connection.run(`DROP TABLE ${texts}`);
    }
  };
  await allEnded(writeTexts(), meanwhile());
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
