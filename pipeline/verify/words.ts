// Verifies the words of a dictionary in `index.columns`: that they spell the texts, and that every list of them agrees.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Column, Columns, lettersOf, textColumns } from "../../api-static/release/columns.ts";
import { dictionaries } from "../../api-static/release/layout.ts";
import { type BlockOrder, type BlockThreads, newBlockOrder } from "../base/blocks.ts";
import { RowSum } from "./rowSum.ts";

/** Number of texts of a dictionary whose words are spelled, evenly spread. */
const textSamples = 10_000;

const sampledSql = (texts: string) => `
SELECT id, text FROM ${texts} WHERE id % (SELECT greatest(1, count(*) // ${textSamples}) FROM ${texts}) = 0`;

/** A dictionary's column, and the samples of its texts: id and text. */
type Words = { readonly column: string; readonly sampled: readonly (readonly [number, string])[] };

/** The path of `index.columns`, and the dictionaries; each is a block. */
export type WordsOrder = BlockOrder & { readonly path: string; readonly words: readonly Words[] };

/**
 * Reads what the check of all dictionaries needs of the index.
 * @param connection whose current database is the index
 * @param path of `index.columns`
 */
export async function readWords(connection: DuckDBConnection, path: string): Promise<WordsOrder> {
  const words: Words[] = [];
  for (const filter of ["purpose", "recipientName"] as const) {
    const rows = (await connection.runAndReadAll(sampledSql(dictionaries[filter].texts))).getRows();
    words.push({
      column: textColumns[filter],
      sampled: rows.map(([id, text]) => [Number(id), String(text)] as const),
    });
  }
  return { ...newBlockOrder(words.length), path, words };
}

/** Finds what is wrong with the words of all dictionaries. */
export async function findWordProblems(order: WordsOrder, threads: BlockThreads): Promise<string[]> {
  const problems: string[] = [];
  await threads.run(new URL(import.meta.url), order, (found: readonly string[]) => problems.push(...found));
  return problems;
}

/** Checks the dictionaries of the blocks; `BlockThreads` calls it. */
export async function* work(
  { path, words }: WordsOrder,
  blocks: Iterable<number>,
): AsyncGenerator<readonly string[]> {
  const columns = Columns.open(path);
  try {
    for (const block of blocks) yield await checkWords(columns, words[block] as Words);
  } finally {
    columns.close();
  }
}

/** Finds what is wrong with the words of a dictionary. */
async function checkWords(columns: Columns, { column, sampled }: Words): Promise<string[]> {
  try {
    await columns.hold([`${column}.word.offset`], Number.POSITIVE_INFINITY); // read in the order of all ends of words, which is none
    const words = new WordCheck(columns, column);
    const problems = [
      ...words.findEndProblems(),
      ...words.findTextProblems(),
      ...words.findPostingProblems(),
    ];
    const differing = sampled.filter(([id, text]) => words.spell(id) !== text);
    if (differing.length > 0) problems.push(`the words of ${differing.length} texts do not spell them`);
    return problems.map((problem) => `${column}: ${problem}`);
  } catch (error) {
    // A column that is missing, or an id that is none, is a difference as well.
    if (!(error instanceof RangeError)) throw error;
    return [error.message];
  }
}

class WordCheck {
  readonly #bytes: Buffer;
  readonly #count: number;
  readonly #column: (name: string) => Column;
  readonly #offsets: Column;
  readonly #textStarts: Column;
  readonly #textWords: Column;
  /** Of each text, word by word: text, word, and the word that follows. */
  readonly #spelled = new RowSum();

  constructor(columns: Columns, dictionary: string) {
    this.#column = (name) => columns.column(`${dictionary}.${name}`);
    const bytes = columns.bytes(`${dictionary}.word.bytes`);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offsets = this.#column("word.offset");
    this.#count = this.#offsets.length - 1;
    this.#textStarts = this.#column("text.start");
    this.#textWords = this.#column("text.word");
  }

