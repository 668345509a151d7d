// Defines the columns of grants, of organizations and of finances: which must be there, the types each may have, and the SQL of its values.
import { whiteSpace } from "../../api-static/contract/text/text.ts";
import { amountPattern } from "../base/amounts.ts";

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

/** The major group and two more characters of an NTEE code, e.g., "A68" of "A680", or null if it is none. */
const cause: Normalizer = (column) =>
  `nullif(regexp_extract(upper(${text(column)}), '^([A-Z]([0-9][0-9A-Z]?)?)[0-9A-Z]?$', 1), '')`;

/** The code of a subsection of 501(c) with two digits, e.g., "03", or null if it is none. */
const subsection: Normalizer = (column) =>
  `CASE WHEN regexp_full_match(${text(column)}, '[0-9]{1,2}') THEN lpad(${text(column)}, 2, '0') END`;

/** A form of the IRS with its hyphen, e.g., "990-PF" for "990PF". */
const form: Normalizer = (column) => `regexp_replace(${text(column)}, '^990([A-Z]+)$', '990-\\1')`;

/** `yes` or `no`, or null if it is neither. */
const yesOrNo: Normalizer = (column) =>
  `CASE WHEN lower(${text(column)}) IN ('yes', 'no') THEN lower(${text(column)}) END`;

/** The OBJECT_ID of a return of the IRS, or null if it is none. */
const objectId: Normalizer = (column) =>
  `CASE WHEN regexp_full_match(${text(column)}, '[0-9]{18}') THEN ${text(column)} END`;

/** Trimmed, without hyphens and spaces. `translate` takes twice as long. */
const joined: Normalizer = (column) => `replace(replace(${text(column)}, '-', ''), ' ', '')`;

const einOfDigits = (column: string, digits: string) =>
  `CASE WHEN regexp_full_match(${joined(column)}, '[0-9]{${digits}}')
    THEN nullif(${joined(column)}::UINTEGER, 0) END`;

/** The EIN in a cell of a CSV file, where a spreadsheet may have dropped the leading zeros. */
export const einOfCell: Normalizer = (column) => einOfDigits(column, "7,9");

/** An amount as DECIMAL(18,2), or null if it does not fit. */
const cents: Normalizer = (column) => `try_cast(${column} AS DECIMAL(18,2))`;

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

/** What a column's values are. */
export type ColumnKind =
  | "integer"
  | "decimal"
  | "floating"
  | "text"
  | "timestamp"
  | "timestamptz"
  | "date"
  | "boolean";

export type Column = {
  /**
   * `filled`: must have values. `nullable`: must exist, but may have only nulls. `optional`: may be absent. `extra`: may be absent, and is
   * ignored with a warning if a file has another type.
   */
  readonly presence: "filled" | "nullable" | "optional" | "extra";
  /** SQL of the normalized value, or null, by kind. No other kind is accepted. */
  readonly read: Readonly<Partial<Record<ColumnKind, Normalizer>>>;
  /** The type of that value, if it is not VARCHAR. */
  readonly type?: string;
};

/** The columns of a kind of file. */
export type Columns<Name extends string> = Readonly<Record<Name, Column>>;

/** How each column is read. A column is absent if it is null in every row, whether or not a file has it. */
export type ColumnKinds<Name extends string> = Partial<Record<Name, ColumnKind>>;

const defineColumns = <Name extends string>(columns: Columns<Name>) => columns;

const ein = {
  text: (column: string) => einOfDigits(column, "9"),
  integer: (column: string) => `CASE WHEN ${column} BETWEEN 1 AND 999999999 THEN ${column}::UINTEGER END`,
};
const amount = {
  decimal: cents,
  integer: cents,
  floating: centsOfFloating,
  text: (column: string) => centsOfText(`trim(${column}, ${whiteSpaceSql})`),
};
const financeAmount = { presence: "extra", read: amount, type: "DECIMAL(18,2)" } as const;
const year = {
  integer: (column: string) => `try_cast(${column} AS USMALLINT)`,
  text: (column: string) =>
    `CASE WHEN regexp_full_match(${text(column)}, '[0-9]{4}') THEN (${text(column)})::USMALLINT END`,
};
const time: Normalizer = (column) => instant(`try_cast(${column} AS TIMESTAMP)`); // the connection's zone is UTC
const moment = {
  timestamp: time,
  timestamptz: time,
  date: time,
  text: (column: string) => instant(timestampOfText(text(column))),
};
const month: Normalizer = (column) =>
  `CASE WHEN regexp_full_match(${text(column)}, '[0-9]{4}-[0-9]{2}') THEN ${text(column)} END`;
