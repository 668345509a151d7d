// Computes the totals of a release, in SQL that runs on the table `grants` as well as on records read back.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  type NullableField,
  nullableFields,
  timestampSql,
} from "../../api-static/contract/answers/record.ts";

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

const nullsSql = nullableFields.map((field) => `${field}: count(*) FILTER (${field} IS NULL)::DOUBLE`);

/** The list after SELECT: the result's only row has the fields of `Totals` when read as JSON. */
export const totalsSql = `
  count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
  count(DISTINCT recipient_ein)::DOUBLE AS recipients,
  min(transaction_year) AS first_year, max(transaction_year) AS last_year,
  sum(amount)::VARCHAR AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount,
  ${timestampSql("max(created_at)")} AS newest_created_at, {${nullsSql.join(", ")}} AS nulls`;

/** Adds up the grants of a table. */
export async function readTotals(connection: DuckDBConnection, table: string): Promise<Totals> {
  const added = await connection.runAndReadAll(`SELECT ${totalsSql} FROM ${table}`);
  return added.getRowObjectsJson()[0] as unknown as Totals;
}

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
