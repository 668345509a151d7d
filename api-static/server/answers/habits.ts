// Describes how a funder gives: the sizes of its grants, its new recipients and their first grants, its own state, and what it pays out.
import type { Ein } from "../../contract/ein.ts";
import { keySql, type ReadRows, type Rows } from "../../search/indexDatabase.ts";
import type { Release } from "../../search/release.ts";

const ofFunder = `by_funder WHERE funder_ein = ${keySql}`;

/** The quartiles are amounts of grants: the smallest that at least a quarter, a half or three quarters of them do not exceed. */
const quartilesSql = `
SELECT unnest(quantile_disc(amount_cents, [0.25, 0.5, 0.75]))::VARCHAR FROM ${ofFunder} AND NOT is_individuals`;

/**
 * The recipients of each year, by EIN, or by name if there is no EIN; whether the funder had none of their grants before; and the first of
 * their grants in result order, which is the largest. The first row is of all years, with the median of these first grants.
 */
const recipientsSql = `
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

/** The grants to recipients in the funder's own state; no row if its state is unknown. */
const inStateSql = `
SELECT count(*) FILTER (recipient_state = funder_state)::DOUBLE,
  coalesce(sum(amount_cents) FILTER (recipient_state = funder_state), 0)::VARCHAR
FROM ${ofFunder} AND funder_state IS NOT NULL HAVING count(*) > 0`;

/** Rows about a funder's habits, from the index. */
export type HabitRows = {
  readonly quartiles: Rows;
  readonly recipients: Rows;
  readonly inState: Rows;
};

export async function readHabits(read: ReadRows): Promise<HabitRows> {
  return {
    quartiles: await read(quartilesSql),
    recipients: await read(recipientsSql),
    inState: await read(inStateSql),
  };
}

/** The habits as they are written. Amounts are in cents. */
export function formatHabits(
  { quartiles, recipients, inState }: HabitRows,
  payout: readonly Payout[],
): object {
  const [all, ...years] = recipients;
  const median = all?.[3] ?? null;
  const [own] = inState;
  return {
    quartiles: quartiles.map(([cents]) => BigInt(String(cents))),
    new_recipients: years.map(([year, ofYear, isNew]) => ({
      transaction_year: Number(year),
      recipients: Number(ofYear),
      new: Number(isNew),
    })),
    first_grants: { median: median === null ? null : BigInt(String(median)) },
    in_state: own === undefined ? null : { records: Number(own[0]), amount: BigInt(String(own[1])) },
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
