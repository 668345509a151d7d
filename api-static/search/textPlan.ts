// Owns the plan of the finding of texts that contain a pattern: by the words it is made of, or by a look at every text.
import type { FoundWords, Place, Words } from "./words.ts";

/**
 * How the texts with a pattern are found. `words`: those that hold one of the first words, followed by one of the next ones
 * where some are given, and then, unless that is exact, contain the pattern.
 */
export type TextPlan =
  | { readonly way: "none" }
  | { readonly way: "scan" }
  | {
      readonly way: "words";
      readonly words: readonly number[];
      readonly next: readonly number[] | undefined;
      readonly isExact: boolean;
      /** How often the first words occur in texts. */
      readonly postings: number;
    };

/** Share of a dictionary's texts up to which postings are read faster than the texts themselves. */
const postingsShare = 0.5;

/**
 * The way to the texts that contain a pattern. A pattern without a space stands in a text exactly when it stands in one of
 * its words. Of one with spaces, the first piece ends a word, the last begins one, those between are whole words.
 * @param texts of the dictionary
 */
export function planTexts(words: Words, texts: number, pattern: string): TextPlan {
  const most = Math.max(1_000, texts * postingsShare);
  const pieces = pattern.split(" ");
  if (pieces.length === 1) {
    const found = words.find(pattern, "anywhere", most);
    if (found === undefined) return { way: "scan" };
    return wordsPlan(found, undefined, true);
  }
  const found = pieces.map((piece, index) => words.find(piece, placeOf(index, pieces.length), most));
  if (found.some((one) => one?.ids.length === 0)) return { way: "none" };
  let best: { first: FoundWords; next: FoundWords | undefined } | undefined;
  for (const [index, first] of found.entries()) {
    const isLast = index === found.length - 1;
    if (first === undefined || isLast) continue;
    if (best === undefined || first.postings < best.first.postings) best = { first, next: found[index + 1] };
  }
  if (best === undefined) return { way: "scan" };
  return wordsPlan(best.first, best.next?.ids, pieces.length === 2 && best.next !== undefined);
}

function placeOf(index: number, pieces: number): Place {
  if (index === 0) return "at the end";
  return index === pieces - 1 ? "at the begin" : "as a whole";
}

function wordsPlan(
  { ids, postings }: FoundWords,
  next: readonly number[] | undefined,
  isExact: boolean,
): TextPlan {
  return ids.length === 0 ? { way: "none" } : { way: "words", words: ids, next, isExact, postings };
}

/** How much is read on the way to the texts, to compare: occurrences of words, and for a look at every text more than any. */
export function costOf(plan: TextPlan): number {
  if (plan.way === "words") return plan.postings;
  return plan.way === "none" ? 0 : Number.MAX_SAFE_INTEGER;
}
