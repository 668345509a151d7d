// Finds suggestions for the text in a box: searches for its words, funders of that name, or an EIN's grants.
import { searchCall } from "../api/calls.ts";
import type { HistoryPage } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { useFoundFunders, useNames } from "../names/useNames.ts";
import type { Option } from "../parts/combobox.tsx";
import { splitMatches } from "../text/matches.ts";
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

/** The options of a box's list. */
export function toOptions(
  suggestions: readonly Suggestion[],
): (Option & { readonly suggestion: Suggestion })[] {
  return suggestions.map((suggestion) => ({
    key: suggestion.key,
    content: <Line {...suggestion} />,
    note: suggestion.note,
    suggestion,
  }));
}

function Line({ lead, subject, bold }: Suggestion) {
  return (
    <>
      {lead}{" "}
      {bold === undefined ? (
        <b>{subject}</b>
      ) : (
        splitMatches(subject, bold).map((piece, index) =>
          index % 2 === 1 ? <b key={index}>{piece}</b> : piece,
        )
      )}
    </>
  );
}
