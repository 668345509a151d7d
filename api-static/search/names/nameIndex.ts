// Reads `organizations.columns`: the words of organizations' names, and what an answer says about each organization.
import { formatEin } from "../../contract/ein.ts";
import type { Sum } from "../../contract/sizes.ts";
import { type Columns, lettersOf } from "../../release/columns.ts";

/** Bits of the column `roles`. */
export const roleBits = { funder: 1, recipient: 2 } as const;

/** The value of `place.state` for a state of two upper-case letters, e.g., 0 for "AA"; -1 for any other text. */
export function codeState(state: string): number {
  if (!/^[A-Z]{2}$/.test(state)) return -1;
  return (state.charCodeAt(0) - 65) * 26 + state.charCodeAt(1) - 65;
}

/** 32-bit words of an amount: sums of all grants may exceed 64 bits. */
export const amountWords = 3;

/** The index in memory. Organizations are numbered in order of their grants, most first. */
export class NameIndex {
  /** Number of organizations. */
  readonly count: number;
  /** Number of words. They are sorted. */
  readonly words: number;
  readonly #wordBytes: Buffer;
  readonly #wordStart: Int32Array;
  /** The organizations of a word are `postings` from `postingStart[word]` to that of the next word, in order. */
  readonly postingStart: Int32Array;
  readonly postings: Int32Array;
  /** The words of an organization: first `nameCount` of its name, then those of its other name. */
  readonly nameStart: Int32Array;
  readonly nameWord: Int32Array;
  readonly nameCount: Uint8Array;
  readonly place: Int32Array;
  readonly placeStart: Int32Array;
  readonly placeWord: Int32Array;
  readonly placeState: Int32Array;
  readonly roles: Uint8Array;
  /** What a word counts: rare ones more. */
  readonly weight: Float32Array;
  /** What the words of a name count together. */
  readonly nameWeight: Float32Array;
  /** The places of a word are `wordPlace` from `wordPlaceStart[word]` to that of the next word. */
  readonly wordPlaceStart: Int32Array;
  readonly wordPlace: Int32Array;
  readonly #columns: Columns;

  /** Reads the columns into memory: about 50 bytes per organization. */
  constructor(columns: Columns) {
    const integers = (name: string) => columns.integers(name);
    this.#columns = columns;
    this.#wordBytes = columns.bytes("word.bytes");
    this.#wordStart = integers("word.start");
    this.postingStart = integers("posting.start");
    this.postings = integers("posting");
    this.nameStart = integers("name.start");
    this.nameWord = integers("name.word");
    this.nameCount = columns.bytes("name.count");
    this.place = integers("place");
    this.placeStart = integers("place.start");
    this.placeWord = integers("place.word");
    this.placeState = integers("place.state");
    this.roles = columns.bytes("roles");
    this.count = this.roles.length;
    this.words = this.#wordStart.length - 1;
    this.weight = Float32Array.from({ length: this.words }, (_, word) => this.#weigh(word));
    this.nameWeight = this.#weighNames();
    [this.wordPlaceStart, this.wordPlace] = this.#groupPlaces();
  }

  #weigh(word: number): number {
    return Math.log(1 + this.count / (1 + this.countOf(word)));
  }

