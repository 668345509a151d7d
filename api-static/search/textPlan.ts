// Plans how to find the texts that contain a pattern: by the words in the pattern, or by checking every text.
import type { FoundWords, Place, Words } from "./words.ts";

/**
 * How the texts that contain a pattern are found. `texts`: by checking every text. `words`: by the postings of these words,
 * each followed by one of `next` if given. Unless that is exact, the texts are then checked for the pattern.
 */
export type TextPlan =
  | { readonly way: "none" }
  | { readonly way: "texts" }
  | {
      readonly way: "words";
      readonly words: readonly number[];
      readonly next: readonly number[] | undefined;
      readonly isExact: boolean;
      /** How often the words occur in texts. */
      readonly postings: number;
    };

/** Share of a dictionary's texts up to which reading postings is faster than checking every text. */
const maxPostingsShare = 0.5;

/**
 * Pieces of a pattern that are looked up, at most: each lookup scans every word, and a pattern may have 100 pieces. Texts are
 * checked for the whole pattern in any case.
 */
export const maxLookups = 4;

/** A piece of a pattern, and where in a word it must stand. */
type Lookup = { readonly piece: string; readonly place: Place };

/**
 * Plans how to find the texts that contain a pattern. A text contains a pattern without a space exactly if one of its words
 * does. In a pattern with spaces, the first piece ends a word, the last one starts a word, the others are whole words.
 * @param texts number of texts in the dictionary
 */
export async function planTexts(
  words: Pick<Words, "find">,
  texts: number,
  pattern: string,
  signal?: AbortSignal,
): Promise<TextPlan> {
  const maxPostings = Math.max(1_000, texts * maxPostingsShare);
  const lookups = parseLookups(pattern);
  const found = new Map<string, FoundWords | undefined>();
  for (const { piece, place } of pickLookups(lookups)) {
    const foundWords = await words.find(piece, place, maxPostings, signal);
    if (foundWords?.ids.length === 0) return { way: "none" };
    found.set(keyOf({ piece, place }), foundWords);
  }
  return planWords(lookups.map((lookup) => found.get(keyOf(lookup))));
}

function parseLookups(pattern: string): Lookup[] {
  const pieces = pattern.split(" ");
  return pieces.map((piece, index) => ({ piece, place: placeOf(index, pieces.length) }));
}

function placeOf(index: number, pieces: number): Place {
  if (pieces === 1) return "anywhere";
  if (index === 0) return "at the end";
  return index === pieces - 1 ? "at the start" : "whole word";
}

/** The lookups to do, each once: the longest pieces, because they tend to occur in the fewest texts. */
function pickLookups(lookups: readonly Lookup[]): Lookup[] {
  const distinct = [...new Map(lookups.map((lookup) => [keyOf(lookup), lookup])).values()];
  return distinct.toSorted((a, b) => b.piece.length - a.piece.length).slice(0, maxLookups);
}

function keyOf({ piece, place }: Lookup): string {
  return `${place}: ${piece}`;
}

/**
 * Picks the piece whose words have the fewest postings. Postings name the next word too, so the last piece only narrows them
 * unless it is alone.
 * @param found the words of each piece; undefined if they have too many postings, or were not looked up
 */
function planWords(found: readonly (FoundWords | undefined)[]): TextPlan {
  const first = found.length === 1 ? found : found.slice(0, -1);
  let best: { words: FoundWords; next: FoundWords | undefined } | undefined;
  for (const [index, words] of first.entries()) {
    if (words === undefined) continue;
    if (best === undefined || words.postings < best.words.postings) best = { words, next: found[index + 1] };
  }
  if (best === undefined) return { way: "texts" };
  const isExact = found.length === 1 || (found.length === 2 && best.next !== undefined);
  const { ids, postings } = best.words;
  return { way: "words", words: ids, next: best.next?.ids, isExact, postings };
}

/** How much a plan reads, for comparison: postings, or more than any number of them if every text is checked. */
export function costOf(plan: TextPlan): number {
  if (plan.way === "words") return plan.postings;
  return plan.way === "none" ? 0 : Number.MAX_SAFE_INTEGER;
}
