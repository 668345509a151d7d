// Finds the words of a dictionary that contain a piece of a pattern. All words are kept in memory.
import { setImmediate } from "node:timers/promises";
import type { Dictionary } from "../release/layout.ts";
import type { Session } from "./sessions.ts";

/** Where in a word the piece must stand. */
export type Place = "anywhere" | "at the end" | "whole word" | "at the start";

/** Ids of words, and how often these words occur in texts, in total. */
export type FoundWords = { readonly ids: readonly number[]; readonly postings: number };

/** Bytes scanned in one go, about 2 ms of work at most: then the event loop gets a turn, so that other requests go on. */
export const sliceBytes = 2 ** 17;

const space = 0x20;

/** A space before or after the piece, wherever its word must start or end. */
const delimiters: Readonly<Record<Place, readonly [before: string, after: string]>> = {
  anywhere: ["", ""],
  "at the end": ["", " "],
  "whole word": [" ", " "],
  "at the start": [" ", ""],
};

/**
 * The distinct words of a dictionary, a few megabytes. Scanning one buffer takes a fifth of the time that DuckDB takes to
 * scan the table.
 */
export class Words {
  /** All words in order of id, with a space before each and after the last. No word contains a space. */
  readonly #text: Buffer;
  /** The offset of the space before each word, then of the last space. */
  readonly #starts: Uint32Array;
  readonly #postings: Uint32Array;

  private constructor(text: Buffer, postings: readonly number[]) {
    this.#text = text;
    this.#postings = Uint32Array.from(postings);
    this.#starts = new Uint32Array(postings.length + 1);
    let at = -1;
    for (let word = 0; word <= postings.length; word++) {
      at = this.#text.indexOf(space, at + 1);
      this.#starts[word] = at;
    }
  }

  static async read(session: Session, { words }: Dictionary): Promise<Words> {
    const [text] = await session.readColumn(`SELECT string_agg(word, ' ' ORDER BY id) FROM ${words}`, {});
    const bytes = Buffer.from(text === null || text === undefined ? " " : ` ${text} `);
    const postings = (await session.readColumn(`SELECT postings FROM ${words} ORDER BY id`, {})).map(Number);
    await setImmediate(); // a request for a pinned release may open it, while others wait
    return new Words(bytes, postings);
  }

  /**
   * Finds the words that contain a piece (without spaces) at a place. Yields to the event loop after every `sliceBytes`.
   * @param maxPostings undefined is returned when the words have more
   * @param signal stops the scan, which then throws its reason
   */
  async find(
    piece: string,
    place: Place,
    maxPostings: number,
    signal?: AbortSignal,
  ): Promise<FoundWords | undefined> {
    const [before, after] = delimiters[place];
    const needle = Buffer.from(`${before}${piece}${after}`);
    const ids: number[] = [];
    let postings = 0;
    let next = 0; // where the next match may start
    for (let start = 0; start < this.#text.length; start += sliceBytes) {
      if (start > 0) await setImmediate();
      signal?.throwIfAborted();
      const slice = this.#text.subarray(0, start + sliceBytes + needle.length - 1); // matches that start in the slice
      next = Math.max(next, start);
      for (let at = slice.indexOf(needle, next); at >= 0; at = slice.indexOf(needle, next)) {
        const word = this.#wordAt(at + before.length);
        ids.push(word);
        postings += this.#postings[word] ?? 0;
        if (postings > maxPostings) return undefined;
        next = this.#starts[word + 1] ?? this.#text.length;
      }
    }
    return { ids, postings };
  }

  /** The word that contains a byte of the text, or starts there: the last one whose space comes before it. */
  #wordAt(at: number): number {
    let low = 0;
    let high = this.#postings.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) < at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
