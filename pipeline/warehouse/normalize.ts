// Builds the SQL that normalizes the warehouse's columns: one expression for each column and kind.
import { type RecordField, recordFields } from "../../api-static/contract/record.ts";
import { whiteSpace } from "../../api-static/contract/text.ts";
import type { ColumnKind, ColumnName, Warehouse } from "./warehouse.ts";

type WarehouseColumns = Warehouse["columns"];

/** SQL of a column's normalized value. */
export type Normalizer = (column: string) => string;

const whiteSpaceSql = `'${whiteSpace}'`;

/** Trimmed text or null. Trimming is ten times slower than checking both ends, so text with visible ASCII at both ends is not trimmed. */
export const text: Normalizer = (column) => `CASE
    WHEN ${column} BETWEEN '!' AND '~' AND ${column}[-1] BETWEEN '!' AND '~' THEN ${column}
    ELSE nullif(trim(${column}, ${whiteSpaceSql}), '') END`;

/** Without hyphens and spaces. `translate` takes twice as long. */
const joined: Normalizer = (column) => `replace(replace(${column}, '-', ''), ' ', '')`;

const einOfText: Normalizer = (column) =>
  `CASE WHEN regexp_full_match(${joined(column)}, '[0-9]{9}')
    THEN nullif(${joined(column)}::UINTEGER, 0) END`;

const einOfInteger: Normalizer = (column) =>
  `CASE WHEN ${column} BETWEEN 1 AND 999999999 THEN ${column}::UINTEGER END`;

/** An amount as DECIMAL(18,2), or null if it does not fit. */
export const cents: Normalizer = (column) => `try_cast(${column} AS DECIMAL(18,2))`;

/** Converts to DOUBLE first: DuckDB multiplies a FLOAT by 100 as a FLOAT, which loses dollars in large amounts. */
const centsOfFloating: Normalizer = (column) =>
  `CASE WHEN isfinite(${column}) THEN ${cents(`${column}::DOUBLE`)} END`;

/** created_at in UTC, truncated to milliseconds; null if the year has no four digits. */
const instant = (timestamp: string) => `CASE
    WHEN ${timestamp} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'
    THEN date_trunc('millisecond', ${timestamp}) END`;

/**
 * Accepts ISO 8601, and UTC as the only named zone: after another named zone, DuckDB also applies it to later times that
 * have no zone.
 */
const isIso = (column: string) => `regexp_full_match(${column}, '[-+0-9:.TtZz ]*(UTC)?')`;

/** DuckDB cannot read a zone after a time without seconds, e.g., "2019-05-12T04:00Z", so seconds are inserted. */
const timestamptzOfText: Normalizer = (column) => `CASE WHEN ${isIso(column)} THEN coalesce(
    try_cast(${column} AS TIMESTAMPTZ),
    try_cast(regexp_replace(${column}, '^(.{10}[T ]\\d\\d:\\d\\d)(Z|[+-][\\d:]+)$', '\\1:00\\2') AS TIMESTAMPTZ)) END`;

/** An EIN as an integer, or null. */
export const ein = { integer: einOfInteger, text: einOfText };
const amount = {
  integer: cents,
  decimal: cents,
  floating: centsOfFloating,
  text: (column: string) => cents(`trim(${column}, ${whiteSpaceSql})`),
};

const normalizers: Record<ColumnName, Partial<Record<ColumnKind, Normalizer>>> = {
  id: { integer: (column) => `try_cast(${column} AS BIGINT)` },
  funder_ein: ein,
  transaction_year: {
    integer: (column) => `try_cast(${column} AS USMALLINT)`,
    text: (column) =>
      `CASE WHEN regexp_full_match(${text(column)}, '[0-9]{4}') THEN (${text(column)})::USMALLINT END`,
  },
  recipient_name: { text },
  recipient_ein: ein,
  type: { text },
  amount,
  non_cash_amount: amount,
  non_cash_description: { text },
  purpose: { text },
  created_at: {
    timestamp: (column) => instant(`${column}::TIMESTAMP`),
    timestamptz: (column) => instant(`(${column} AT TIME ZONE 'UTC')`),
    date: (column) => instant(`${column}::TIMESTAMP`),
    text: (column) =>
      instant(`(${timestamptzOfText(`trim(${column}, ${whiteSpaceSql})`)} AT TIME ZONE 'UTC')`),
  },
};