  /** The text that the words of a text spell. */
  spell(text: number): string {
    const words: string[] = [];
    for (let row = this.#textStarts.at(text); row < this.#textStarts.at(text + 1); row++)
      words.push(this.#wordAt(this.#textWords.at(row)));
    return words.join(" ");
  }

  #wordAt(word: number): string {
    return this.#bytes.toString("utf8", this.#offsets.at(word) + 1, this.#offsets.at(word + 1));
  }

  /** Every end of every word must be there once, in order, with its word. */
  findEndProblems(): string[] {
    const [offsets, words] = [this.#column("end.offset"), this.#column("end.word")];
    let [expected, wrong] = [0, 0];
    for (let word = 0; word < this.#count; word++) expected += [...this.#wordAt(word)].length + 1;
    for (let end = 0; end < offsets.length; end++) {
      const [at, word] = [offsets.at(end), words.at(end)];
      if (at < this.#offsets.at(word) || at >= this.#offsets.at(word + 1)) wrong += 1;
      if (end > 0 && this.#compareEnds(end - 1, end, offsets, words) >= 0) wrong += 1;
    }
    return expected === offsets.length && wrong === 0
      ? []
      : ["the ends of its words are wrong or out of order"];
  }

  /** Compares two ends of words, the space after the word included, and then their offsets. */
  #compareEnds(one: number, other: number, offsets: Column, words: Column): number {
    const [from, stop] = [offsets.at(one), this.#offsets.at(words.at(one) + 1) + 1];
    const [otherFrom, otherStop] = [offsets.at(other), this.#offsets.at(words.at(other) + 1) + 1];
    const length = Math.min(stop - from, otherStop - otherFrom);
    for (let at = 0; at < length; at++) {
      // A loop, because a call takes many times as long for so few bytes.
      const difference = (this.#bytes[from + at] as number) - (this.#bytes[otherFrom + at] as number);
      if (difference !== 0) return difference;
    }
    return stop - from - (otherStop - otherFrom) || from - otherFrom;
  }

  /** Each text must have the letters of its words. Collects the words of all texts for `findPostingProblems`. */
  findTextProblems(): string[] {
    const lettersOfWord = Int32Array.from({ length: this.#count }, (_, word) =>
      lettersOf(this.#wordAt(word)),
    );
    const letters = this.#column("text.letters");
    let wrong = Math.abs(letters.length - (this.#textStarts.length - 1));
    for (let text = 0; text < this.#textStarts.length - 1; text++) {
      const [start, stop] = [this.#textStarts.at(text), this.#textStarts.at(text + 1)];
      let bits = 0;
      for (let row = start; row < stop; row++) {
        const word = this.#textWords.at(row);
        bits |= lettersOfWord[word] ?? 0;
        this.#spelled.add(text, word, row + 1 < stop ? this.#textWords.at(row + 1) : this.#count);
      }
      if (text < letters.length && letters.at(text) !== bits) wrong += 1;
    }
    return wrong === 0 ? [] : [`${wrong} texts have other letters than their words`];
  }

  /** Each word must list its texts, each time with the word that follows. */
  findPostingProblems(): string[] {
    const [starts, texts, next] = [
      this.#column("word.start"),
      this.#column("word.text"),
      this.#column("word.next"),
    ];
    const found = new RowSum();
    let isAscending = starts.length - 1 === this.#count && starts.at(this.#count) === texts.length;
    for (let word = 0; word < this.#count; word++) {
      let last = -1;
      for (let row = starts.at(word); row < starts.at(word + 1); row++) {
        const text = texts.at(row);
        isAscending &&= text >= last;
        last = text;
        found.add(text, word, next.at(row));
      }
    }
    return isAscending && found.equals(this.#spelled.total)
      ? []
      : ["its postings differ from the words of its texts"];
  }
}
