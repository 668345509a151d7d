// Builds the SQL that reads rows of grants: their normalized values, the recipients' places, and why a row is rejected.
import { type RecordField, recordFields } from "../../api-static/contract/answers/record.ts";
import { type GrantColumn, grantColumns, text, valueSql } from "./normalize.ts";
import type { Warehouse } from "./warehouse.ts";

/** The columns of the table `grants` beside those of a record, null if the warehouse lacks them. */
export const placeColumns = ["recipient_state", "recipient_city", "recipient_zip"] as const;

/** Recipients that are no organizations in the United States: those with another country, and persons, whose status is `I`. */
const excluded: Partial<Record<GrantColumn, string>> = {
  recipient_country: `coalesce(upper(${text("source.recipient_country")}), 'US')
    NOT IN ('US', 'USA', 'UNITED STATES', 'UNITED STATES OF AMERICA')`,
  recipient_status:
    "regexp_full_match(coalesce(source.recipient_status, ''), '(?i)\\s*(i|ind|individuals?)\\s*')",
};

/** The columns that are read: those of a record and of places. */
export function readColumns({ columns }: Pick<Warehouse, "columns">): GrantColumn[] {
  const read = [...recordFields, ...placeColumns, ...(Object.keys(excluded) as GrantColumn[])];
  return read.filter((name) => columns[name] !== undefined);
}

/** The places, and whether the recipient may be matched with the list of organizations. */
function placesSql(columns: Warehouse["columns"]): string[] {
  const reasons = Object.entries(excluded).filter(([name]) => name in columns);
  return [
    ...placeColumns.map((name) => `${valueSql(grantColumns, columns, name)} AS ${name}`),
    `NOT (${reasons.map(([, sql]) => sql).join(" OR ") || "false"}) AS recipient_listable`,
  ];
}

/**
 * Returns SQL that selects the normalized columns of a record from `source` (the warehouse's rows), the recipient's place, `reason` (why the row is rejected, or null), `recipient_ein_invalid` (boolean), and `raw` (the row as read, without its place).
 * @param lastYear the latest transaction year that is accepted
 */
export function normalizedSql({ columns }: Pick<Warehouse, "columns">, lastYear: number): string {
  const normalized = recordFields.map((field) => `${valueSql(grantColumns, columns, field)} AS ${field}`);
  const raw = ["source_file", "source_row", ...recordFields.filter((field) => columns[field] !== undefined)];
  return `
WITH normalized AS (
  SELECT {${raw.map((column) => `${column}: source.${column}`).join(", ")}} AS raw,
    ${[...normalized, ...placesSql(columns)].join(",\n    ")},
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

/** A grant in kind without an amount gets the amount 0.00. An amount that was filed but cannot be read stays null. */
const amountSql =
  "CASE WHEN amount IS NULL AND non_cash_amount > 0 AND NOT amount_filed THEN 0::DECIMAL(18,2) ELSE amount END";

/** SQL that is true if a row has a value that is neither null nor blank. */
function isFiled(field: RecordField, { [field]: kind }: Warehouse["columns"]): string {
  if (kind === undefined) return "false";
  const value = `source.${field}`;
  return `(${kind === "text" ? text(value) : value}) IS NOT NULL`;
}
