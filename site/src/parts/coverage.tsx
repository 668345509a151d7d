// Says how many grants a filter by state leaves out because their state is not known.

import type { Totals } from "../api/client.ts";
import { formatAmountLong, formatCounted } from "../text/numbers.ts";

/** e.g., "1,234 more grants ($5.6 million) have no known recipient’s state and are not counted." for each state that is filtered by. */
export function describeCoverage({ coverage = {} }: Pick<Totals, "coverage">): string {
  return (["funder_state", "recipient_state"] as const)
    .flatMap((name) => {
      const unknown = coverage[name]?.unknown;
      if (unknown === undefined) return [];
      const whose = name === "funder_state" ? "funder’s" : "recipient’s";
      if (unknown.records === 0) return `The ${whose} state of all these grants is known.`;
      const verbs = unknown.records === 1 ? ["has", "is"] : ["have", "are"];
      return `${formatCounted(unknown.records, "more grant")} (${formatAmountLong(unknown.amount)}) ${verbs[0]} no known ${whose} state and ${verbs[1]} not counted.`;
    })
    .join(" ");
}

/** The sentences, in a line that is kept for them; nothing without a filter by state. @param totals undefined until they arrive */
export function Coverage({ totals }: { totals: Totals | undefined }) {
  if (totals === undefined) return <p class="note">&nbsp;</p>;
  const text = describeCoverage(totals);
  return text === "" ? null : <p class="note">{text}</p>;
}
