// Recognizes names that stand for a list elsewhere, e.g., "SEE ATTACHED SCHEDULE".

/** Last words of names of organizations, e.g., "VARIOUS ARTISTS FOUNDATION". */
const organization =
  "foundation|society|network|association|assoc|assn|alliance|coalition|institute|center|inc|incorporated|corp|llc";

/** One expression, anchored at the start: most names differ from all alternatives in their first letters. */
const pattern = new RegExp(
  `^(${[
    String.raw`(please\s+)?see\s+.*\b(attach|statement|stmt|schedule|list(s|ing|ed)?\b|detail|exhibit|below|footnote|additional|supplement)`,
    String.raw`(see|per|as per)\s+(the\s+)?(attach|statement|stmt|schedule|list\b|part\b)`,
    String.raw`(attached|schedule attached|list attached|statement attached)\b`,
    String.raw`attachments?(\W*$|\s*[:#(,;/]|\s+-|\W*\d|\s+(to|for|list|schedule|statement|page|part|form|see)\b)`,
    String.raw`(various|misc|miscellaneous|multiple)\b(?!\s+(sclerosis|myeloma)\b)(?!.*\s(${organization})\W*$)`,
    String.raw`(statement|stmt|schedule|exhibit|attachment)\s+#?\w{1,4}$`,
  ].join("|")})`,
  "i",
);

/** True for a text that refers to a list, or to many recipients at once, instead of naming one. */
export function isPlaceholder(text: string | null): boolean {
  return text !== null && pattern.test(text);
}
