// Shows text as it was filed: several words in capitals are a little smaller and wider, matches are marked.
import { splitMatches } from "../text/matches.ts";

/** Text as filed. @param found text to mark wherever it occurs, as the API finds it */
export function FiledText({ text, found }: { text: string; found?: string | undefined }) {
  const marked = found === undefined ? text : markMatches(text, found);
  return <span class={isCapitals(text) ? "is-capitals" : undefined}>{marked}</span>;
}

/** True for several words without a small letter. */
function isCapitals(text: string): boolean {
  return /\p{Lu}.*\s.*\p{Lu}/su.test(text) && !/\p{Ll}/u.test(text);
}

function markMatches(text: string, found: string) {
  return splitMatches(text, found).map((piece, index) =>
    index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece,
  );
}
