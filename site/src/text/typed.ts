// Cleans what people type or paste: words, EINs and amounts.
import { type Ein, parseEin } from "../../../api-static/contract/ein.ts";

/** Typed words with one space between them: the API would search for two. */
export function cleanWords(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

/** An EIN without spaces and with any kind of hyphen taken away; other text as it is. */
export function cleanEin(text: string): string {
  const digits = text.replaceAll(/[\s‐-―−-]/g, "");
  return /^\d{9}$/.test(digits) ? digits : text.trim();
}

/** The EIN that a text is, with or without its hyphen. */
export function readEin(text: string): Ein | undefined {
  return parseEin(cleanEin(text));
}

const listed = /\d{2}[\s‐-―−-]?\d{7}/g;

/**
 * One EIN or a pasted list, as the API reads it; other text as it is. Commas, semicolons, spaces or line breaks separate
 * EINs, or nothing: fields of one line drop the breaks of a pasted text.
 */
export function cleanEins(text: string): string {
  const isList = /^[\s,;]*(?:\d{2}[\s‐-―−-]?\d{7}[\s,;]*){2,}$/.test(text);
  return isList ? (text.match(listed) ?? []).map(cleanEin).join(",") : cleanEin(text);
}

/** An amount without "$" and separators of thousands; other text as it is. "10,50" is kept: it may mean 10.50. */
export function cleanAmount(text: string): string {
  const bare = text
    .trim()
    .replace("−", "-")
    .replace(/^(-?)\s*\$\s*/, "$1");
  return /^-?\d{1,3}([,\s’']\d{3})+(\.\d{1,2})?$/.test(bare) ? bare.replaceAll(/[,\s’']/g, "") : bare;
}

/** An amount with separators of thousands, as it is typed. */
export function groupDigits(amount: string): string {
  return amount.replace(
    /^(-?)(\d+)/,
    (_, sign: string, digits: string) => sign + digits.replaceAll(/\B(?=(\d{3})+$)/g, ","),
  );
}
