// Says how a funder gives: its years, its causes, its usual sizes, its new recipients, its own state, and what it pays out.
import { nameCause } from "../../../api-static/contract/text/causes.ts";
import type { FunderSummary } from "../api/client.ts";
import { formatAmount, formatAmountLong, formatCounted, formatShare } from "./numbers.ts";

type Cause = { readonly cause: string | null; readonly amount: number };

/** The years with grants, as far as filings are in the data. */
function yearsSentence({ years, first_year, last_year }: FunderSummary): string {
  const span = last_year - first_year + 1;
  if (span === 1) return `All of its grants in this data are of ${first_year}.`;
  const active = years.length === span ? `each of the ${span}` : `${years.length} of the ${span}`;
  return `It made grants in ${active} years from ${first_year} to ${last_year}.`;
}

/** Smaller shares of a cause are not named, nor more than three causes. */
const namedShare = 0.1;
const namedMax = 3;

/** e.g., "Of dollars whose cause is known, 45% went to Education and 20% to Health Care; of 32% it isn't known."; "" if none is known. */
export function causesSentence(groups: readonly Cause[]): string {
  const sum = (of: readonly Cause[]) => of.reduce((total, { amount }) => total + amount, 0);
  const known = groups.filter(({ cause, amount }) => cause !== null && amount > 0);
  const [all, total] = [sum(known), sum(groups.filter(({ amount }) => amount > 0))];
  if (all === 0) return "";
  const named = known.filter(({ amount }) => amount >= all * namedShare).slice(0, namedMax);
  const shares = named.map(
    ({ cause, amount }) => `${formatShare(amount / all)} to ${nameCause(cause ?? "")}`,
  );
  const unknown = total === all ? "" : `; of ${formatShare(1 - all / total)} it isn’t known`;
  if (shares.length === 0) return "";
  return `Of dollars whose cause is known, ${new Intl.ListFormat("en-US").format(shares)}${unknown}.`.replace(
    " to ",
    " went to ",
  );
}

/**
 * The sentences, each on one habit. In the first year of the data all recipients look new: nothing is said of them then.
 * @param causes the sums of the recipients' causes, largest first
 */
export function habitSentences(summary: FunderSummary, causes: readonly Cause[] = []): string[] {
  const { habits, amount, first_year } = summary;
  const { quartiles, new_recipients, first_grants, in_state, payout } = habits;
  const [low, middle, high] = quartiles;
  const [newest] = new_recipients;
  const [paid] = payout;
  const sentences = [yearsSentence(summary), causesSentence(causes)].filter((text) => text !== "");
  if (low !== undefined && middle !== undefined && high !== undefined && low < high)
    sentences.push(
      `Half of its grants are from ${formatAmount(low)} to ${formatAmount(high)}; the middle one is ${formatAmount(middle)}.`,
    );
  if (newest !== undefined && newest.transaction_year > first_year) {
    const verb = newest.recipients === 1 ? "was" : "were";
    sentences.push(
      `In ${newest.transaction_year}, ${newest.new} of ${formatCounted(newest.recipients, "recipient")} ${verb} new.`,
    );
    if (first_grants.median !== null)
      sentences.push(
        `Half of its first grants to a recipient are ${formatAmount(first_grants.median)} or less.`,
      );
  }
  if (in_state !== null) {
    const share = amount > 0 && in_state.amount >= 0 ? ` (${formatShare(in_state.amount / amount)})` : "";
    sentences.push(
      `To its own state: ${formatAmountLong(in_state.amount)}${share} in ${formatCounted(in_state.records)}.`,
    );
  }
  if (paid !== undefined)
    sentences.push(`In the tax year ${paid.tax_year} it paid out ${formatShare(paid.share)} of its assets.`);
  return sentences;
}
