// Reads `organizations.columns`: the words of organizations' names, and what an answer says about each organization.

import { formatEin } from "../../contract/ein.ts";
import type { Sum } from "../../contract/text/amount.ts";
import { markAcronym } from "../../contract/text/nameWords.ts";
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

/** Numbers of each organization that lie side by side, because a comparison reads them all. */
const factCount = 4;

class OrganizationFacts {
  readonly #integers: Int32Array;
  readonly #floats: Float32Array;

  constructor(integers: Int32Array, floats: Float32Array) {
    this.#integers = integers;
    this.#floats = floats;
  }

  /** Where the words of the name start in `nameWord`; and where they end, and those of the other name start. */
  start(id: number): number {
    return this.#integers[id * factCount] as number;
  }

  nameEnd(id: number): number {
    return this.#integers[id * factCount + 1] as number;
  }

  place(id: number): number {
    return this.#integers[id * factCount + 2] as number;
  }

  /** What the words of the name count together. */
  weight(id: number): number {
    return this.#floats[id * factCount + 3] as number;
  }
}

/**
 * The index in memory. Organizations are numbered in order of their grants, most first. After them come aliases, names that they had or that
 * funders filed.
 */
export class NameIndex {
  /** Number of organizations, and with aliases. */
  readonly organizations: number;
  readonly count: number;
  readonly #aliasOf: Int32Array;
  /** Number of words. They are sorted. */
  readonly words: number;
  readonly #wordBytes: Buffer;
  readonly #wordStart: Int32Array;
  /** A word's organizations, in order, are `postings` from `postingStart[word]` up to `postingStart[word + 1]`. */
  readonly postingStart: Int32Array;
  readonly postings: Int32Array;
  /** An organization's words are `nameWord` from `facts.start(id)` up to `facts.start(id + 1)`: those of its name, then of its other name. */
  readonly nameWord: Int32Array;
  readonly facts: OrganizationFacts;
  /** Also among the facts: here for those who look at many organizations, and at nothing else of them. */
  readonly place: Int32Array;
  readonly placeStart: Int32Array;
  readonly placeWord: Int32Array;
  readonly placeState: Int32Array;
  readonly roles: Uint8Array;
  /** What a word counts: rare ones more. */
  readonly weight: Float32Array;
  /** By posting: how much of the name the word is, in 255ths, rounded up. */
  readonly share: Uint8Array;
  /** A word's places are `wordPlace` from `wordPlaceStart[word]` up to `wordPlaceStart[word + 1]`. */
  readonly wordPlaceStart: Int32Array;
  readonly wordPlace: Int32Array;
  readonly #columns: Columns;

  /** Reads the columns into memory: about 75 bytes per organization. */
  constructor(columns: Columns) {
    const integers = (name: string) => columns.integers(name);
    this.#columns = columns;
    this.#aliasOf = integers("alias.organization");
    this.#wordBytes = columns.bytes("word.bytes");
    this.#wordStart = integers("word.start");
    this.postingStart = integers("posting.start");
    this.postings = integers("posting");
    this.nameWord = integers("name.word");
    this.placeStart = integers("place.start");
    this.placeWord = integers("place.word");
    this.placeState = integers("place.state");
    const [place, roles] = [integers("place"), columns.bytes("roles")];
    this.organizations = roles.length;
    this.count = roles.length + this.#aliasOf.length;
    this.place = new Int32Array(this.count);
    this.roles = new Uint8Array(this.count);
    for (let id = 0; id < this.count; id++) {
      this.place[id] = place[this.organizationOf(id)] as number;
      this.roles[id] = roles[this.organizationOf(id)] as number;
    }
    this.words = this.#wordStart.length - 1;
    this.weight = Float32Array.from({ length: this.words }, (_, word) => this.#weigh(word));
    this.facts = this.#collectFacts(integers("name.start"), columns.bytes("name.count"));
    this.share = this.#findShares();
    [this.wordPlaceStart, this.wordPlace] = this.#groupPlaces();
  }

  /** The organization of an alias; itself if it is none. */
  organizationOf(id: number): number {
    return id < this.organizations ? id : (this.#aliasOf[id - this.organizations] as number);
  }

  #weigh(word: number): number {
    return Math.log(1 + this.count / (1 + this.countOf(word)));
  }

  #collectFacts(nameStart: Int32Array, nameCount: Uint8Array): OrganizationFacts {
    const { nameWord, place, weight, count } = this;
    const integers = new Int32Array((count + 1) * factCount);
    const floats = new Float32Array(integers.buffer);
    integers[count * factCount] = nameStart[count] as number;
    for (let id = 0; id < count; id++) {
      const start = nameStart[id] as number;
      const end = start + (nameCount[id] as number);
      let sum = 0;
      for (let at = start; at < end; at++) sum += weight[nameWord[at] as number] as number;
      integers.set([start, end, place[id] as number], id * factCount);
      floats[id * factCount + 3] = sum;
    }
    return new OrganizationFacts(integers, floats);
  }

  /** Beside the postings, because it is read with them: to look up names in any order takes ten times as long. */
  #findShares(): Uint8Array {
    const { postingStart, postings, weight, facts, words } = this;
    const shares = new Uint8Array(postings.length);
    for (let word = 0; word < words; word++) {
      const own = 255 * (weight[word] as number);
      const end = postingStart[word + 1] as number;
      for (let at = postingStart[word] as number; at < end; at++)
        shares[at] = Math.min(255, Math.ceil(own / facts.weight(postings[at] as number)));
    }
    return shares;
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

  /** The number of organizations with words of some ranges: those with several such words count more than once. */
  countNames(ranges: readonly { readonly from: number; readonly to: number }[]): number {
    const { postingStart } = this;
    return ranges.reduce(
      (sum, { from, to }) => sum + (postingStart[to] as number) - (postingStart[from] as number),
      0,
    );
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

  /** All words but acronyms by length, with the letters that they have: for the scan for similar words. */
  groupByLength(): WordsByLength {
    const starts = new Int32Array(maxLength + 2);
    const last = this.findFirst(markAcronym(""));
    const lengthOf = (word: number) =>
      Math.min(maxLength, (this.#wordStart[word + 1] as number) - (this.#wordStart[word] as number));
    for (let word = 0; word < last; word++) (starts[lengthOf(word) + 1] as number)++;
    for (let length = 1; length < starts.length; length++)
      (starts[length] as number) += starts[length - 1] as number;
    const ends = starts.slice();
    const [words, letters] = [new Int32Array(last), new Int32Array(last)];
    for (let word = 0; word < last; word++) {
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
