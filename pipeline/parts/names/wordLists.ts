// Collects the funders that each word finds.
import { namesMax } from "../../../api-static/contract/limits.ts";
import { significantWords, wordPrefix } from "../../../api-static/contract/names.ts";
import type { NamedFunder } from "../../releases/namedFunders.ts";

/** A funder of a word's file: its number of records, and where its line is in `organizations`. */
export type WordEntry = { readonly records: number; readonly start: number; readonly bytes: number };

/**
 * The funders that each word finds, by the first letters of the word: those with most records, then in order of EIN. In
 * memory are a few numbers per funder and word, and no names: about 60 MB for a million funders.
 */
export class WordLists {
  readonly #lists = new Map<string, WordEntry[]>();

  /** Adds a funder; funders must come in order of EIN. */
  add({ records, line, start }: NamedFunder): void {
    const { name } = JSON.parse(line.toString()) as { name: string };
    const entry = { records, start, bytes: line.length };
    for (const prefix of new Set(significantWords(name).map(wordPrefix))) {
      const list = this.#lists.get(prefix);
      if (list === undefined) this.#lists.set(prefix, [entry]);
      else if (list.push(entry) === 2 * namesMax) keepFirst(list);
    }
  }

  /** The first letters of all words, sorted. */
  get prefixes(): string[] {
    return [...this.#lists.keys()].sort();
  }

  /** At most `namesMax` funders, in order. */
  entriesOf(prefix: string): readonly WordEntry[] {
    const list = this.#lists.get(prefix) ?? [];
    keepFirst(list);
    return list;
  }
}

/** Sorts a list and cuts it. Lines are in order of EIN, so their starts are too. */
function keepFirst(list: WordEntry[]): void {
  list.sort((a, b) => b.records - a.records || a.start - b.start);
  list.length = Math.min(list.length, namesMax);
}
