// Finds suggestions for the text in a box: searches for its words, funders of that name, or an EIN's grants.
import { pageHref, searchCall } from "../api/calls.ts";
import type { HistoryPage } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { useFindNamed, useFoundFunders, useNames } from "../names/useNames.ts";
import type { Option } from "../parts/combobox.tsx";
import { splitMatches } from "../text/matches.ts";
import type { Scope } from "./fields.ts";
import { readEin, type Suggestion, suggestForEin, suggestForWords } from "./suggestions.ts";

type Words = { readonly scope: Scope; readonly words: string };

/** The options of a box's list, and a function that follows one: to its page, or with `onSearch`. */
export function useBox(text: string, scope: Scope, onSearch: (words: Words) => void) {
  const suggestions = useSuggestions(text, scope);
  const findNamed = useFindNamed();
  const follow = async (suggestion: Suggestion) => {
    const { target } = suggestion;
    if ("href" in target) return location.assign(target.href);
    // The first may be taken before the lists of names have arrived, in which a funder of this name would go before it.
    const funder = suggestion === suggestions[0] ? await findNamed(target.words) : undefined;
    if (funder === undefined) onSearch(target);
    else location.assign(pageHref("funder", { ein: funder.ein }));
  };
  const options = toOptions(suggestions);
  return { options, onChoose: ({ suggestion }: (typeof options)[number]) => void follow(suggestion) };
}

/** Suggestions for a text; none yet while it is asked which grants an EIN has. */
function useSuggestions(text: string, scope: Scope): readonly Suggestion[] {
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
function toOptions(suggestions: readonly Suggestion[]): (Option & { readonly suggestion: Suggestion })[] {
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
