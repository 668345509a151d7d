// Owns the totals of a release: what they are, and their SQL over the table `grants` or over records read again.
import { type NullableField, nullableFields, timestampSql } from "../../api-static/contract/record.ts";

/** Facts about the accepted grants. Sums are decimal text, exact to the cent. */
export type Totals = {
  readonly records: number;
  readonly funders: number;
  readonly recipients: number;
  readonly first_year: number;
  readonly last_year: number;
  readonly amount: string;
  readonly non_cash_amount: string;
  readonly newest_created_at: string;
  /** Records whose field is null, by the fields that may be. */
  readonly nulls: Readonly<Record<NullableField, number>>;
};

/** What stands after SELECT: one row, which as JSON has the fields of `Totals`. */
export const totalsSql = `
  count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
  count(DISTINCT recipient_ein)::DOUBLE AS recipients,
  min(transaction_year) AS first_year, max(transaction_year) AS last_year,
  sum(amount)::VARCHAR AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount,
  ${timestampSql("max(created_at)")} AS newest_created_at,
  {${nullableFields.map((field) => `${field}: count(*) FILTER (${field} IS NULL)::DOUBLE`).join(", ")}} AS nulls`;
