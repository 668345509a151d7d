// Computes the canonical form of text, which every text search compares, in JavaScript and SQL.
import type { Fault } from "../errors.ts";
import { textLengthMax } from "../limits.ts";

/**
 * Characters newer than DuckDB's Unicode tables that have a case, compose or reorder, some as whole blocks. DuckDB leaves them
 * unchanged, so JavaScript must too. The parentheses make `split` keep them.
 */
const newerThanDuckdb =
  /([\u1ACF-\u1AEB\u0897\u1C89\uA7CB-\uA7CF\uA7D2-\uA7D5\uA7DA-\uA7DC\u{105C0}-\u{105FF}\u{10D40}-\u{10D8F}\u{10EFA}\u{10EFB}\u{11380}-\u{113FF}\u{16100}-\u{1613F}\u{16D40}-\u{16D7F}\u{16EA0}-\u{16EB8}\u{1E5EE}\u{1E5EF}\u{1E6C0}-\u{1E6FF}])/u;

/** Characters that DuckDB's NFC loses: NUL ends the text, and U+11A7 vanishes after a Korean syllable. Both become U+FFFD. */
const lostByDuckdb = /[\0\u11A7]/g;

/**
 * Letters that share their capital with another one, which stands for them: writers choose ς or σ by its place in a word, and its
 * capital is always Σ.
 */
const variants = "ς\u017F\u00B5ϐϑϕϖϰϱϵ\u1E9B\u1C80\u1C81\u1C82\u1C83\u1C84\u1C85\u1C86\u1C87\u1C88";
const twins = "σsμβθφπκρε\u1E61\u0432\u0434\u043E\u0441\u0442\u0442\u044A\u0463\uA64B";
const anyVariant = new RegExp(`[${variants}]`, "g");

/** The white space that JavaScript's `trim` removes, for SQL's `trim(text, whiteSpace)`. */
export const whiteSpace =
  "\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF";

/**
 * The canonical form of a text: trimmed, NFC, lower-cased letter by letter, and NFC again because ẖ is one character but its
 * capital H̱ is two. İ is "i", also in the lower case of other programs, i with a dot. Each letter is lower-cased by itself; otherwise a part of a text could differ from the same part of the
 * whole. The canonical form of canonical text is that text.
 * A test proves that it equals `canonicalTextSql` of the trimmed text, for any text.
 */
export function canonicalText(text: string): string {
  return canonicalLetters(text.trim());
}

/** The canonical form of a parameter's value. */
export function parseText(name: string, value: string): string | Fault {
  const text = canonicalText(value);
  const length = [...text].length;
  const rule = `${name} must be 1 to ${textLengthMax} characters long`;
  return length > textLengthMax ? { code: "out_of_range", message: `${rule}, got ${length}` } : text;
}

/** The different words of a canonical text: the pieces between its white space. */
export function splitWords(text: string): string[] {
  return [...new Set(text.split(/\s+/))].filter((word) => word !== "");
}

/** The canonical form without trimming, for a piece of a text: white space at its ends belongs to the text. */
export function canonicalLetters(text: string): string {
  const parts = text.replace(lostByDuckdb, "\uFFFD").split(newerThanDuckdb); // every second part is one of the newer characters
  return parts.map((part, index) => (index % 2 === 0 ? lower(part.normalize("NFC")) : part)).join("");
}

/** SQL for the canonical form of a trimmed column. `column` must be a constant of ours. */
export function canonicalTextSql(column: string): string {
  const kept = `CASE WHEN contains(${column}, chr(0)) OR contains(${column}, '\u11A7')
    THEN translate(${column}, chr(0) || '\u11A7', '\uFFFD\uFFFD') ELSE ${column} END`;
  const dotless = `CASE WHEN contains(${column}, '\u0307')
    THEN regexp_replace(nfc_normalize(${kept}), '[iİ]\u0307+', 'i', 'g') ELSE ${kept} END`;
  // Most texts are ASCII, which only has a case.
  return `CASE WHEN strlen(${column}) = length(${column}) AND NOT contains(${column}, chr(0)) THEN lower(${column})
    ELSE nfc_normalize(translate(lower(nfc_normalize(${dotless})), '${variants}', '${twins}')) END`;
}

function lower(text: string): string {
  let lowered = "";
  for (const letter of text) lowered += letter === "İ" ? "i" : letter.toLowerCase();
  const twinned = lowered.replace(anyVariant, (letter) => twins.charAt(variants.indexOf(letter)));
  return twinned.replace(/i\u0307+/g, "i").normalize("NFC");
}
