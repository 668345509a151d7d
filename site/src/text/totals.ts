// Writes the sentences about the totals of grants.
import type { Query } from "../address/query.ts";
import type { FunderSummary, Totals } from "../api/client.ts";
import { formatAmountLong, formatCount, formatCounted } from "./numbers.ts";

/** Dollars and number of grants. */
export type Sum = { readonly records: number; readonly amount: number };

/** The sum of grants or sums. It adds cents, so that it is exact. */
export function addUp(all: readonly { readonly records?: number; readonly amount: number }[]): Sum {
  const records = all.reduce((sum, { records = 1 }) => sum + records, 0);
  const cents = all.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
  return { records, amount: cents / 100 };
}

type DescribedTotals = Pick<Totals, "amount" | "records" | "funders" | "recipients" | "non_cash">;

/**
 * e.g., "$31.1 million in 1,723 grants from 412 funders to 980 recipients, plus $4.7 million non-cash in 3 of them".
 * @param isOneFunder true omits the funder
 */
export function describeTotals(
  { amount, records, funders, recipients, non_cash }: DescribedTotals,
  isOneFunder = false,
): string {
  return [
    formatAmountLong(amount),
    amount < 0 ? " net of corrections" : "",
    ` in ${formatCounted(records)}`,
    isOneFunder ? "" : ` from ${formatCounted(funders, "funder")}`,
    recipients === 0 ? "" : ` to ${formatCounted(recipients, "recipient")}`,
    describeNonCash(non_cash),
  ].join("");
}

/** e.g., ", plus $4.7 million non-cash in 3 of them"; "" without any. */
export function describeNonCash({ records, amount }: Totals["non_cash"]): string {
  return records === 0
    ? ""
    : `, plus ${formatAmountLong(amount)} non-cash in ${formatCount(records)} of them`;
}

/**
 * What of the totals are no grants to one recipient, what was passed on, and what went to donor-advised funds' sponsors: a sentence each,
 * with a space before it; "" without any.
 */
export function describeMarks({
  individuals,
  passed_on,
  donor_advised,
}: Pick<Totals, "individuals" | "passed_on" | "donor_advised">): string {
  const say = (to: string, { records, amount }: Totals["passed_on"], counted = formatCounted(records)) =>
    records === 0 ? "" : ` To ${to}: ${formatAmountLong(amount)} in ${counted}.`;
  return [
    say("individuals", individuals, `${formatCounted(individuals.records, "kind")} of aid`),
    say("organizations that make grants themselves", passed_on),
    say("organizations with donor-advised funds", donor_advised),
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

/** The repeats among a funder's grants that pass filters; undefined if the summary does not tell: it has them by year. */
export function repeatsOfYears(
  { repeated }: Pick<FunderSummary, "repeated">,
  filters: Query = {},
): Sum | undefined {
  const { transaction_year, min_year = transaction_year, max_year = transaction_year, ...others } = filters;
  if (Object.keys(others).length > 0) return undefined;
  const years = repeated.years.filter(
    ({ transaction_year: year }) => year >= Number(min_year ?? year) && year <= Number(max_year ?? year),
  );
  return addUp(years);
}
