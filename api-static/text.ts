// Owns the canonical form of text: what "the same text" means to every search, in JavaScript and in SQL.

/** Capitals that Unicode added after the tables in DuckDB's `lower` were made: DuckDB leaves them as they are. */
const notLowered = /[\u1C89\uA7CB-\uA7DC\u{10D50}-\u{10D65}\u{16EA0}-\u{16EB8}]/u;

/** White space as JavaScript's `trim` sees it, for SQL's `trim(text, whiteSpace)`. */
export const whiteSpace =
  "\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF";

/**
 * The canonical form of a text filter: trimmed, NFC, lower-cased letter by letter (no letter's case depends on
 * its neighbours, or a part of a text could differ from the same part of the whole).
 * Equals `canonicalTextSql` of the trimmed text for every code point; a test proves it.
 */
export function canonicalText(text: string): string {
  const normal = text.trim().normalize("NFC");
  let lowered = "";
  for (const letter of normal) {
    if (letter === "İ") lowered += "i";
    else lowered += notLowered.test(letter) ? letter : letter.toLowerCase();
  }
  return lowered;
}

/** SQL for the canonical form of a column that is trimmed already; `column` is a constant of ours. */
export function canonicalTextSql(column: string): string {
  return `lower(nfc_normalize(${column}))`;
}
