// Recognizes names that stand for a list elsewhere, e.g., "SEE ATTACHED SCHEDULE".

const patterns: readonly RegExp[] = [
  /^(please\s+)?see\s+.*\b(attach|statement|stmt|schedule|list|detail|exhibit|below|footnote|additional|supplement)/i,
  /^(see|per|as per)\s+(the\s+)?(attach|statement|stmt|schedule|list)/i,
  /^(attached|schedule attached|list attached|statement attached|attachment)\b/i,
  /^(various|miscellaneous|multiple)\b/i,
  /^(statement|stmt|schedule|exhibit|attachment)\s+#?\w{1,4}$/i,
];

/** True for a text that refers to a list, or to many recipients at once, instead of naming one. */
export function isPlaceholder(text: string | null): boolean {
  return text !== null && patterns.some((pattern) => pattern.test(text));
}
