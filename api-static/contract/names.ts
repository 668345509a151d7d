// Decides which words a funder can be found by, and maps EINs and words to the files that name funders, and back.
import { canonicalText } from "./text.ts";

/**
 * Words that occur in very many names. Their funders would crowd out others with the same prefix: "foundation" and "fountain" share a
 * file. Single letters are common too.
 */
const commonWords: ReadonlySet<string> = new Set(
  [
    "a an and at by for from in of on or the to with co company corp corporation inc incorporated llc llp ltd",
    "charitable charities charity community endowment family fdn foundation foundations fund funds memorial",
    "scholarship tr trust trusts",
  ].flatMap((line) => line.split(" ")),
);

/** Letters of a word that name its file. */
const keyLetters = 3;

/** Digits of an EIN that name its file: about 20 funders of 200,000 share them. */
const keyDigits = 4;

/** The files that name funders: by the first digits of an EIN, or by the first letters of a word. */
export type NamesRequest = { readonly kind: "names"; readonly by: "eins" | "words"; readonly prefix: string };

/**
 * The words of a name or of typed text: runs of a-z and 0-9. Case and accents do not count, and neither do
 * apostrophes, which the IRS's list omits: "Children's" is "childrens". Other characters separate words.
 */
export function nameWords(name: string): string[] {
  const folded = canonicalText(name).normalize("NFKD").toLowerCase();
  return folded.replace(/[\p{M}'’]/gu, "").match(/[a-z0-9]+/g) ?? [];
}

/** The words that a name is found by, each once: those that are not common, or all if all are common. */
export function significantWords(name: string): string[] {
  const words = [...new Set(nameWords(name))];
  const significant = words.filter((word) => word.length > 1 && !commonWords.has(word));
  return significant.length > 0 ? significant : words;
}

/** The first letters of a word, which name its file. A shorter word has a separate file. */
export function wordPrefix(word: string): string {
  return word.slice(0, keyLetters);
}

/** The first digits of an EIN, which name its file. */
export function einPrefix(ein: string): string {
  return ein.slice(0, keyDigits);
}

/** The page key of a file of names, e.g., "v1/names/eins/1316.json" or "v1/names/words/har.json". */
export function namesKey(by: NamesRequest["by"], prefix: string): string {
  return `v1/names/${by}/${prefix}.json`;
}

const keyPattern = new RegExp(
  `^v1/names/(?:(eins)/(\\d{${keyDigits}})|words/([a-z0-9]{1,${keyLetters}}))\\.json$`,
);

/** The request that a file of names answers; undefined if the text is not the key of one. */
export function parseNamesKey(key: string): NamesRequest | undefined {
  const [whole, eins, digits, letters] = keyPattern.exec(key) ?? [];
  if (whole === undefined) return undefined;
  return { kind: "names", by: eins === undefined ? "words" : "eins", prefix: digits ?? letters ?? "" };
}
