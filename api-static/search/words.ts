// Finds the words of a dictionary that contain a piece of a pattern, by a sorted list of all ends of words.
import type { Column, Columns } from "../release/columns.ts";
import { type Bits, newBits } from "./bits.ts";

/** Where in a word the piece must stand. */
export type Place = "anywhere" | "at the end" | "whole word" | "at the start";

/** A space before or after the piece, wherever its word must start or end. */
const delimiters: Readonly<Record<Place, readonly [before: string, after: string]>> = {
  anywhere: ["", ""],
  "at the end": ["", " "],
  "whole word": [" ", " "],
  "at the start": [" ", ""],
};

/** Words: their ids in ascending order and as a set, and how often they occur in texts, in total. */
export type FoundWords = { readonly ids: Int32Array; readonly bits: Bits; readonly postings: number };

/**
 * The distinct words of a dictionary. The ends of all words, down to the last letter, are sorted, so those that start with a
 * piece are neighbors, and a binary search finds them.
 */
export class Words {
  readonly #bytes: Buffer;
  readonly #wordOffsets: Column;
  readonly #offsets: Column;
  readonly #words: Column;
  readonly #starts: Column;

  constructor(columns: Columns, dictionary: string) {
    const bytes = columns.bytes(`${dictionary}.word.bytes`);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#wordOffsets = columns.column(`${dictionary}.word.offset`);
    this.#offsets = columns.column(`${dictionary}.end.offset`);
    this.#words = columns.column(`${dictionary}.end.word`);
    this.#starts = columns.column(`${dictionary}.word.start`);
  }

  /** The number of words; also the id that stands for no word. */
  get count(): number {
    return this.#starts.length - 1;
  }

  /** The text of a word. */
  read(word: number): string {
    return this.#bytes.toString("utf8", this.#wordOffsets.at(word) + 1, this.#wordOffsets.at(word + 1));
  }

  /** Finds the words that contain a piece (without spaces) at a place. */
  find(piece: string, place: Place): FoundWords {
    const [before, after] = delimiters[place];
    const needle = Buffer.from(`${before}${piece}${after}`);
    const from = this.#findEnd(needle, 0);
    const to = this.#findEnd(needle, 1);
    const bits = newBits(this.count);
    const ids = new Int32Array(to - from);
    let [found, postings] = [0, 0];
    for (let end = from; end < to; end++) {
      const word = this.#words.at(end);
      const bit = 1 << word;
      const others = bits[word >>> 5] as number;
      if ((others & bit) !== 0) continue; // the word contains the piece twice
      bits[word >>> 5] = others | bit;
      ids[found++] = word;
      postings += this.#starts.at(word + 1) - this.#starts.at(word);
    }
    return { ids: ids.subarray(0, found).sort(), bits, postings };
  }

  /** The first end of a word that starts with the needle or comes after it; with `past` 1, the first that comes after those. */
  #findEnd(needle: Buffer, past: 0 | 1): number {
    let [low, high] = [0, this.#offsets.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#offsets.at(middle);
      const stop = Math.min(at + needle.length, this.#bytes.length);
      if (this.#bytes.compare(needle, 0, needle.length, at, stop) < past) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
