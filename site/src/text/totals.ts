// Writes the sentences about the totals of grants.
import type { Totals } from "../api/client.ts";
import { formatAmountLong, formatCounted } from "./numbers.ts";

/** e.g., "$31.1 million in 1,723 grants from 412 funders to 980 recipients". @param isOneFunder true omits the funder */
export function describeTotals(
  { amount, records, funders, recipients }: Pick<Totals, "amount" | "records" | "funders" | "recipients">,
  isOneFunder = false,
): string {
  return [
    formatAmountLong(amount),
    amount < 0 ? " net of corrections" : "",
    ` in ${formatCounted(records)}`,
    isOneFunder ? "" : ` from ${formatCounted(funders, "funder")}`,
    recipients === 0 ? "" : ` to ${formatCounted(recipients, "recipient")}`,
  ].join("");
}

/**
 * A total without grants that repeat others: "$28.3 million", or "$3.2 million less" if it would read like the total with them.
 * @param formatAmount the form of the total, as the page shows it
 */
export function describeWithout(amount: number, repeated: number, formatAmount = formatAmountLong): string {
  const without = formatAmount(amount - repeated);
  if (without !== formatAmount(amount) || repeated === 0) return without;
  return `${formatAmount(Math.abs(repeated))} ${repeated < 0 ? "more" : "less"}`;
}
