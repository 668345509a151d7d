// Finds the words of a dictionary that contain a piece of a pattern, by a sorted list of all ends of words.
import type { Column, Columns } from "../release/columns.ts";
import { type Bits, newBits } from "./bits.ts";

/** A set of words, and how often they occur in texts, in total. */
export type FoundWords = { readonly bits: Bits; readonly postings: number };

/**
 * The distinct words of a dictionary. All ends of words, down to the last letter, are sorted, so the ends that start with a piece
 * are neighbors, and a binary search finds them.
 */
export class Words {
  readonly #bytes: Buffer;
  readonly #offsets: Column;
  readonly #words: Column;
  readonly #starts: Column;

  constructor(columns: Columns, dictionary: string) {
    const bytes = columns.bytes(`${dictionary}.word.bytes`);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offsets = columns.column(`${dictionary}.end.offset`);
    this.#words = columns.column(`${dictionary}.end.word`);
    this.#starts = columns.column(`${dictionary}.word.start`);
  }

  /** Finds the words that contain a piece. A space before the piece stands for the start of a word, one after it for the end. */
  find(piece: string): FoundWords {
    const needle = Buffer.from(piece);
    const to = this.#findEnd(needle, 1);
    const bits = newBits(this.#starts.length - 1);
    let postings = 0;
    for (let end = this.#findEnd(needle, 0); end < to; end++) {
      const word = this.#words.at(end);
      const bit = 1 << word;
      const others = bits[word >>> 5] as number;
      if ((others & bit) !== 0) continue; // the word contains the piece twice
      bits[word >>> 5] = others | bit;
      postings += this.#starts.at(word + 1) - this.#starts.at(word);
    }
    return { bits, postings };
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
