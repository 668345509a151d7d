// Owns the words of a dictionary in memory, and the finding of those that a piece of a pattern occurs in.
import type { Dictionary } from "../release/layout.ts";
import type { Session } from "./sessions.ts";

/** Where in a word the piece must stand. */
export type Place = "anywhere" | "at the end" | "as a whole" | "at the begin";

/** Ids of words, and how often these occur in texts, together. */
export type FoundWords = { readonly ids: readonly number[]; readonly postings: number };

const space = 0x20;

/** What stands around the piece in the text of all words: a space wherever its word must begin or end. */
const around: Readonly<Record<Place, readonly [before: string, behind: string]>> = {
  anywhere: ["", ""],
  "at the end": ["", " "],
  "as a whole": [" ", " "],
  "at the begin": [" ", ""],
};

/**
 * The distinct words of a dictionary, a few megabytes: looking for a piece in one buffer takes a millisecond, a scan of
 * the table five.
 */
export class Words {
  /** All words in order of id, a space before each and behind the last: no word holds one. */
  readonly #text: Buffer;
  /** For each word, the place of the space before it; and of the last space. */
  readonly #starts: Uint32Array;
  readonly #postings: Uint32Array;

  private constructor(words: string, postings: readonly number[]) {
    this.#text = Buffer.from(postings.length === 0 ? " " : ` ${words} `);
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
    const postings = await session.readColumn(`SELECT postings FROM ${words} ORDER BY id`, {});
    return new Words(String(text ?? ""), postings.map(Number));
  }

  /**
   * The words in which a piece (without spaces) stands at a place.
   * @param most postings; undefined when the words have more
   */
  find(piece: string, place: Place, most: number): FoundWords | undefined {
    const [before, behind] = around[place];
    const needle = Buffer.from(`${before}${piece}${behind}`);
    const ids: number[] = [];
    let postings = 0;
    for (let at = this.#text.indexOf(needle); at >= 0; ) {
      const word = this.#wordAt(at + before.length);
      ids.push(word);
      postings += this.#postings[word] ?? 0;
      if (postings > most) return undefined;
      at = this.#text.indexOf(needle, this.#starts[word + 1] ?? this.#text.length);
    }
    return { ids, postings };
  }

  /** The word that holds a byte of the text, or begins there: the last one whose space stands before it. */
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