  #weighNames(): Float32Array {
    const { nameStart, nameWord, nameCount, weight, count } = this;
    const sums = new Float32Array(count);
    for (let id = 0; id < count; id++) {
      const start = nameStart[id] as number;
      const end = start + (nameCount[id] as number);
      let sum = 0;
      for (let at = start; at < end; at++) sum += weight[nameWord[at] as number] as number;
      sums[id] = sum;
    }
    return sums;
  }

  /** The places of each word. */
  #groupPlaces(): [starts: Int32Array, places: Int32Array] {
    const { placeStart, placeWord } = this;
    const starts = new Int32Array(this.words + 1);
    for (const word of placeWord) (starts[word + 1] as number)++;
    for (let word = 0; word < this.words; word++) (starts[word + 1] as number) += starts[word] as number;
    const ends = starts.slice();
    const places = new Int32Array(placeWord.length);
    for (let place = 0; place + 1 < placeStart.length; place++)
      for (let at = placeStart[place] as number; at < (placeStart[place + 1] as number); at++)
        places[(ends[placeWord[at] as number] as number)++] = place;
    return [starts, places];
  }

  /** The number of organizations with a word. */
  countOf(word: number): number {
    return (this.postingStart[word + 1] as number) - (this.postingStart[word] as number);
  }

  wordAt(word: number): string {
    return this.#wordBytes.toString("latin1", this.#wordStart[word], this.#wordStart[word + 1]);
  }

  /** The first word that is not before a text. */
  findFirst(text: string): number {
    let [low, high] = [0, this.words];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.wordAt(middle) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A word's number; -1 if no name and no place has it. */
  find(word: string): number {
    const found = this.findFirst(word);
    return found < this.words && this.wordAt(found) === word ? found : -1;
  }

  /** The words that start with a text: from the first to before the second. */
  findPrefixed(text: string): [number, number] {
    return [this.findFirst(text), this.findFirst(`${text}\x7f`)];
  }

  /** All words by length, with the letters that they have: for the scan for similar words. */
  groupByLength(): WordsByLength {
    const starts = new Int32Array(maxLength + 2);
    const lengthOf = (word: number) =>
      Math.min(maxLength, (this.#wordStart[word + 1] as number) - (this.#wordStart[word] as number));
    for (let word = 0; word < this.words; word++) (starts[lengthOf(word) + 1] as number)++;
    for (let length = 1; length < starts.length; length++)
      (starts[length] as number) += starts[length - 1] as number;
    const ends = starts.slice();
    const [words, letters] = [new Int32Array(this.words), new Int32Array(this.words)];
    for (let word = 0; word < this.words; word++) {
      const at = (ends[lengthOf(word)] as number)++;
      words[at] = word;
      letters[at] = lettersOf(this.wordAt(word));
    }
    return { starts, words, letters, bytes: this.#wordBytes, byteStart: this.#wordStart };
  }

  /** The number of the organization of an EIN; -1 if there is none. */
  findEin(ein: number): number {
    const sorted = this.#columns.column("ein.sorted");
    const row = sorted.findFirst(ein, 0, sorted.length);
    return row < sorted.length && sorted.at(row) === ein
      ? this.#columns.column("ein.organization").at(row)
      : -1;
  }

  /** What the index says about an organization. */
  read(id: number) {
    const value = (name: string) => this.#columns.column(name).at(id);
    const [start, end] = this.#columns.column("also.start").slice(id, id + 2);
    const also = Buffer.from(this.#columns.column("also.bytes").slice(start as number, end as number));
    return {
      ein: formatEin(value("ein")),
      given: { records: value("given.records"), amount: this.#amount("given.amount", id) } satisfies Sum,
      received: { records: value("received.records"), amount: this.#amount("received.amount", id) },
      ...(also.length > 0 && { also: also.toString() }),
    };
  }

  #amount(name: string, id: number): bigint {
    const words = this.#columns.column(name).slice(amountWords * id, amountWords * (id + 1));
    return words.reduceRight((sum, word, index) => {
      const part = index === amountWords - 1 ? BigInt(word) : BigInt(word >>> 0);
      return (sum << 32n) | part;
    }, 0n);
  }
}

/** Longer words are grouped with those of this length. */
export const maxLength = 32;

/** The words of each length `length` are `words` from `starts[length]` to `starts[length + 1]`, with their letters. */
export type WordsByLength = {
  readonly starts: Int32Array;
  readonly words: Int32Array;
  readonly letters: Int32Array;
  readonly bytes: Uint8Array;
  /** Where each word starts in `bytes`. */
  readonly byteStart: Int32Array;
};
