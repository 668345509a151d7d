// Finds the words of the index that differ from a typed one by few letters.
import { lettersOf } from "../../release/columns.ts";
import { maxLength, type NameIndex, type WordsByLength } from "./nameIndex.ts";

/** A word of the index, and how many letters are inserted, left out, replaced or exchanged with a neighbor. */
export type SimilarWord = { readonly word: number; readonly edits: number };

/** Shortest words in which one typo is found, and two. */
const oneEdit = 4;
const twoEdits = 8;

export class SimilarWords {
  readonly #words: WordsByLength;
  /** By character code: a bit for each place in the typed word. */
  readonly #places = new Int32Array(128);

  constructor(index: NameIndex) {
    this.#words = index.groupByLength();
  }

  /**
   * The words similar to a typed one, itself excluded; none if it is too short or too long.
   * @param isPrefix true if only the start of a word must be similar
   */
  find(typed: string, isPrefix: boolean): SimilarWord[] {
    const length = typed.length;
    if (length < oneEdit || length >= maxLength) return [];
    const edits = length < twoEdits ? 1 : 2;
    const { starts, words, letters } = this.#words;
    const wanted = lettersOf(typed);
    const found: SimilarWord[] = [];
    const from = starts[length - edits] as number;
    const to = starts[isPrefix ? maxLength + 1 : Math.min(length + edits, maxLength) + 1] as number;
    for (let at = 0; at < length; at++) (this.#places[typed.charCodeAt(at)] as number) |= 1 << at;
    for (let at = from; at < to; at++) {
      const has = letters[at] as number;
      if (hasMore(wanted & ~has, edits) || (!isPrefix && hasMore(has & ~wanted, edits))) continue;
      const distance = this.#distance(words[at] as number, length, edits, isPrefix);
      if (distance <= edits && (distance > 0 || isPrefix))
        found.push({ word: words[at] as number, edits: distance });
    }
    for (let at = 0; at < length; at++) this.#places[typed.charCodeAt(at)] = 0;
    return found;
  }

  /**
   * The optimal string alignment distance to a word, or to the start of it that is nearest, by a column of bits for each
   * letter (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003).
   */
  #distance(word: number, length: number, edits: number, isPrefix: boolean): number {
    const { bytes, byteStart } = this.#words;
    const start = byteStart[word] as number;
    const end = isPrefix
      ? Math.min(byteStart[word + 1] as number, start + length + edits)
      : (byteStart[word + 1] as number);
    const last = 1 << (length - 1);
    let [above, below, same, before] = [-1, 0, 0, 0];
    let [distance, nearest] = [length, length];
    for (let at = start; at < end; at++) {
      const places = this.#places[bytes[at] as number] as number;
      const exchanged = ((~same & places) << 1) & before;
      same = (((places & above) + above) ^ above) | places | below | exchanged;
      const up = below | ~(same | above);
      const down = same & above;
      if (up & last) distance++;
      if (down & last) distance--;
      const shifted = (up << 1) | 1;
      above = (down << 1) | ~(same | shifted);
      below = shifted & same;
      before = places;
      if (distance < nearest) nearest = distance;
    }
    return isPrefix ? nearest : distance;
  }
}

/** True if more than one or two bits are set. */
function hasMore(bits: number, edits: number): boolean {
  const others = bits & (bits - 1);
  return (edits === 1 ? others : others & (others - 1)) !== 0;
}
