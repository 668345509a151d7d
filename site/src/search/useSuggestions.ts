// Finds suggestions for the text in a box: searches for its words, funders of that name, or an EIN's grants.
import { searchCall } from "../api/calls.ts";
import type { HistoryPage } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { useFoundFunders } from "../names/useFoundFunders.ts";
import { useNames } from "../names/useNames.ts";
import type { Scope } from "./fields.ts";
import { readEin, type Suggestion, suggestForEin, suggestForWords } from "./suggestions.ts";

/** Suggestions for a text; none yet while it is asked which grants an EIN has. */
export function useSuggestions(text: string, scope: Scope): readonly Suggestion[] {
  const ein = readEin(text);
  const names = useNames(ein === undefined ? [] : [ein]);
  // Not the summaries: they answer 404 for an EIN without grants, which the browser reports as an error.
  const made = useCall(ein === undefined ? undefined : searchCall({ funder_ein: ein, limit: "1" }));
  const received = useCall(ein === undefined ? undefined : searchCall({ recipient_ein: ein, limit: "1" }));
  const funders = useFoundFunders(ein === undefined ? text : "");
  if (ein === undefined) return suggestForWords(text, scope, funders);
  if (!isDone(made) || !isDone(received)) return [];
  const name = names.nameOf(ein)?.name;
  return suggestForEin({ ein, name, made: countOf(made), received: countOf(received) });
}

function isDone({ state }: Progress<unknown>): boolean {
  return state === "found" || state === "failed";
}

/** The number of grants; undefined if it could not be asked. */
function countOf({ state, found }: Progress<HistoryPage>): number | undefined {
  return state === "found" ? found?.body.total : undefined;
}
