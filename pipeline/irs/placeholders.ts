// Recognizes names that stand for a list elsewhere, e.g., "SEE ATTACHED SCHEDULE".

/** One expression, anchored at the start: most names differ from all alternatives in their first letters. */
const pattern = new RegExp(
  `^(${[
    String.raw`(please\s+)?see\s+.*\b(attach|statement|stmt|schedule|list|detail|exhibit|below|footnote|additional|supplement)`,
    String.raw`(see|per|as per)\s+(the\s+)?(attach|statement|stmt|schedule|list)`,
    String.raw`(attached|schedule attached|list attached|statement attached|attachment)\b`,
    String.raw`(various|miscellaneous|multiple)\b`,
    String.raw`(statement|stmt|schedule|exhibit|attachment)\s+#?\w{1,4}$`,
  ].join("|")})`,
  "i",
);

/** True for a text that refers to a list, or to many recipients at once, instead of naming one. */
export function isPlaceholder(text: string | null): boolean {
  return text !== null && pattern.test(text);
}
