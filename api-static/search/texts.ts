// Finds the distinct texts of a dictionary that contain a pattern: by the words in the pattern, or by a bit of each text.
import {
  type Column,
  type Columns,
  lettersWithBits,
  type TextFilter,
  textColumns,
} from "../release/columns.ts";
import { type Bits, countBits, countRuns, keepCommon, newBits, visitRuns } from "./bits.ts";
import { type FoundWords, type Place, Words } from "./words.ts";

/** The texts that contain a pattern. */
export type FoundTexts = {
  readonly bits: Bits;
  /** The records that have one of them. */
  readonly records: number;
  /** The runs of texts with neighboring ids. */
  readonly runs: number;
  /** How they were found, for people. */
  readonly way: "letters" | "words" | "words and spelling" | "rows" | "none";
};

/** Texts with equally many records: they are neighbors, because ids are by frequency. It ends where the next one starts. */
type Group = { readonly first: number; readonly records: number };

/** Called now and then while a search runs; throws to end it. */
export type Checkpoint = () => void;

/** How much longer it takes to read a posting with the word that follows than without, and to check the spelling of a text. */
const followedCost = 3;
const spellingCost = 100;

export class Texts {
  /** Where the rows of each text start in the orders by text. */
  readonly starts: Column;
  readonly words: Words;
  readonly #postingStarts: Column;
  readonly #texts: Column;
  readonly #next: Column;
  readonly #spellingStarts: Column;
  readonly #spelling: Column;
  readonly #letters: Column;
  #groups: readonly Group[] | undefined;

  constructor(columns: Columns, filter: TextFilter) {
    const dictionary = textColumns[filter];
    const column = (name: string) => columns.column(`${dictionary}.${name}`);
    this.words = new Words(columns, dictionary);
    this.starts = column("start");
    this.#postingStarts = column("word.start");
    this.#texts = column("word.text");
    this.#next = column("word.next");
    this.#spellingStarts = column("text.start");
    this.#spelling = column("text.word");
    this.#letters = column("text.letters");
  }

  /** Finds the texts that contain a canonical pattern. The work is bounded by the size of the dictionary. */
  find(pattern: string, checkpoint: Checkpoint): FoundTexts {
    const bits = newBits(this.starts.length);
    const way = this.#mark(pattern, bits, checkpoint);
    if (way === "none") return { bits, records: 0, runs: 0, way };
    return { bits, records: this.#countRecords(bits), runs: countRuns(bits), way };
  }

  /** Finds the texts of some rows that contain a pattern, by reading each. */
  findAmong(pattern: string, ids: Iterable<number>): FoundTexts {
    const bits = newBits(this.starts.length);
    let records = 0;
    for (const id of ids) {
      if (id >= this.starts.length - 1 || !this.spell(id).includes(pattern)) continue;
      bits[id >>> 5] = (bits[id >>> 5] as number) | (1 << id);
      records += 1;
    }
    return { bits, records, runs: records, way: "rows" };
  }

  /** The text with this id, of its words. */
  spell(id: number): string {
    const words: string[] = [];
    const stop = this.#spellingStarts.at(id + 1);
    for (let row = this.#spellingStarts.at(id); row < stop; row++)
      words.push(this.words.read(this.#spelling.at(row)));
    return words.join(" ");
  }

  /** The records that have one of these texts. */
  #countRecords(bits: Bits): number {
    this.#groups ??= findGroups(this.starts);
    const groups = this.#groups;
    return groups.reduce((sum, { first, records }, index) => {
      const end = groups[index + 1]?.first ?? this.starts.length - 1;
      return sum + records * countBits(bits, first, end);
    }, 0);
  }

  /**
   * Marks the texts. A text contains a pattern without a space exactly if one of its words does. In a pattern with spaces, the
   * first piece ends a word, the last one starts a word, and the others are whole words between them. The texts of one piece after
   * the other are marked, as long as that is quicker than to check the spelling of those that are left, and halves their number.
   */
  #mark(pattern: string, bits: Bits, checkpoint: Checkpoint): FoundTexts["way"] {
    const letter = pattern.length === 1 ? lettersWithBits.indexOf(pattern) : -1;
    if (letter >= 0) {
      this.#markLetter(letter, bits, checkpoint);
      return "letters";
    }
    const pieces = pattern.split(" ");
    const found: FoundWords[] = [];
    for (const [index, piece] of pieces.entries()) {
      const words = this.words.find(piece, placeOf(index, pieces.length));
      if (words.postings === 0) return "none";
      found.push(words);
    }
    let left = Number.POSITIVE_INFINITY; // texts whose spelling is to be checked
    for (const { words, next, cost, isExact } of planSteps(found)) {
      if (left * spellingCost <= cost) break;
      const marked = left === Number.POSITIVE_INFINITY ? bits : newBits(this.starts.length);
      this.#markWords(words, next, marked, checkpoint);
      if (marked !== bits) keepCommon(bits, marked);
      if (isExact) return "words";
      const before = left;
      left = countBits(bits, 0, this.starts.length);
      if (left > before / 2) break; // else a pattern of many words could take long
    }
    this.#checkSpelling(found, bits, checkpoint);
    return "words and spelling";
  }

  #markLetter(letter: number, bits: Bits, checkpoint: Checkpoint): void {
    const letters = this.#letters;
    for (let text = 0; text < letters.length; ) {
      checkpoint();
      const to = letters.seek(text);
      const { block, from } = letters;
      while (text < to) {
        const index = text >>> 5;
        const end = Math.min(to, (index + 1) * 32);
        let word = bits[index] as number;
        for (; text < end; text++) word |= (((block[text - from] as number) >>> letter) & 1) << text;
        bits[index] = word;
      }
    }
  }

  /** Marks the texts that have one of these words, followed by one of `next` if given. */
  #markWords({ ids }: FoundWords, next: FoundWords | undefined, bits: Bits, checkpoint: Checkpoint): void {
    const starts = this.#postingStarts;
    for (let index = 0; index < ids.length; ) {
      const row = starts.at(ids[index] as number);
      const first = index;
      for (index += 1; ids[index] === (ids[first] as number) + index - first; ) index += 1; // neighbors in one go
      const to = starts.at((ids[index - 1] as number) + 1);
      if (next === undefined) this.#markRows(row, to, bits, checkpoint);
      else this.#markFollowed(row, to, next.bits, bits, checkpoint);
    }
  }

