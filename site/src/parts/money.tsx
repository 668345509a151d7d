// Shows an amount of a table's cell, with non-cash support below it.
import { formatAmount } from "../text/numbers.ts";

/** A grant's amount. */
export function Money({ amount, nonCash }: { amount: number; nonCash: number | null }) {
  return (
    <>
      <b>{formatAmount(amount)}</b>
      {nonCash === null || nonCash === 0 ? null : <small>+ {formatAmount(nonCash)} non-cash</small>}
    </>
  );
}
