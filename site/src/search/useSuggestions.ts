// Finds what a text in a box may mean: searches for its words, funders of that name, or an EIN's grants.
import { funderSummaryCall, recipientSummaryCall } from "../api/calls.ts";
import type { Progress } from "../api/useCall.ts";
import { useCall } from "../api/useCall.ts";
import { useFoundFunders } from "../names/useFoundFunders.ts";
import { useNames } from "../names/useNames.ts";
import type { Scope } from "./fields.ts";
import { readEin, type Suggestion, suggestForEin, suggestForWords } from "./suggestions.ts";

/** Suggestions for a text; none yet while it is asked which grants an EIN has. */
export function useSuggestions(text: string, scope: Scope): readonly Suggestion[] {
  const ein = readEin(text);
  const names = useNames(ein === undefined ? [] : [ein]);
  const made = useCall(ein === undefined ? undefined : funderSummaryCall(ein));
  const received = useCall(ein === undefined ? undefined : recipientSummaryCall(ein));
  const funders = useFoundFunders(ein === undefined ? text : "");
  if (ein === undefined) return suggestForWords(text, scope, funders);
  if (!isDone(made) || !isDone(received)) return [];
  const name = names.nameOf(ein)?.name;
  return suggestForEin({ ein, name, made: countOf(made), received: countOf(received) });
}

function isDone({ state }: Progress<unknown>): boolean {
  return state === "found" || state === "failed";
}

/** The number of grants; 0 if the release does not know the EIN, undefined if it could not be asked. */
function countOf({ state, found, failure }: Progress<{ data: { records: number } }>): number | undefined {
  if (state === "found") return found?.body.data.records;
  return failure?.code === "funder_not_found" || failure?.code === "recipient_not_found" ? 0 : undefined;
}
