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

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const allStates = letters.flatMap((first) => letters.map((second) => `'${first}${second}'`));

/** Makes the type of states: any two letters, stored in two bytes, in order of their bytes. */
export const stateTypeSql = `CREATE TYPE IF NOT EXISTS state AS ENUM (${allStates.join(", ")})`;

/** A state in upper case, of the type `state`, or null. Its letters are ASCII before they are changed: "ſ" becomes "S". */
export const state: Normalizer = (column) =>
  `CASE WHEN regexp_full_match(${text(column)}, '[A-Za-z]{2}') THEN upper(${text(column)})::state END`;

/** The first five characters of a ZIP code as an integer, or null if they are none. */
export const zip: Normalizer = (column) => `try_cast(left(${text(column)}, 5) AS UINTEGER)`;

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

/**
 * Returns SQL that selects the normalized columns of a record from `source` (the warehouse's rows), and in addition
 * `reason` (why the row is rejected, or null), `recipient_ein_invalid` (boolean), `raw` (the row as read, without
 * optional columns).
 * @param others SQL of more columns
 * @param lastYear the latest transaction year that is accepted
 */
export function normalizedSql(
  { columns }: Pick<Warehouse, "columns">,
  lastYear: number,
  others: readonly string[] = [],
): string {
  const normalized = recordFields.map((field) => `${normalizerSql(field, columns[field])} AS ${field}`);
  const raw = ["source_file", "source_row", ...recordFields.filter((field) => columns[field] !== undefined)];
  return `
WITH normalized AS (
  SELECT {${raw.map((column) => `${column}: source.${column}`).join(", ")}} AS raw,
    ${[...normalized, ...others].join(",\n    ")},
    ${isFiled("amount", columns)} AS amount_filed, ${isFiled("recipient_ein", columns)} AS recipient_ein_filed
  FROM source
)
SELECT * EXCLUDE (amount_filed, recipient_ein_filed) REPLACE (${amountSql} AS amount),
  CASE
    WHEN id IS NULL THEN 'id_missing'
    WHEN funder_ein IS NULL THEN 'funder_ein_invalid'
    WHEN transaction_year IS NULL OR transaction_year NOT BETWEEN 1900 AND ${Math.trunc(lastYear)}
      THEN 'transaction_year_invalid'
    WHEN ${amountSql} IS NULL THEN 'amount_missing'
    WHEN created_at IS NULL THEN 'created_at_missing'
  END AS reason,
  recipient_ein_filed AND recipient_ein IS NULL AS recipient_ein_invalid
FROM normalized`;
}

function normalizerSql(field: RecordField, kind: ColumnKind | undefined): string {
  if (kind === undefined) return absent[field] ?? "NULL::VARCHAR";
  const normalizer = normalizers[field][kind];
  if (normalizer === undefined) throw new Error(`no rule reads ${field} of kind ${kind}`);
  return normalizer(`source.${field}`);
}

/** A grant in kind without an amount gets the amount 0.00. An amount that was filed but cannot be read stays null. */
const amountSql =
  "CASE WHEN amount IS NULL AND non_cash_amount > 0 AND NOT amount_filed THEN 0::DECIMAL(18,2) ELSE amount END";

/** SQL that is true if a row has a value that is neither null nor blank. */
function isFiled(field: RecordField, { [field]: kind }: WarehouseColumns): string {
  if (kind === undefined) return "false";
  const value = `source.${field}`;
  return `(${kind === "text" ? text(value) : value}) IS NOT NULL`;
}
