// Builds the index: the columns that searches scan, and in DuckDB the distinct texts and the projections. A projection is a
// narrow copy of the grants' key columns, in the order that summaries need.

import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { nonCashCentsSql, resultOrderSql } from "../../../api-static/contract/answers/record.ts";
import { centsSql } from "../../../api-static/contract/text/amount.ts";
import { individualsSql, peopleSql } from "../../../api-static/contract/text/placeholders.ts";
import { markColumns } from "../../../api-static/release/attributes.ts";
import { dictionaries, parts } from "../../../api-static/release/layout.ts";
import type { ReleaseFacts } from "../../../api-static/release/status.ts";
import { checkCeiling } from "../../base/ceilings.ts";
import { countRows, sqlText } from "../../base/database.ts";
import { makeCauses, readCauseFacts } from "./causes.ts";
import { writeColumns } from "./columns.ts";
import { makeDictionary, type TextHash, textHash } from "./dictionaries.ts";
import { narrow, textSql } from "./ids.ts";
import { countPlaces, type JoinedSql, makePlaces, noPlaces, type PlaceSources } from "./places.ts";
import { makeStated } from "./stated.ts";
import { makeTowns } from "./towns.ts";

/** Each distinct name is read once. */
const isPeople = `recipient_names_filed.id IN (SELECT id FROM recipient_names WHERE ${peopleSql("text")})`;

/**
 * The key columns of every record, by funder and rank, which is the order of positions.
 * @param texts SQL that joins the table `grants` with the ids of its texts
 */
const byFunderSql = (texts: string, others: readonly JoinedSql[]) => `
SELECT grants.rowid::UINTEGER AS position, transaction_year, ${centsSql("amount")} AS amount_cents,
  purposes_filed.id AS purpose, recipient_names_filed.id AS recipient_name, funder_ein, recipient_ein,
  ${nonCashCentsSql} AS non_cash_cents, ${individualsSql(isPeople)} AS is_individuals,
  recipient_ein IS NOT NULL AND recipient_ein IN (SELECT funder_ein FROM grants) AS is_passed_on, grants.id, types.id AS type,
  ${others.map(({ selected }) => selected).join(", ")}
FROM grants ${texts} LEFT JOIN index.types ON grants.type = types.text ${others.map(({ joins }) => joins).join(" ")} ORDER BY position`;

/** The distinct types as filed, in order of their bytes. */
const typesSql = `SELECT (row_number() OVER (ORDER BY text) - 1)::UINTEGER AS id, text
FROM (SELECT DISTINCT type AS text FROM grants WHERE type IS NOT NULL) ORDER BY id`;

/** All records, with the column that the result order is formatted for. */
const records = "(SELECT *, amount_cents AS amount FROM index.by_funder)";

/** The ids of distinct texts that only the table of all grants has. */
const narrowNames = narrow.map(({ name }) => name).join(", ");

/** By recipient and rank. Summaries rely on the order of its rows: a table keeps the order in which it was filled. */
const byRecipientSql = `SELECT * EXCLUDE (id, amount, ${narrowNames}) FROM ${records}
WHERE recipient_ein IS NOT NULL ORDER BY recipient_ein, ${resultOrderSql}`;

/** All ids in order, so that DuckDB reads one row group to find a grant. */
const idsSql = "SELECT id, position FROM index.by_funder ORDER BY id";

/** The EIN of each recipient in order, and the number of its row. */
const recipientsSql = `
CREATE TABLE recipients AS
  SELECT (row_number() OVER (ORDER BY ein) - 1)::INTEGER AS row, ein
  FROM (SELECT DISTINCT recipient_ein AS ein FROM index.by_recipient) ORDER BY row`;

/** All records in result order. A record's place in it is its rank. */
const ranksSql = `
CREATE TABLE ranks AS
  SELECT (row_number() OVER () - 1)::INTEGER AS rank, position::INTEGER AS position, amount_cents, ${narrowNames}, recipient,
    ${markColumns}
  FROM (
    SELECT records.*, coalesce(row, (SELECT count(*) FROM recipients) + ${textSql(dictionaries.recipientName)})::INTEGER AS recipient
    FROM ${records} AS records LEFT JOIN recipients ON ein = recipient_ein ORDER BY ${resultOrderSql}
  )`;

/** Small row groups, so that a search for few rows reads few: DuckDB skips groups by their minimum and maximum. */
const rowGroupRows = 8_192;

export type IndexOptions = {
  /** The hash by which texts are found. */
  readonly hash?: TextHash;
  readonly places?: PlaceSources;
  /** True if there is a table `matches`, which has rows. */
  readonly hasMatches?: boolean;
};

/**
 * Fills the attached index, and writes `index.columns` into `folder`, from the tables `grants`, `listed` and `stated`. The same grants give the
 * same rows in the same order, and the same bytes of `index.columns`; the bytes of `index.duckdb` differ from run to run.
 * @param onProgress called with the fraction of the work that is done, estimated from typical times
 */
export async function writeIndex(
  connection: DuckDBConnection,
  folder: string,
  onProgress: (fraction: number) => void,
  { hash = textHash, places = noPlaces, hasMatches = false }: IndexOptions = {},
): Promise<Pick<ReleaseFacts, "places" | "causes">> {
  const tables = Object.values(dictionaries);
  const joins: string[] = [];
  for (const dictionary of tables) joins.push(await makeDictionary(connection, dictionary, hash));
  onProgress(0.1);
  const add = (table: string, query: string) => connection.run(`CREATE TABLE index.${table} AS ${query}`);
  await add("types", typesSql);
  checkCeiling("types", await countRows(connection, "index.types"), "the warehouse");
  const others = [
    await makePlaces(connection, places),
    await makeTowns(connection, places),
    await makeCauses(connection, hasMatches),
    await makeStated(connection),
  ];
  await add("by_funder", byFunderSql(joins.join(" "), others));
  for (const table of others.flatMap(({ made }) => made)) await connection.run(`DROP TABLE ${table}`);
  const facts = { places: await countPlaces(connection, places), causes: await readCauseFacts(connection) };
  for (const { texts } of tables) await connection.run(`DROP TABLE ${texts}_filed`);
  onProgress(0.3);
  await add("by_recipient", byRecipientSql);
  await add("ids", idsSql);
  await connection.run(recipientsSql);
  await connection.run(ranksSql);
  onProgress(0.4);
  await writeColumns(connection, folder, (fraction) => onProgress(0.4 + 0.6 * fraction), hasMatches);
  return facts;
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