const monthOfDate: Normalizer = (column) =>
  `CASE WHEN year(${column}) BETWEEN 1 AND 9999 THEN strftime(${column}, '%Y-%m') END`;
const rulingYear: Normalizer = (column) =>
  `CASE WHEN ${column} BETWEEN 1 AND 9999 THEN ${column}::SMALLINT END`;

/** The fields of a record in order, and columns that only filters, groups and matches use. */
export const grantColumns = defineColumns({
  id: { presence: "filled", read: { integer: (column) => `try_cast(${column} AS BIGINT)` } },
  funder_ein: { presence: "filled", read: ein },
  transaction_year: { presence: "filled", read: year },
  recipient_name: { presence: "nullable", read: { text } },
  recipient_ein: { presence: "nullable", read: ein, type: "UINTEGER" },
  type: { presence: "optional", read: { text } },
  amount: { presence: "filled", read: amount },
  non_cash_amount: { presence: "optional", read: amount, type: "DECIMAL(18,2)" },
  non_cash_description: { presence: "optional", read: { text } },
  purpose: { presence: "nullable", read: { text } },
  created_at: { presence: "filled", read: moment },
  recipient_state: { presence: "extra", read: { text: state } },
  recipient_city: { presence: "extra", read: { text } },
  recipient_zip: { presence: "extra", read: { text: zip }, type: "UINTEGER" },
  recipient_country: { presence: "extra", read: { text } },
  recipient_status: { presence: "extra", read: { text } },
  recipient_relationship: { presence: "extra", read: { text } },
  irs_return: { presence: "extra", read: { text } }, // names the return of each grant of an import
});

export type GrantColumn = keyof typeof grantColumns;

/**
 * The columns of organizations. `sort_name` is a second name, e.g., that of a chapter. `ntee_code` says what the organization is
 * for. `zip`, the ruling years, `affiliation` and the periods tell which organizations may be a grant's recipient; a row has its name and place
 * from `first_period` to `period`, e.g., "2023-06".
 */
export const organizationColumns = defineColumns({
  ein: { presence: "filled", read: ein },
  name: { presence: "filled", read: { text } },
  city: { presence: "nullable", read: { text } },
  state: { presence: "nullable", read: { text } },
  sort_name: { presence: "extra", read: { text } },
  zip: { presence: "extra", read: { text: zip }, type: "UINTEGER" },
  ntee_code: { presence: "extra", read: { text: cause } },
  subsection: { presence: "extra", read: { text: subsection } },
  ruling_year: { presence: "extra", read: { integer: rulingYear }, type: "SMALLINT" },
  earliest_ruling_year: { presence: "extra", read: { integer: rulingYear }, type: "SMALLINT" },
  affiliation: { presence: "extra", read: { text } },
  first_period: { presence: "extra", read: { text: month } },
  period: { presence: "extra", read: { text: month } },
});

export type OrganizationColumn = keyof typeof organizationColumns;

/**
 * The columns of finances: an organization's return of a tax year, the sums in it, what it says about applications, and whether it states
 * donor-advised funds. `return_id` is the return's OBJECT_ID.
 */
export const financeColumns = defineColumns({
  ein: { presence: "filled", read: ein },
  tax_year: { presence: "filled", read: year },
  period_end: { presence: "extra", read: { date: monthOfDate, text: month } },
  form: { presence: "extra", read: { text: form } },
  return_id: { presence: "extra", read: { text: objectId } },
  revenue: financeAmount,
  expenses: financeAmount,
  assets: financeAmount,
  grants_paid: financeAmount,
  mission: { presence: "extra", read: { text } },
  accepts: { presence: "extra", read: { text: yesOrNo } },
  deadlines: { presence: "extra", read: { text } },
  application_form: { presence: "extra", read: { text } },
  restrictions: { presence: "extra", read: { text } },
  donor_advised: { presence: "extra", read: { boolean: (column) => column }, type: "BOOLEAN" },
});

export type FinanceColumn = keyof typeof financeColumns;

/** The names of columns, in order. */
export function namesOf<Name extends string>(columns: Columns<Name>): Name[] {
  return Object.keys(columns) as Name[];
}

/** SQL of a column's normalized value in rows of the table `source`. */
export function valueSql<Name extends string>(
  columns: Columns<Name>,
  kinds: ColumnKinds<Name>,
  name: Name,
): string {
  const { read, type = "VARCHAR" } = columns[name];
  const kind = kinds[name];
  if (kind === undefined) return `NULL::${type}`;
  const normalizer = read[kind];
  if (normalizer === undefined) throw new Error(`no rule reads ${name} of kind ${kind}`);
  return normalizer(`source.${name}`);
}
