// Decides which returns count: the last one that a filer sent for each period and form.
import { type DuckDBConnection, type DuckDBListValue, listValue } from "@duckdb/node-api";
import { literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { objectIdSlots } from "./objectIds.ts";

const sql = String.raw;

/** The status of a return in an import. */
export const statuses = [
  /** All its grants are in the warehouse. It may have none. */
  "counts",
  /** A later return of the same filer, period and form replaces it. */
  "superseded",
  /** The same, but the later return states grants without listing any, so the grants of this one stay. */
  "superseded, grants kept",
  /** The same return is in another file. */
  "repeated",
  /** The same OBJECT_ID, but another content; the one filed last counts. */
  "repeated, different",
  "unreadable",
  /** The file is damaged, but the same return is in another file. */
  "unreadable, read elsewhere",
] as const;

export type ReturnStatus = (typeof statuses)[number];

/**
 * The readable returns. `return_key` is one number per return: its OBJECT_ID, or a negative hash. A return without the end of
 * its period gets the end of its tax year.
 */
const filedSql = sql`
CREATE OR REPLACE TABLE filed AS
SELECT
  file_index::USMALLINT AS part, member, slot, crc32, bytes,
  coalesce(try_cast(return_id AS BIGINT), -1 - (hash(return_id) >> 1)::BIGINT) AS return_key,
  ein::UINTEGER AS ein, form::ENUM('990', '990PF', '990EZ', '990T') AS form, is_group,
  coalesce(period_end, make_date(tax_year, 12, 31)) AS period, filed_at, tax_year, created_at, grants,
  coalesce(stated_total > 0, false) AS states_grants
FROM read_parquet($returns) WHERE problem IS NULL`;

/**
 * The status of each return, unreadable ones included. Ranks follow the time of filing and never the OBJECT_ID alone, because amended returns may
 * have lower ones.
 */
const statusesSql = sql`
CREATE OR REPLACE TABLE statuses AS
WITH copies AS (
  SELECT * EXCLUDE (slot, tax_year, created_at),
    row_number() OVER same_return AS copy,
    (crc32, bytes) IS DISTINCT FROM (first_value(crc32) OVER same_return, first_value(bytes) OVER same_return) AS is_different
  FROM filed
  WINDOW same_return AS (PARTITION BY return_key ORDER BY filed_at DESC NULLS LAST, crc32, bytes, part, member)
), ranks AS (
  SELECT part, member, return_key, grants,
    row_number() OVER same_period AS rank,
    first_value(grants = 0 AND states_grants) OVER same_period AS last_lacks_grants,
    row_number() OVER with_grants AS rank_with_grants
  FROM copies WHERE copy = 1
  WINDOW
    same_period AS (PARTITION BY ein, period, form, is_group ORDER BY filed_at DESC NULLS LAST, return_key DESC),
    with_grants AS (PARTITION BY ein, period, form, is_group, grants > 0 ORDER BY filed_at DESC NULLS LAST, return_key DESC)
)
SELECT part, member, CASE
    WHEN rank = 1 THEN 'counts'
    WHEN last_lacks_grants AND grants > 0 AND rank_with_grants = 1 THEN 'superseded, grants kept'
    ELSE 'superseded' END AS status
FROM ranks
UNION ALL
SELECT part, member, CASE WHEN is_different THEN 'repeated, different' ELSE 'repeated' END FROM copies WHERE copy > 1
UNION ALL
SELECT file_index::USMALLINT, member,
  CASE WHEN try_cast(regexp_extract(file, '\d{18}') AS BIGINT) IN (SELECT return_key FROM filed)
    THEN 'unreadable, read elsewhere' ELSE 'unreadable' END
FROM read_parquet($returns) WHERE problem IS NOT NULL`;

/** The returns whose grants go into the warehouse, in order of their ids. */
const grantReturnsSql = sql`
CREATE OR REPLACE TABLE grant_returns AS
SELECT slot, part, member, lpad(ein::VARCHAR, 9, '0') AS funder_ein, tax_year AS transaction_year, created_at, grants,
  return_key, form, period,
  sum(grants) OVER (ORDER BY slot)::BIGINT AS grants_so_far
FROM filed JOIN statuses USING (part, member)
WHERE status IN ('counts', 'superseded, grants kept') AND grants > 0
ORDER BY slot`;

/** Slots of two returns without an OBJECT_ID. */
const collisionsSql = sql`
SELECT string_agg(DISTINCT file, ', ' ORDER BY file) FROM read_parquet($returns)
WHERE problem IS NULL AND grants > 0 AND slot >= $firstHashSlot
GROUP BY slot HAVING count(DISTINCT return_id) > 1 LIMIT 1`;

/** Paths as a list that can be bound to a statement. */
export function listPaths(paths: readonly string[]): DuckDBListValue {
  return listValue(paths.map(literalPath));
}

/**
 * Makes the tables `filed`, `statuses` and `grant_returns` from the returns of all parts. A part's number is its position in
 * `paths`.
 * @throws InputError if two returns would share ids
 */
export async function countReturns(connection: DuckDBConnection, paths: readonly string[]): Promise<void> {
  const returns = listPaths(paths);
  const collisions = await connection.runAndReadAll(collisionsSql, {
    returns,
    firstHashSlot: BigInt(objectIdSlots),
  });
  const [files] = collisions.getRows()[0] ?? [];
  if (files !== undefined)
    throw new InputError(
      `FROM: ${files} have no OBJECT_ID in their names, and their grants would get the same ids; rename one of them`,
    );
  await connection.run(filedSql, { returns });
  await connection.run(statusesSql, { returns });
  await connection.run(grantReturnsSql);
}
