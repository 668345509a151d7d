// Finds the grants that were added last, in the files of changes between releases.
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import { centsSql } from "../contract/amount.ts";
import type { Filters } from "../contract/filters.ts";
import { resultOrderSql } from "../contract/record.ts";
import { filterSql, recordConditions } from "./filterSql.ts";
import type { ReadRows } from "./indexDatabase.ts";

/** A grant as it is now. */
export type AddedGrant = {
  readonly id: string;
  readonly funderEin: string;
  readonly year: number;
  readonly recipientName: string | null;
  readonly recipientEin: string | null;
  readonly cents: bigint;
  readonly nonCashCents: bigint | null;
  readonly purpose: string | null;
  /** The place in `files` of the changes that added it. */
  readonly step: number;
};

/** Files that are read first, and how many more each time: most feeds are full after the newest nights. */
const filesAtFirst = 1;
const filesFactor = 8;

/**
 * The grants that were added last and match the filters, those of the newest changes first, then in result order. A grant that was
 * removed since is not among them; one that was changed since counts as it is now.
 * @param files Parquet files of changes, each from the release where the next one ends, newest first
 */
export async function findAdded(
  read: ReadRows,
  files: readonly string[],
  filters: Filters,
  limit: number,
): Promise<AddedGrant[]> {
  const { where, values } = filterSql(filters, recordConditions);
  const sql = addedSql(where, limit);
  for (let count = filesAtFirst; ; count *= filesFactor) {
    if (files.length === 0) return [];
    // Only newer changes matter to a grant that was added, so a full list needs no older ones.
    const paths = listValue(files.slice(0, count).map(escapeGlob));
    const rows = await read(sql, { ...values, paths });
    if (rows.length === limit || count >= files.length) return rows.map(toGrant);
  }
}

const columnsSql = `id::VARCHAR, funder_ein, transaction_year::INTEGER, recipient_name, recipient_ein,
  ${centsSql("amount")}, ${centsSql("non_cash_amount")}, purpose, added::INTEGER`;

/**
 * SQL of the grants. Those that were only added stream past the other operations, which are far fewer: `later` has the newest of
 * them for each grant.
 */
const addedSql = (where: string, limit: number) => `
WITH operations AS NOT MATERIALIZED (SELECT file_index AS step, * FROM read_parquet($paths)),
later AS MATERIALIZED (
  SELECT id, min(step) AS newest, min(step) FILTER (op = 'delete') AS removed
  FROM operations WHERE change IS DISTINCT FROM 'added' GROUP BY id),
matching AS NOT MATERIALIZED (SELECT * FROM operations WHERE op = 'upsert' AND ${where}),
found AS NOT MATERIALIZED (
  SELECT matching.*, matching.step AS added
  FROM matching LEFT JOIN later ON later.id = matching.id AND later.newest < matching.step
  WHERE matching.change = 'added' AND later.id IS NULL
  UNION ALL
  SELECT matching.*, addition.step AS added
  FROM matching JOIN later ON later.id = matching.id AND later.newest = matching.step
  JOIN (SELECT id, step FROM operations WHERE change = 'added') AS addition
    ON addition.id = matching.id AND addition.step > matching.step AND addition.step < coalesce(later.removed, ${2 ** 31})
  WHERE matching.change = 'changed')
SELECT ${columnsSql} FROM found ORDER BY added, ${resultOrderSql} LIMIT ${limit}`;

function toGrant(row: readonly DuckDBValue[]): AddedGrant {
  const [id, funderEin, year, recipientName, recipientEin, cents, nonCashCents, purpose, step] = row;
  const grant = { id, funderEin, year, recipientName, recipientEin, cents, nonCashCents, purpose, step };
  return grant as AddedGrant;
}

/** A path in which DuckDB reads no character as a pattern. */
function escapeGlob(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}
