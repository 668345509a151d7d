// Computes the totals of a release, in SQL that runs on the accepted grants as well as on records read back.
import { type NullableField, nullableFields, timestampSql } from "../../api-static/contract/record.ts";

/**
 * A table with one row per accepted grant, in which totals are counted. `grants` has whole grants. `accepted` is narrow: it has what
 * totals need, `true` in place of a text, and `record_hash`.
 */
export type AcceptedTable = "grants" | "accepted";

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

/** The list after SELECT: the result's only row has the fields of `Totals` when read as JSON. */
export const totalsSql = `
  count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
  count(DISTINCT recipient_ein)::DOUBLE AS recipients,
  min(transaction_year) AS first_year, max(transaction_year) AS last_year,
  sum(amount)::VARCHAR AS amount, coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)::VARCHAR AS non_cash_amount,
  ${timestampSql("max(created_at)")} AS newest_created_at,
  {${nullableFields.map((field) => `${field}: count(*) FILTER (${field} IS NULL)::DOUBLE`).join(", ")}} AS nulls`;
