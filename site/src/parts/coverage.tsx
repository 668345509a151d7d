// Says how many grants a filter by place or cause leaves out because theirs is not known.

import { coveredFilters } from "../../../api-static/contract/filters/attributes.ts";
import type { Query } from "../address/query.ts";
import type { Totals } from "../api/client.ts";
import { attributeTexts } from "../text/attributeTexts.ts";
import { formatAmountLong, formatCounted } from "../text/numbers.ts";

/** True if totals of the query have a coverage. */
export function hasCoverage(query: Query): boolean {
  return coveredFilters.some(({ name }) => query[name] !== undefined);
}

/** e.g., "1,234 more grants ($5.6 million) have no known recipient’s state and are not counted." for each place or cause that is filtered by. */
export function describeCoverage({ coverage = {} }: Pick<Totals, "coverage">): string {
  return coveredFilters
    .flatMap(({ name }) => {
      const unknown = coverage[name]?.unknown;
      if (unknown === undefined) return [];
      const { label } = attributeTexts[name];
      const whose = label.charAt(0).toLowerCase() + label.slice(1);
      if (unknown.records === 0) return `The ${whose} of all these grants is known.`;
      const verbs = unknown.records === 1 ? ["has", "is"] : ["have", "are"];
      return `${formatCounted(unknown.records, "more grant")} (${formatAmountLong(unknown.amount)}) ${verbs[0]} no known ${whose} and ${verbs[1]} not counted.`;
    })
    .join(" ");
}

/** The sentences, in a line that is kept for them; nothing without a filter by state. @param totals undefined until they arrive */
export function Coverage({ totals }: { totals: Totals | undefined }) {
  if (totals === undefined) return <p class="note">&nbsp;</p>;
  const text = describeCoverage(totals);
  return text === "" ? null : <p class="note">{text}</p>;
}
