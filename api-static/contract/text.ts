// Owns the canonical form of text: what "the same text" means to every search, in JavaScript and in SQL.

/**
 * Characters newer than DuckDB's Unicode tables that have a case, compose or reorder (some blocks whole): DuckDB leaves
 * them as they are, and so do we. The parentheses make `split` keep them.
 */
const newerThanDuckdb =
  /([\u1ACF-\u1AEB\u0897\u1C89\uA7CB-\uA7CF\uA7D2-\uA7D5\uA7DA-\uA7DC\u{105C0}-\u{105FF}\u{10D40}-\u{10D8F}\u{10EFA}\u{10EFB}\u{11380}-\u{113FF}\u{16100}-\u{1613F}\u{16D40}-\u{16D7F}\u{16EA0}-\u{16EB8}\u{1E5EE}\u{1E5EF}\u{1E6C0}-\u{1E6FF}])/u;

/** What DuckDB's NFC loses: NUL ends the text, the vowel U+11A7 vanishes after a Korean syllable. Both become U+FFFD. */
const lostByDuckdb = /[\0\u11A7]/g;

/** White space as JavaScript's `trim` sees it, for SQL's `trim(text, whiteSpace)`. */
export const whiteSpace =
  "\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF";

/**
 * The canonical form of a text filter: trimmed, NFC, lower-cased letter by letter (no letter's case depends on
 * its neighbours, or a part of a text could differ from the same part of the whole), NFC again (ẖ is one character,
 * its capital H̱ two). The canonical form of a canonical text is itself.
 * Equals `canonicalTextSql` of the trimmed text, whatever the text; a test proves it.
 */
export function canonicalText(text: string): string {
  const parts = text.trim().replace(lostByDuckdb, "\uFFFD").split(newerThanDuckdb); // every second part is one newer character
  return parts.map((part, index) => (index % 2 === 0 ? lower(part.normalize("NFC")) : part)).join("");
}

/** SQL for the canonical form of a column that is trimmed already; `column` is a constant of ours. */
export function canonicalTextSql(column: string): string {
  const kept = `CASE WHEN contains(${column}, chr(0)) OR contains(${column}, '\u11A7')
    THEN translate(${column}, chr(0) || '\u11A7', '\uFFFD\uFFFD') ELSE ${column} END`;
  return `nfc_normalize(lower(nfc_normalize(${kept})))`;
}

function lower(text: string): string {
  let lowered = "";
  for (const letter of text) lowered += letter === "İ" ? "i" : letter.toLowerCase();
  return lowered.normalize("NFC");
}
