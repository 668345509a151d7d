// Computes the totals of a release, in SQL: from those of its funders, or from all records when they are read back.
import type { DuckDBConnection } from "@duckdb/node-api";
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

/** How a total is computed from grants, and the aggregate that adds those of all funders. */
type Aggregate = readonly [ofGrants: string, add: "sum" | "min" | "max"];

const aggregates = {
  records: ["count(*)", "sum"],
  first_year: ["min(transaction_year)", "min"],
  last_year: ["max(transaction_year)", "max"],
  amount: ["sum(amount)", "sum"],
  non_cash_amount: ["coalesce(sum(non_cash_amount), 0)::DECIMAL(38,2)", "sum"],
  newest_created_at: ["max(created_at)", "max"],
} as const satisfies Readonly<Record<string, Aggregate>>;

const nullAggregates = nullableFields.map((field): [NullableField, Aggregate] => [
  field,
  [`count(*) FILTER (${field} IS NULL)`, "sum"],
]);

/** The list after SELECT: the result's only row has the fields of `Totals` when read as JSON. */
function formatTotalsSql(
  aggregateSql: (name: string, aggregate: Aggregate) => string,
  funders: string,
  recipients: string,
): string {
  const total = (name: keyof typeof aggregates) => aggregateSql(name, aggregates[name]);
  const nulls = nullAggregates.map(
    ([field, each]) => `${field}: ${aggregateSql(`null_${field}`, each)}::DOUBLE`,
  );
  return `
  ${total("records")}::DOUBLE AS records, ${funders}::DOUBLE AS funders, ${recipients}::DOUBLE AS recipients,
  ${total("first_year")} AS first_year, ${total("last_year")} AS last_year,
  ${total("amount")}::VARCHAR AS amount, ${total("non_cash_amount")}::VARCHAR AS non_cash_amount,
  ${timestampSql(total("newest_created_at"))} AS newest_created_at, {${nulls.join(", ")}} AS nulls`;
}

/** The list after SELECT from all grants or records. */
export const totalsSql = formatTotalsSql(
  (_, [ofGrants]) => ofGrants,
  "count(DISTINCT funder_ein)",
  "count(DISTINCT recipient_ein)",
);

/** SQL of one row per funder, by which `funder_totals` has the totals of its grants, and the sum of their hashes. */
export const funderTotalsSql = (from: string) => `
SELECT funder_ein, sum(${recordHashSql}) AS record_hashes,
  ${Object.entries(aggregates)
    .map(([name, [ofGrants]]) => `${ofGrants} AS ${name}`)
    .join(", ")},
  ${nullAggregates.map(([field, [ofGrants]]) => `${ofGrants} AS null_${field}`).join(", ")}
FROM ${from} GROUP BY funder_ein`;

/**
 * Adds up the rows of the table `funder_totals`.
 * @param records SQL of the records of these funders, of whose recipients some may be the same
 */
export async function addTotals(connection: DuckDBConnection, records: string): Promise<Totals> {
  const recipients = `(SELECT count(DISTINCT recipient_ein) FROM ${records})`;
  const list = formatTotalsSql((name, [, add]) => `${add}(${name})`, "count(*)", recipients);
  const added = await connection.runAndReadAll(`SELECT ${list} FROM funder_totals`);
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