/** The value of a column that the warehouse does not have. */
const absent: Partial<Record<ColumnName, string>> = {
  recipient_ein: "NULL::UINTEGER",
  non_cash_amount: "NULL::DECIMAL(18,2)",
};

/** The fields by which rows are rejected, and that of a grant in kind. */
const judgedFields = [
  "id",
  "funder_ein",
  "transaction_year",
  "amount",
  "non_cash_amount",
  "created_at",
] as const satisfies readonly RecordField[];

/**
 * Returns SQL that selects the normalized columns of a record from `source` (the warehouse's rows), and in addition
 * `reason` (why the row is rejected, or null), `recipient_ein_invalid` (boolean) and `raw` (the row as read).
 * @param lastYear the latest transaction year that is accepted
 * @param chosen SQL condition on `reason` and `funder_ein`. Of other rows, neither texts nor recipients are normalized, which takes
 * longer than all the rest
 */
export function normalizedSql(columns: WarehouseColumns, lastYear: number, chosen = "true"): string {
  const select = (fields: readonly RecordField[], row: string) =>
    fields.map((field) => `${normalizerSql(field, columns[field], row)} AS ${field}`).join(",\n    ");
  const others = recordFields.filter((field) => !judgedFields.some((judged) => judged === field));
  return `
WITH keyed AS (
  SELECT source AS raw, ${select(judgedFields, "source")}, ${isFiled("amount", columns, "source")} AS amount_filed FROM source
), judged AS (
  SELECT * EXCLUDE (amount_filed) REPLACE (${amountSql} AS amount), CASE
    WHEN id IS NULL THEN 'id_missing'
    WHEN funder_ein IS NULL THEN 'funder_ein_invalid'
    WHEN transaction_year IS NULL OR transaction_year NOT BETWEEN 1900 AND ${Math.trunc(lastYear)}
      THEN 'transaction_year_invalid'
    WHEN ${amountSql} IS NULL THEN 'amount_missing'
    WHEN created_at IS NULL THEN 'created_at_missing'
  END AS reason
  FROM keyed
), chosen AS (
  SELECT *, ${select(others, "raw")}, ${isFiled("recipient_ein", columns, "raw")} AS recipient_ein_filed
  FROM judged WHERE ${chosen}
)
SELECT * EXCLUDE (recipient_ein_filed), recipient_ein_filed AND recipient_ein IS NULL AS recipient_ein_invalid FROM chosen`;
}

/** Returns SQL of the normalized EIN of the funder of `row`. */
export function funderEinSql({ funder_ein: kind }: WarehouseColumns, row: string): string {
  return normalizerSql("funder_ein", kind, row);
}

function normalizerSql(field: RecordField, kind: ColumnKind | undefined, row: string): string {
  if (kind === undefined) return absent[field] ?? "NULL::VARCHAR";
  const normalizer = normalizers[field][kind];
  if (normalizer === undefined) throw new Error(`no rule reads ${field} of kind ${kind}`);
  return normalizer(`${row}.${field}`);
}

/** A grant in kind without an amount gets the amount 0.00. An amount that was filed but cannot be read stays null. */
const amountSql =
  "CASE WHEN amount IS NULL AND non_cash_amount > 0 AND NOT amount_filed THEN 0::DECIMAL(18,2) ELSE amount END";

/** SQL that is true if `row` has a value that is neither null nor blank. */
function isFiled(field: RecordField, { [field]: kind }: WarehouseColumns, row: string): string {
  if (kind === undefined) return "false";
  const value = `${row}.${field}`;
  return `(${kind === "text" ? text(value) : value}) IS NOT NULL`;
}
