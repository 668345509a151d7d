// Decides which returns count: the last one that a filer sent for each period and form.
import { type DuckDBConnection, type DuckDBListValue, listValue } from "@duckdb/node-api";
import { literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { formNames } from "./elementRule.ts";
import { objectIdSlots } from "./objectIds.ts";

const sql = String.raw;

/** The tables of grants, as columns that count their rows. */
const tables = ["organizations", "individuals", "abroad"] as const;

/** SQL that is the same for each table. */
const ofTables = (format: (table: string) => string, separator = ", ") => tables.map(format).join(separator);

/** The status of a return in an import. */
export const statuses = [
  /** All its grants are in the warehouse. It may have none. */
  "counts",
  /** A later return of the same filer, period and form replaces it. */
  "superseded",
  /** The same, but the later return states grants of a table without listing any, so those of this one stay. */
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
 * its period gets the end of its tax year. Grants have three tables: to organizations, to individuals, and foreign ones.
 */
const filedSql = sql`
CREATE OR REPLACE TABLE filed AS
SELECT
  file_index::USMALLINT AS part, member, slot, crc32, bytes,
  coalesce(try_cast(return_id AS BIGINT), -1 - (hash(return_id) >> 1)::BIGINT) AS return_key,
  ein::UINTEGER AS ein, form::ENUM(${formNames.map((form) => `'${form}'`).join(", ")}) AS form,
  if(form = 'other', return_type, NULL) AS other_form, is_group, list_contains(oddities, 'cut off') AS is_cut_off,
  coalesce(period_end, make_date(tax_year, 12, 31)) AS period, filed_at, tax_year, created_at,
  grants - individual_grants - foreign_grants AS organizations, individual_grants AS individuals, foreign_grants AS abroad,
  coalesce(stated_total > 0, false) AS states_organizations,
  coalesce(stated_individuals > 0, false) AS states_individuals,
  coalesce(stated_foreign > 0, false) AS states_abroad,
  coalesce(revenue, expenses, assets, grants_paid) IS NOT NULL OR mission IS NOT NULL OR accepts IS NOT NULL
    OR coalesce(donor_advised, false) AS has_finances
FROM read_parquet($returns) WHERE problem IS NULL`;

/**
 * The status of each return, unreadable ones included, and how many grants of each table are loaded. Ranks follow the time of
 * filing and never the OBJECT_ID alone, because amended returns may have lower ones; returns that are cut off come last. Rows of
 * a table stay if the first return of the period states some but lists none, and no return between them lists any.
 */
const statusesSql = sql`
CREATE OR REPLACE TABLE statuses AS
WITH copies AS (
  SELECT * EXCLUDE (slot, tax_year, created_at),
    row_number() OVER same_return AS copy,
    (crc32, bytes) IS DISTINCT FROM (first_value(crc32) OVER same_return, first_value(bytes) OVER same_return) AS is_different
  FROM filed
  WINDOW same_return AS (PARTITION BY return_key ORDER BY is_cut_off, filed_at DESC NULLS LAST, crc32, bytes, part, member)
), ranks AS (
  SELECT part, member, ${tables}, row_number() OVER same_period = 1 AS is_first,
    ${ofTables(
      (table) => `${table} > 0 AND count_if(${table} > 0) OVER same_period = 1
        AND first_value(${table} = 0 AND states_${table}) OVER same_period AS keeps_${table}`,
    )}
  FROM copies WHERE copy = 1
  WINDOW same_period AS (
    PARTITION BY ein, period, form, other_form, is_group ORDER BY is_cut_off, filed_at DESC NULLS LAST, return_key DESC ROWS UNBOUNDED PRECEDING)
)
SELECT part, member,
  CASE
    WHEN is_first THEN 'counts'
    WHEN ${ofTables((table) => `keeps_${table}`, " OR ")} THEN 'superseded, grants kept'
    ELSE 'superseded' END AS status,
  ${ofTables((table) => `if(is_first OR keeps_${table}, ${table}, 0) AS ${table}`)}
FROM ranks
UNION ALL
SELECT part, member, CASE WHEN is_different THEN 'repeated, different' ELSE 'repeated' END, 0, 0, 0 FROM copies WHERE copy > 1
UNION ALL
SELECT file_index::USMALLINT, member,
  CASE WHEN try_cast(regexp_extract(file, '\d{18}') AS BIGINT) IN (SELECT return_key FROM filed)
    THEN 'unreadable, read elsewhere' ELSE 'unreadable' END, 0, 0, 0
FROM read_parquet($returns) WHERE problem IS NOT NULL`;

const loadedSql = ofTables((table) => `loaded.${table}`, " + ");

/** The returns whose grants go into the warehouse, in order of their ids. `dropped` are types of grants that do not. */
const grantReturnsSql = sql`
CREATE OR REPLACE TABLE grant_returns AS
SELECT slot, part, member, lpad(ein::VARCHAR, 9, '0') AS funder_ein, tax_year AS transaction_year, created_at,
  return_key, form, period, ${loadedSql} AS grants,
  list_concat(
    if(loaded.organizations < filed.organizations, ['Schedule I', '990-PF'], []),
    if(loaded.individuals < filed.individuals, ['Schedule I individuals'], []),
    if(loaded.abroad < filed.abroad, ['Schedule F'], [])) AS dropped,
  sum(${loadedSql}) OVER (ORDER BY slot)::BIGINT AS grants_so_far
FROM filed JOIN statuses AS loaded USING (part, member)
WHERE ${loadedSql} > 0
ORDER BY slot`;

/** Dollars of the returns that have only some of their grants in the warehouse. */
const partDollarsSql = sql`
CREATE OR REPLACE TABLE part_dollars AS
SELECT part, counted.member, coalesce(sum(amount), 0)::DECIMAL(24,2) AS dollars
FROM read_parquet($grants) AS filed
JOIN (FROM grant_returns WHERE dropped <> []) AS counted ON counted.part = filed.file_index AND counted.member = filed.member
WHERE NOT list_contains(dropped, type) GROUP BY ALL`;

/** Slots of two returns without an OBJECT_ID. */
const collisionsSql = sql`
SELECT string_agg(DISTINCT file, ', ' ORDER BY file) FROM read_parquet($returns)
WHERE problem IS NULL AND grants > 0 AND slot >= $firstHashSlot
GROUP BY slot HAVING count(DISTINCT return_id) > 1 LIMIT 1`;

/** Paths as a list that can be bound to a statement. */
export function listPaths(paths: readonly string[]): DuckDBListValue {
  return listValue(paths.map(literalPath));
}

/** Files of all parts, in one order. */
export type PartPaths = { readonly returns: readonly string[]; readonly grants: readonly string[] };

/**
 * Makes the tables `filed`, `statuses`, `grant_returns` and `part_dollars` from all parts. A part's number is its position in
 * `paths`.
 * @throws InputError if two returns would share ids
 */
export async function countReturns(connection: DuckDBConnection, paths: PartPaths): Promise<void> {
  const returns = listPaths(paths.returns);
  const firstHashSlot = BigInt(objectIdSlots);
  const collisions = await connection.runAndReadAll(collisionsSql, { returns, firstHashSlot });
  const [files] = collisions.getRows()[0] ?? [];
  if (files !== undefined)
    throw new InputError(
      `FROM: ${files} have no OBJECT_ID in their names, and their grants would get the same ids; rename one of them`,
    );
  await connection.run(filedSql, { returns });
  await connection.run(statusesSql, { returns });
  await connection.run(grantReturnsSql);
  await connection.run(partDollarsSql, { grants: listPaths(paths.grants) });
}
