// Shows text as it was filed: several words wholly in capitals a little smaller and wider, words searched for marked.

/** Text as filed. @param found text to mark wherever it occurs, whatever its case */
export function FiledText({ text, found }: { text: string; found?: string | undefined }) {
  const marked = found === undefined ? text : markFound(text, found);
  return <span class={isCapitals(text) ? "is-capitals" : undefined}>{marked}</span>;
}

/** True for several words without a small letter. */
function isCapitals(text: string): boolean {
  return /\p{Lu}.*\s.*\p{Lu}/su.test(text) && !/\p{Ll}/u.test(text);
}

function markFound(text: string, found: string) {
  const escaped = found.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  if (escaped === "") return text;
  const pieces = text.split(new RegExp(`(${escaped})`, "iu"));
  return pieces.map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece));
}
