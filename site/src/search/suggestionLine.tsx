// Shows a suggestion in the list below a box.
import type { Option } from "../parts/combobox.tsx";
import { splitMatches } from "../text/matches.ts";
import type { Suggestion } from "./suggestions.ts";

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
