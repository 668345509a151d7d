// Shows text as it was filed: several words in capitals are a little smaller and wider, matches are marked.
import type { ComponentChildren } from "preact";
import { splitMatches } from "../text/matches.ts";

type Properties = {
  readonly text: string;
  /** Texts to mark wherever they occur, as the API finds them. */
  readonly found?: readonly string[] | undefined;
};

/** Text as filed. */
export function FiledText({ text, found = [] }: Properties) {
  const marked = markMatches(text, found);
  return <span class={isCapitals(text) ? "is-capitals" : undefined}>{marked}</span>;
}

/** True for several words without a small letter. */
function isCapitals(text: string): boolean {
  return /\p{Lu}.*\s.*\p{Lu}/su.test(text) && !/\p{Ll}/u.test(text);
}

function markMatches(text: string, [first, ...others]: readonly string[]): ComponentChildren {
  if (first === undefined) return text;
  return splitMatches(text, first).map((piece, index) =>
    index % 2 === 1 ? <mark key={index}>{piece}</mark> : markMatches(piece, others),
  );
}
