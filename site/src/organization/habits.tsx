// Shows how a funder gives.
import { groupsCall } from "../api/calls.ts";
import type { FunderSummary } from "../api/client.ts";
import { knows } from "../api/places.ts";
import { useCall, useStatus } from "../api/useCall.ts";
import { Section } from "../parts/section.tsx";
import { habitSentences } from "../text/habits.ts";

/** The section; its causes come when they are known. */
export function Habits({ summary }: { summary: FunderSummary }) {
  const status = useStatus().found?.body;
  const isKnown = status !== undefined && knows(status, "recipient_cause");
  const query = { funder_ein: summary.funder_ein, by: "recipient_cause" };
  const groups = useCall(isKnown ? groupsCall(query) : undefined).found?.body.data ?? [];
  const causes = groups.flatMap((group) => ("cause" in group ? group : []));
  return (
    <Section
      title="How it gives"
      note="By the grants of this data. Totals over people are left out of sizes."
    >
      <ul class="habits">
        {habitSentences(summary, causes).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Section>
  );
}
