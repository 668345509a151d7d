// Builds the SQL that normalizes the warehouse's columns: one expression for each column and kind.
import { type RecordField, recordFields } from "../../api-static/contract/record.ts";
import { whiteSpace } from "../../api-static/contract/text.ts";
import { amountPattern } from "../base/amounts.ts";
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

/** Trimmed, without hyphens and spaces. `translate` takes twice as long. */
const joined: Normalizer = (column) => `replace(replace(${text(column)}, '-', ''), ' ', '')`;

const einOfDigits = (column: string, digits: string) =>
  `CASE WHEN regexp_full_match(${joined(column)}, '[0-9]{${digits}}')
    THEN nullif(${joined(column)}::UINTEGER, 0) END`;

const einOfText: Normalizer = (column) => einOfDigits(column, "9");

/** In a CSV file, where a spreadsheet may have dropped the leading zeros. */
const einOfCell: Normalizer = (column) => einOfDigits(column, "7,9");

const einOfInteger: Normalizer = (column) =>
  `CASE WHEN ${column} BETWEEN 1 AND 999999999 THEN ${column}::UINTEGER END`;

/** An amount as DECIMAL(18,2), or null if it does not fit. */
export const cents: Normalizer = (column) => `try_cast(${column} AS DECIMAL(18,2))`;

/** Converts to DOUBLE first: DuckDB multiplies a FLOAT by 100 as a FLOAT, which loses dollars in large amounts. */
const centsOfFloating: Normalizer = (column) =>
  `CASE WHEN isfinite(${column}) THEN ${cents(`${column}::DOUBLE`)} END`;

/** DuckDB alone also reads "1_000" and "1e3.", and takes "8e-6" for a cent. */
export const centsOfText: Normalizer = (column) =>
  `CASE WHEN regexp_full_match(${column}, '${amountPattern}')
    THEN CASE WHEN contains(lower(${column}), 'e') THEN ${centsOfFloating(`try_cast(${column} AS DOUBLE)`)} ELSE ${cents(column)} END END`;

/** created_at in UTC, truncated to milliseconds; null if the year has no four digits. */
const instant = (timestamp: string) => `CASE
    WHEN ${timestamp} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'
    THEN date_trunc('millisecond', ${timestamp}) END`;

/** The usual forms of a time in UTC, which DuckDB reads ten times as fast as the parts of any other. It ignores other zones. */
const usualTime = "\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z| ?UTC|[+-]00(:?00)?)?)?";

/** ISO 8601 in extended and basic form, and what databases print: a space for T, single digits, a space before the zone. */
const timeParts = [
  "(?i)^(\\d{4})(?:-(\\d\\d?)-(\\d\\d?)|(\\d\\d)(\\d\\d))",
  "(?:(?:T| +)(?:(\\d\\d?):([0-5]\\d)(?::([0-5]\\d|60))?|(\\d\\d)(?:([0-5]\\d)([0-5]\\d|60)?)?)(?:[.,](\\d+))?",
  " *(?:Z|UTC|([+-])(\\d\\d)(?::?([0-5]\\d)(?::?([0-5]\\d))?)?)?)?$",
].join("");

/** The parts by name, each as text: those of the extended form, then of the basic one. */
const partNames = "'y','m1','d1','m2','d2','h1','i1','s1','h2','i2','s2','f','sign','zh','zi','zs'";

const secondsSql = (hours: string, minutes: string, seconds: string) =>
  `(3600 * coalesce(try_cast(${hours} AS INT), 0) + 60 * coalesce(try_cast(${minutes} AS INT), 0) + coalesce(try_cast(${seconds} AS INT), 0))`;

/** Seconds since midnight; 24:00 ends a day, and so may a leap second. */
const clockSql = secondsSql("p.h1 || p.h2", "p.i1 || p.i2", "p.s1 || p.s2");
const zoneSql = secondsSql("p.zh", "p.zi", "p.zs");

/** No zone is more than 18 hours from UTC. A zone's name would need rules of its own, so UTC is the only one. */
const timestampOfParts = `CASE WHEN ${clockSql} <= 86400 AND (p.s1 || p.s2 <> '60' OR p.i1 || p.i2 = '59') AND ${zoneSql} <= 18 * 3600 THEN
    try_cast(p.y || '-' || p.m1 || p.m2 || '-' || p.d1 || p.d2 AS TIMESTAMP)
    + to_seconds(${clockSql} - CASE p.sign WHEN '-' THEN -1 ELSE 1 END * ${zoneSql})
    + to_microseconds(left(rpad(p.f, 6, '0'), 6)::INT) END`;

const timestampOfText: Normalizer = (column) => `coalesce(
    CASE WHEN regexp_full_match(${column}, '${usualTime}') THEN try_cast(${column} AS TIMESTAMP) END,
    list_transform([regexp_extract(${column}, '${timeParts}', [${partNames}])], lambda p: ${timestampOfParts})[1])`;

/** An EIN as an integer, or null. */
export const ein = { integer: einOfInteger, text: einOfText, cell: einOfCell };
const amount = {
  integer: cents,
  decimal: cents,
  floating: centsOfFloating,
  text: (column: string) => centsOfText(`trim(${column}, ${whiteSpaceSql})`),
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
    timestamp: (column) => instant(`try_cast(${column} AS TIMESTAMP)`),
    timestamptz: (column) => instant(`try_cast(${column} AS TIMESTAMP)`), // the connection's zone is UTC
    date: (column) => instant(`try_cast(${column} AS TIMESTAMP)`),
    text: (column) => instant(timestampOfText(text(column))),
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
