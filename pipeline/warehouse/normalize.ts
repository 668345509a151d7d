// Owns the SQL that turns a warehouse's columns into a record's, one expression for each column and kind.
import { type RecordField, recordFields } from "../../api-static/contract/record.ts";
import { whiteSpace } from "../../api-static/contract/text.ts";
import type { ColumnKind, ColumnName } from "./warehouse.ts";

/** Why a row is rejected; where several reasons hold, the first counts. `duplicate_id` is found among the others. */
export const rejectReasons = [
  "id_missing",
  "funder_ein_invalid",
  "transaction_year_invalid",
  "amount_missing",
  "created_at_missing",
  "duplicate_id",
] as const;

export type RejectReason = (typeof rejectReasons)[number];

type Normaliser = (column: string) => string;

const whiteSpaceSql = `'${whiteSpace}'`;

/** Trimmed text or null. A trim costs ten times a look at the first and last letter: where they are visible ASCII, nothing is trimmed. */
const text: Normaliser = (column) => `CASE
    WHEN ${column} BETWEEN '!' AND '~' AND ${column}[-1] BETWEEN '!' AND '~' THEN ${column}
    ELSE nullif(trim(${column}, ${whiteSpaceSql}), '') END`;

const einOfText: Normaliser = (column) =>
  `CASE WHEN regexp_full_match(translate(${column}, '- ', ''), '[0-9]{9}')
    THEN nullif(translate(${column}, '- ', '')::UINTEGER, 0) END`;

const einOfInteger: Normaliser = (column) =>
  `CASE WHEN ${column} BETWEEN 1 AND 999999999 THEN ${column}::UINTEGER END`;

const cents: Normaliser = (column) => `try_cast(${column} AS DECIMAL(18,2))`;

/** As DOUBLE: DuckDB multiplies a FLOAT by 100 as a FLOAT, which loses dollars of large amounts. */
const centsOfFloating: Normaliser = (column) =>
  `CASE WHEN isfinite(${column}) THEN ${cents(`${column}::DOUBLE`)} END`;

/** created_at in UTC, cut to milliseconds; dates that ISO 8601 does not write with four digits are none. */
const instant = (timestamp: string) => `CASE
    WHEN ${timestamp} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'
    THEN date_trunc('millisecond', ${timestamp}) END`;

/**
 * Nothing but what ISO 8601 writes, and UTC by its name: by the name of another zone DuckDB reads also the times without
 * a zone that come after.
 */
const isIso = (column: string) => `regexp_full_match(${column}, '[-+0-9:.TtZz ]*(UTC)?')`;

/** DuckDB reads no zone after a time without seconds, e.g., "2019-05-12T04:00Z": they are put in where it reads nothing. */
const timestamptzOfText: Normaliser = (column) => `CASE WHEN ${isIso(column)} THEN coalesce(
    try_cast(${column} AS TIMESTAMPTZ),
    try_cast(regexp_replace(${column}, '^(.{10}[T ]\\d\\d:\\d\\d)(Z|[+-][\\d:]+)$', '\\1:00\\2') AS TIMESTAMPTZ)) END`;

const ein = { integer: einOfInteger, text: einOfText };
const amount = {
  integer: cents,
  decimal: cents,
  floating: centsOfFloating,
  text: (column: string) => cents(`trim(${column}, ${whiteSpaceSql})`),
};

const normalisers: Record<ColumnName, Partial<Record<ColumnKind, Normaliser>>> = {
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

/** What a column's expression gives when the warehouse does not carry it. */
const absent: Partial<Record<ColumnName, string>> = {
  recipient_ein: "NULL::UINTEGER",
  non_cash_amount: "NULL::DECIMAL(18,2)",
};

/**
 * SQL of a relation over `source` (the warehouse's rows) with the record's columns normalised, and besides:
 * `reason` (why the row is rejected, or null), `recipient_ein_invalid` (boolean) and `raw` (the row as it was read).
 * @param nextYear the greatest transaction year that is accepted
 */
export function normalisedSql(columns: Partial<Record<ColumnName, ColumnKind>>, nextYear: number): string {
  const selected = recordFields.map((field) => `${normaliserSql(field, columns[field])} AS ${field}`);
  return `
WITH normal AS (
  SELECT source AS raw, ${selected.join(",\n    ")},
    ${isFiled("amount", columns)} AS amount_filed, ${isFiled("recipient_ein", columns)} AS recipient_ein_filed
  FROM source
)
SELECT * EXCLUDE (amount_filed, recipient_ein_filed) REPLACE (${amountSql} AS amount),
  recipient_ein_filed AND recipient_ein IS NULL AS recipient_ein_invalid,
  CASE
    WHEN id IS NULL THEN 'id_missing'
    WHEN funder_ein IS NULL THEN 'funder_ein_invalid'
    WHEN transaction_year IS NULL OR transaction_year NOT BETWEEN 1900 AND ${Math.trunc(nextYear)}
      THEN 'transaction_year_invalid'
    WHEN ${amountSql} IS NULL THEN 'amount_missing'
    WHEN created_at IS NULL THEN 'created_at_missing'
  END AS reason
FROM normal`;
}

function normaliserSql(field: RecordField, kind: ColumnKind | undefined): string {
  if (kind === undefined) return absent[field] ?? "NULL::VARCHAR";
  const normaliser = normalisers[field][kind];
  if (normaliser === undefined) throw new Error(`no rule reads ${field} of kind ${kind}`);
  return normaliser(`source.${field}`);
}

/** A grant without cash that carries support in kind has the amount 0.00; one whose amount cannot be read has none. */
const amountSql =
  "CASE WHEN amount IS NULL AND non_cash_amount > 0 AND NOT amount_filed THEN 0::DECIMAL(18,2) ELSE amount END";

/** SQL: the warehouse gave a value that is neither null nor blank. */
function isFiled(field: RecordField, columns: Partial<Record<ColumnName, ColumnKind>>): string {
  const kind = columns[field];
  if (kind === undefined) return "false";
  return `(${kind === "text" ? text(`source.${field}`) : `source.${field}`}) IS NOT NULL`;
}
