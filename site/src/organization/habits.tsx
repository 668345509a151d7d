// Says how a funder gives: its usual sizes, its new recipients, its own state, and what it pays out.
import type { FunderSummary } from "../api/client.ts";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatAmountLong, formatCounted, formatShare } from "../text/numbers.ts";

/** The section; nothing for a funder of totals over people alone. */
export function Habits({ summary }: { summary: FunderSummary }) {
  const sentences = habitSentences(summary);
  return sentences.length === 0 ? null : (
    <Section
      title="How it gives"
      note="By the grants of this data. Totals over people are left out of sizes."
    >
      <ul class="habits">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Section>
  );
}

/** The sentences, each on one habit. In the first year of the data all recipients look new: nothing is said of them then. */
export function habitSentences({ habits, amount, first_year }: FunderSummary): string[] {
  const { quartiles, new_recipients, first_grants, in_state, payout } = habits;
  const [low, middle, high] = quartiles;
  const [newest] = new_recipients;
  const [paid] = payout;
  const sentences: string[] = [];
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