  #markRows(from: number, to: number, bits: Bits, checkpoint: Checkpoint): void {
    const texts = this.#texts;
    for (let row = from; row < to; ) {
      checkpoint();
      const end = Math.min(to, texts.seek(row));
      const { block, from: first } = texts;
      for (; row < end; row++) {
        const text = block[row - first] as number;
        bits[text >>> 5] = (bits[text >>> 5] as number) | (1 << text);
      }
    }
  }

  #markFollowed(from: number, to: number, next: Bits, bits: Bits, checkpoint: Checkpoint): void {
    const [texts, words] = [this.#texts, this.#next];
    for (let row = from; row < to; ) {
      checkpoint();
      const end = Math.min(to, texts.seek(row), words.seek(row));
      const [block, first, followers, firstFollower] = [texts.block, texts.from, words.block, words.from];
      for (; row < end; row++) {
        const text = block[row - first] as number;
        const follower = followers[row - firstFollower] as number;
        const bit = ((next[follower >>> 5] as number) >>> follower) & 1;
        bits[text >>> 5] = (bits[text >>> 5] as number) | (bit << text);
      }
    }
  }

  /** Removes the texts in which these words do not follow each other. */
  #checkSpelling(found: readonly FoundWords[], bits: Bits, checkpoint: Checkpoint): void {
    const [starts, spelling] = [this.#spellingStarts, this.#spelling];
    visitRuns(bits.slice(), (from, to) => {
      checkpoint();
      for (let text = from; text < to; text++) {
        const [start, stop] = [starts.at(text), starts.at(text + 1)];
        spelling.seek(start, stop);
        let at = start - spelling.from;
        const last = stop - spelling.from - found.length;
        while (at <= last && !isSpelled(found, spelling.block, at)) at += 1;
        if (at > last) bits[text >>> 5] = (bits[text >>> 5] as number) & ~(1 << text);
      }
    });
  }
}

/**
 * The sets of texts in which the texts that contain a pattern lie, the quickest first: for each piece of the pattern but the last,
 * those in which the next one follows; for the last piece, those that have it, nearly all of which are left to check.
 */
function planSteps(found: readonly FoundWords[]) {
  const steps = found.map((words, index) => {
    const next = found[index + 1];
    const cost = words.postings * (next === undefined ? spellingCost : followedCost);
    return { words, next, cost, isExact: index === 0 && found.length <= 2 };
  });
  return steps.sort((one, other) => one.cost - other.cost);
}

/** @param starts of the rows of each text, then their end */
function findGroups(starts: Column): Group[] {
  const texts = starts.length - 1;
  const recordsOf = (text: number) => starts.at(text + 1) - starts.at(text);
  const groups: Group[] = [];
  for (let first = 0; first < texts; ) {
    const records = recordsOf(first);
    groups.push({ first, records });
    let [low, step] = [first + 1, 1]; // low: texts before it are in the group
    while (low + step <= texts && recordsOf(low + step - 1) === records) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, texts);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (recordsOf(middle) === records) low = middle + 1;
      else high = middle;
    }
    first = low;
  }
  return groups;
}

/** True if the words at `at` and after it are one of each of the found sets. */
function isSpelled(found: readonly FoundWords[], words: Int32Array, at: number): boolean {
  for (let index = 0; index < found.length; index++) {
    const word = words[at + index] as number;
    const { bits } = found[index] as FoundWords;
    if ((((bits[word >>> 5] as number) >>> word) & 1) === 0) return false;
  }
  return true;
}

function placeOf(index: number, pieces: number): Place {
  if (pieces === 1) return "anywhere";
  if (index === 0) return "at the end";
  return index === pieces - 1 ? "at the start" : "whole word";
}
