// Describes how a funder gives: the sizes of its grants, its new recipients and their first grants, its own state, and what it pays out.
import type { DuckDBValue } from "@duckdb/node-api";
import type { Ein } from "../../contract/ein.ts";
import { keySql, type Rows } from "../../search/indexDatabase.ts";
import type { Release } from "../../search/release.ts";

const ofFunder = `by_funder WHERE funder_ein = ${keySql}`;

/**
 * SQL of aggregates of a funder's grants. Quartiles are amounts of grants: the smallest that at least a quarter, a half or three quarters of
 * them do not exceed; null without grants. Then the grants to recipients in its own state, and whether that is known.
 */
export const habitsSql = `${[0.25, 0.5, 0.75]
  .map((share) => `(quantile_disc(amount_cents, ${share}) FILTER (NOT is_individuals))::VARCHAR`)
  .join(", ")},
  count(*) FILTER (recipient_state = funder_state)::DOUBLE,
  coalesce(sum(amount_cents) FILTER (recipient_state = funder_state), 0)::VARCHAR, count(funder_state)::DOUBLE`;

/**
 * The recipients of each year, by EIN, or by name if there is no EIN; whether the funder had none of their grants before; and the first of
 * their grants in result order, which is the largest. The first row is of all years, with the median of these first grants.
 */
export const newRecipientsSql = `
WITH recipients AS (
  SELECT coalesce(recipient_ein::BIGINT, -1 - recipient_name::BIGINT) AS recipient, transaction_year,
    arg_min(amount_cents, rowid) AS amount_cents
  FROM ${ofFunder} AND NOT is_individuals AND (recipient_ein IS NOT NULL OR recipient_name IS NOT NULL)
  GROUP BY ALL
), years AS (
  SELECT *, transaction_year = min(transaction_year) OVER (PARTITION BY recipient) AS is_new FROM recipients
)
SELECT transaction_year, count(*)::DOUBLE, count(*) FILTER (is_new)::DOUBLE,
  (quantile_disc(amount_cents, 0.5) FILTER (is_new))::VARCHAR
FROM years GROUP BY GROUPING SETS ((transaction_year), ()) ORDER BY transaction_year DESC NULLS FIRST`;

/**
 * The habits as they are written. Amounts are in cents.
 * @param aggregates of `habitsSql` @param recipients rows of `newRecipientsSql`
 */
export function formatHabits(
  aggregates: readonly DuckDBValue[],
  recipients: Rows,
  payout: readonly Payout[],
): object {
  const [low, middle, high, inState, inStateCents, known] = aggregates;
  const [all, ...years] = recipients;
  const centsOf = (value: DuckDBValue | undefined) => BigInt(String(value));
  const median = all?.[3] ?? null;
  return {
    quartiles: low === null ? [] : [low, middle, high].map(centsOf),
    new_recipients: years.map(([year, ofYear, isNew]) => ({
      transaction_year: Number(year),
      recipients: Number(ofYear),
      new: Number(isNew),
    })),
    first_grants: { median: median === null ? null : centsOf(median) },
    in_state: known === 0 ? null : { records: Number(inState), amount: centsOf(inStateCents) },
    payout,
  };
}

type Payout = { readonly tax_year: number; readonly share: number };

type Finances = {
  readonly tax_year: number;
  readonly assets: number | null;
  readonly grants_paid: number | null;
};

/** The grants that a funder paid in a tax year as a share of its assets, rounded to four decimals, newest first, from its returns. */
export function readPayout({ organizations }: Pick<Release, "organizations">, ein: Ein): Payout[] {
  const whole = organizations.findWhole(ein);
  const { finances = [] } =
    whole === undefined ? {} : (JSON.parse(whole.toString()) as { finances?: readonly Finances[] });
  return finances.flatMap(({ tax_year, assets, grants_paid }) =>
    assets === null || assets <= 0 || grants_paid === null
      ? []
      : { tax_year, share: Math.round((grants_paid / assets) * 10_000) / 10_000 },
  );
}
