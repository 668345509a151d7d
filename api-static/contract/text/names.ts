// Maps EINs to the files that name funders, and back; and cuts names into words that compare.
import { canonicalText } from "./text.ts";

/** Digits of an EIN that name its file: about 20 funders of 200,000 share them. */
const keyDigits = 4;

/** A file that names funders, by the first digits of their EINs. */
export type NamesRequest = { readonly kind: "names"; readonly prefix: string };

/** Letters that have no accent to lose, but a plain form. */
const plainLetters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ð: "d", þ: "th" }; // biome-ignore format: a table

/**
 * The words of a name or of typed text: runs of a-z and 0-9. Case and accents do not count, and neither do apostrophes, which the
 * IRS's list omits: "Children's" is "childrens". `&` is "and". Other characters separate words.
 */
export function nameWords(name: string): string[] {
  return foldText(name).match(/[a-z0-9]+/g) ?? [];
}

function foldText(name: string): string {
  const plain = name.replace(/['’&]/g, (mark) => (mark === "&" ? " and " : ""));
  if (/^[ -~]*$/.test(plain)) return plain.toLowerCase();
  const folded = canonicalText(plain).normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  return folded.replace(/[ßæœøđłðþ]/g, (letter) => plainLetters[letter] as string);
}

/** The first digits of an EIN, which name its file. */
export function einPrefix(ein: string): string {
  return ein.slice(0, keyDigits);
}

/** The page key of a file of names, e.g., "v1/names/eins/1316.json". */
export function namesKey(prefix: string): string {
  return `v1/names/eins/${prefix}.json`;
}

const keyPattern = new RegExp(`^v1/names/eins/(\\d{${keyDigits}})\\.json$`);

/** The request that a file of names answers; undefined if the text is not the key of one. */
export function parseNamesKey(key: string): NamesRequest | undefined {
  const [, prefix] = keyPattern.exec(key) ?? [];
  return prefix === undefined ? undefined : { kind: "names", prefix };
}
