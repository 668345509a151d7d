// Finds the distinct texts of a dictionary that contain a pattern: by the words in the pattern, or by a bit of each text.
import { splitWords } from "../contract/text/text.ts";
import {
  type Column,
  type Columns,
  lettersWithBits,
  type TextFilter,
  textColumns,
} from "../release/columns.ts";
import { type Bits, countBits, hasBit, keepCommon, newBits, visitRuns } from "./bits.ts";

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

/** The texts that contain a pattern, or all of several. */
export type FoundTexts = {
  /** Threads can share this set. It is valid until another pattern is looked for. */
  readonly bits: Bits;
  /** How many they are. */
  readonly texts: number;
  /** The records that have one of them. */
  readonly records: number;
  /** How they were found, for people. */
  readonly way: "letters" | "words" | "words and spelling" | "none";
};

/** Texts with equally many records: they are neighbors, because ids are by frequency. */
type Group = { readonly first: number; readonly end: number; readonly records: number };

/** Called now and then while a search runs; throws to end it. */
export type Checkpoint = () => void;

/** Cost of reading a posting with its next word, and of checking the spelling of a text; a posting alone costs 1. */
const followedCost = 3;
const spellingCost = 100;

export class Texts {
  /** Where the rows of each text start in the orders by text. */
  readonly starts: Column;
  readonly #words: Words;
  readonly #postingStarts: Column;
  readonly #texts: Column;
  readonly #next: Column;
  readonly #spellingStarts: Column;
  readonly #spelling: Column;
  readonly #letters: Column;
  readonly #bits: Bits;
  #groups: readonly Group[] | undefined;
  /** What was found last: totals look for the same pattern several times, and an export for each of its lists. */
  #last: { readonly pattern: string; readonly isByWords: boolean; readonly found: FoundTexts } | undefined;

  constructor(columns: Columns, filter: TextFilter) {
    const dictionary = textColumns[filter];
    const column = (name: string) => columns.column(`${dictionary}.${name}`);
    this.#words = new Words(columns, dictionary);
    this.starts = column("start");
    this.#postingStarts = column("word.start");
    this.#texts = column("word.text");
    this.#next = column("word.next");
    this.#spellingStarts = column("text.start");
    this.#spelling = column("text.word");
    this.#letters = column("text.letters");
    this.#bits = new Int32Array(new SharedArrayBuffer(newBits(this.starts.length).byteLength));
  }

  /**
   * Finds the texts that contain a canonical pattern. The work is bounded by the size of the dictionary, or that for each word.
   * @param isByWords whether they contain each word of it, in any order
   */
  find(pattern: string, checkpoint: Checkpoint, isByWords = false): FoundTexts {
    const last = this.#last;
    if (last?.pattern === pattern && last.isByWords === isByWords) return last.found;
    this.#last = undefined; // its set changes now
    const found = this.#find(pattern, checkpoint, isByWords);
    this.#last = { pattern, isByWords, found };
    return found;
  }

  #find(pattern: string, checkpoint: Checkpoint, isByWords: boolean): FoundTexts {
    const bits = this.#bits.fill(0);
    let way: FoundTexts["way"] = "none";
    for (const [index, text] of (isByWords ? splitWords(pattern) : [pattern]).entries()) {
      const marked = index === 0 ? bits : newBits(this.starts.length);
      way = this.#mark(text, marked, checkpoint);
      if (way === "none") return { bits, texts: 0, records: 0, way };
      if (marked !== bits) keepCommon(bits, marked);
    }
    this.#groups ??= findGroups(this.starts);
    let [texts, records] = [0, 0];
    for (const group of this.#groups) {
      const count = countBits(bits, group.first, group.end);
      texts += count;
      records += count * group.records;
    }
    return { bits, texts, records, way };
  }

  /**
   * Marks the texts. A text contains a pattern without a space exactly if one of its words does. In a pattern with spaces, the
   * first piece ends a word, the last one starts a word, and the others are whole words between them. The texts of one piece after
   * the other are marked, until checking the spelling of the remaining texts is cheaper, or a piece does not halve them.
   */
  #mark(pattern: string, bits: Bits, checkpoint: Checkpoint): FoundTexts["way"] {
    const letter = pattern.length === 1 ? lettersWithBits.indexOf(pattern) : -1;
    if (letter >= 0) {
      this.#markLetter(letter, bits, checkpoint);
      return "letters";
    }
    const pieces = pattern.split(" ").map((piece, index, { length }) => {
      return `${index > 0 ? " " : ""}${piece}${index < length - 1 ? " " : ""}`;
    });
    const found = pieces.map((piece) => this.#words.find(piece));
    if (found.some(({ postings }) => postings === 0)) return "none";
    let left = Number.POSITIVE_INFINITY; // texts whose spelling remains to be checked
    for (const { words, next, cost, isExact } of planSteps(found)) {
      if (left * spellingCost <= cost) break;
      const marked = left === Number.POSITIVE_INFINITY ? bits : newBits(this.starts.length);
      visitRuns(words.bits, (from, to) => this.#markWords(from, to, next?.bits, marked, checkpoint));
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

  /** Marks the texts that have one of the words `from` up to, but not including, `to`, followed by one of `next` if given. */
  #markWords(from: number, to: number, next: Bits | undefined, bits: Bits, checkpoint: Checkpoint): void {
    const [texts, words] = [this.#texts, this.#next];
    const last = this.#postingStarts.at(to);
    for (let row = this.#postingStarts.at(from); row < last; ) {
      checkpoint();
      const end = Math.min(last, texts.seek(row), next === undefined ? last : words.seek(row));
      const [block, first, followers, firstFollower] = [texts.block, texts.from, words.block, words.from];
      if (next === undefined)
        for (; row < end; row++) {
          const text = block[row - first] as number;
          bits[text >>> 5] = (bits[text >>> 5] as number) | (1 << text);
        }
      else
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
 * The steps that narrow down the texts that contain a pattern, the cheapest first. Each piece of the pattern but the last gives the
 * texts in which the next piece follows. The last piece gives the texts that have it: nearly all of them remain to be checked.
 */
function planSteps(found: readonly FoundWords[]) {
  const steps = found.map((words, index) => {
    const next = found[index + 1];
    const cost = words.postings * (next === undefined ? spellingCost : followedCost);
    return { words, next, cost, isExact: index === 0 && found.length <= 2 };
  });
  return steps.sort((one, other) => one.cost - other.cost);
}

/** Finds where each group ends by halving, because texts are many and groups few. */
function findGroups(starts: Column): Group[] {
  const groups: Group[] = [];
  const texts = starts.length - 1;
  const recordsOf = (text: number) => starts.at(text + 1) - starts.at(text);
  for (let first = 0, end = 0; first < texts; first = end) {
    const records = recordsOf(first);
    for (let high = texts; end < high; ) {
      const middle = (end + high) >>> 1;
      if (recordsOf(middle) < records) high = middle;
      else end = middle + 1;
    }
    groups.push({ first, end, records });
  }
  return groups;
}

/** True if the words at `at` and after it are one of each of the found sets. */
function isSpelled(found: readonly FoundWords[], words: Int32Array, at: number): boolean {
  for (let index = 0; index < found.length; index++)
    if (!hasBit((found[index] as FoundWords).bits, words[at + index] as number)) return false;
  return true;
}
