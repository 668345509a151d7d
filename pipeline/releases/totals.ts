// Computes the totals of a release, in SQL: from those of its funders, or from all records when they are read back.
import { type NullableField, nullableFields, timestampSql } from "../../api-static/contract/record.ts";
import { recordHashSql } from "./funderDigests.ts";

/** Totals of the accepted grants. Sums are decimal text, so that no precision is lost. */
export type Totals = {
  readonly records: number;
  readonly funders: number;
  readonly recipients: number;
  readonly first_year: number;
  readonly last_year: number;
  readonly amount: string;
  readonly non_cash_amount: string;
  readonly newest_created_at: string;
  /** Number of records in which a nullable field is null, by field. */
  readonly nulls: Readonly<Record<NullableField, number>>;
};

/** The list after SELECT from all records: the result's only row has the fields of `Totals` when read as JSON. */
export const totalsSql = `
  count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
  count(DISTINCT recipient_ein)::DOUBLE AS recipients,
  min(transaction_year) AS first_year, max(transaction_year) AS last_year,
  sum(amount)::VARCHAR AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount,
  ${timestampSql("max(created_at)")} AS newest_created_at,
  {${nullableFields.map((field) => `${field}: count(*) FILTER (${field} IS NULL)::DOUBLE`).join(", ")}} AS nulls`;

/** SQL of one row per funder: the totals of its grants in a table, and the sum of their hashes. */
export const funderTotalsSql = (from: string) => `
SELECT funder_ein, count(*)::UINTEGER AS records, sum(${recordHashSql}) AS record_hashes,
  min(transaction_year) AS first_year, max(transaction_year) AS last_year,
  sum(amount) AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2) AS non_cash_amount,
  max(created_at) AS newest_created_at,
  ${nullableFields.map((field) => `count(*) FILTER (${field} IS NULL)::UINTEGER AS null_${field}`).join(", ")}
FROM ${from} GROUP BY funder_ein`;

/**
 * SQL of the same row as `totalsSql`, from a table `funder_totals`.
 * @param recipients SQL of the number of distinct recipients, which funders may share
 */
export const addedTotalsSql = (from: string, recipients: string) => `
SELECT sum(records)::DOUBLE AS records, count(*)::DOUBLE AS funders, (${recipients})::DOUBLE AS recipients,
  min(first_year) AS first_year, max(last_year) AS last_year,
  sum(amount)::VARCHAR AS amount, sum(non_cash_amount)::VARCHAR AS non_cash_amount,
  ${timestampSql("max(newest_created_at)")} AS newest_created_at,
  {${nullableFields.map((field) => `${field}: sum(null_${field})::DOUBLE`).join(", ")}} AS nulls
FROM ${from}`;

/**
 * Describes each total that differs from the sealed one.
 * @param name of what was counted
 */
export function compareTotals(name: string, found: Totals, sealed: Totals): string[] {
  const expected = new Map(flattenTotals(sealed));
  return flattenTotals(found)
    .filter(([total, value]) => value !== expected.get(total))
    .map(([total, value]) => `${name} has ${total} ${value}, the manifest says ${expected.get(total)}`);
}

function flattenTotals({ nulls, ...totals }: Totals): [string, number | string][] {
  const counts = Object.entries(nulls).map(([field, count]) => [`nulls of ${field}`, count] as const);
  return [...Object.entries(totals), ...counts].map(([name, value]) => [name, value]);
}
