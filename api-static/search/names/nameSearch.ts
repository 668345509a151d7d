// Finds organizations by name: all words first, and similar words if no name has them all.

import { findEin } from "../../contract/ein.ts";
import { findSpelled, markAcronym } from "../../contract/text/nameWords.ts";
import { addBit, type Bits, newBits } from "../bits.ts";
import { AllWords } from "./allWords.ts";
import { type MatchedTerm, Matcher, type WordRange } from "./matcher.ts";
import type { NameIndex } from "./nameIndex.ts";
import { findReadings, type Term } from "./readings.ts";
import { SimilarWords } from "./similarWords.ts";
import { type Candidate, type OrganizationQuery, Task } from "./task.ts";

/** How well words match that are not the same: one that starts with the word, and one with one typo, or two. */
const qualities = { prefix: 0.9, edits: [1, 0.8, 0.65], shortened: 0.75 } as const;

/** What a reading with joined or split words counts, compared with the words as they are typed. */
const readingShare = 0.97;

/** Candidates with similar words, those with the rarest words first. */
const maxCandidates = 8_000;

/** Similar names are found from this score on, or if they have this share of the query: long names have low scores. */
const minScore = 0.25;
const minShare = 0.6;

/** Names similar to one word are sought, too, if all names that have it have lower scores. */
const minSure = 0.3;

/** Shortest word that may be short for a longer one. */
const shortLetters = 3;

/** Words that a term may stand for; and how many names have a word, by assumption, that is in no name. */
const likelyWords = 8;
const unknownCount = 1000;

export type FoundCandidates = { readonly total: number; readonly best: readonly Candidate[] };

export class NameSearch {
  readonly #index: NameIndex;
  readonly #similar: SimilarWords;
  readonly #matcher: Matcher;
  readonly #checkpoint: () => void;
  readonly #allWords: AllWords;
  /** The organizations counted, and those compared for similar words. */
  readonly #counted: Bits;
  readonly #compared: Bits;

  /** @param checkpoint runs often, and throws if nobody waits for the answer any more */
  constructor(index: NameIndex, checkpoint = () => {}) {
    this.#index = index;
    this.#similar = new SimilarWords(index);
    this.#matcher = new Matcher(index);
    this.#checkpoint = checkpoint;
    this.#allWords = new AllWords(index, this.#matcher, checkpoint);
    this.#counted = newBits(index.count);
    this.#compared = newBits(index.count);
  }

  find(query: OrganizationQuery): FoundCandidates {
    const ein = findEin(query.name);
    const task = new Task(this.#index, query, this.#counted);
    if (ein !== undefined) {
      const id = this.#index.findEin(Number(ein));
      if (id < 0 || !task.accepts(id)) return task;
      task.count(id);
      task.add(id, 1, "exact");
      return task;
    }
    const readings = findReadings(query.name, this.#index);
    for (const [at, terms] of readings.entries()) {
      const matched = terms.map((term) => this.#match(term, false, terms.length === 1));
      this.#allWords.find(matched, at === 0 ? 1 : readingShare, task);
    }
    const [typed] = readings;
    if (typed === undefined || (task.total > 0 && (typed.length > 1 || task.bestScore >= minSure)))
      return task;
    const { total } = task;
    this.#findSimilar(typed, task);
    if (total > 0) task.total = total;
    return task;
  }

  /** Finds organizations with similar words, or with some of them. */
  #findSimilar(terms: readonly Term[], task: Task): void {
    const matched = terms.map((term) => this.#match(term, true));
    this.#matcher.start(matched);
    this.#compared.fill(0);
    let left = maxCandidates;
    const sorted = matched.toSorted(
      (a, b) => this.#index.countNames(a.ranges) - this.#index.countNames(b.ranges),
    );
    const all = sorted.reduce((sum, { weight }) => sum + weight, 0);
    let rest = all; // candidates of a term have none of the rarer ones
    for (const { ranges, weight } of sorted) {
      if (rest / all <= task.least) return;
      for (const range of ranges) left -= this.#compareAll(range, left, task);
      rest -= weight;
    }
  }

  /** Compares the first organizations of some words that were not compared yet; returns how many. */
  #compareAll({ from, to }: WordRange, limit: number, task: Task): number {
    this.#checkpoint();
    const { postings, postingStart } = this.#index;
    let compared = 0;
    const end = postingStart[to] as number;
    for (let at = postingStart[from] as number; at < end && compared < limit; at++) {
      const id = postings[at] as number;
      if (!task.accepts(id) || !addBit(this.#compared, id)) continue;
      compared++;
      if (!this.#matcher.compare(id)) continue;
      if (this.#matcher.score < minScore && this.#matcher.share < minShare) continue;
      task.count(id);
      task.add(id, this.#matcher.score, "typo");
    }
    return compared;
  }

  /** The words of the index that match a term, the best first. */
  #match({ word, start, isOptional = false }: Term, isSimilar = false, isAlone = false): MatchedTerm {
    const index = this.#index;
    const ranges: WordRange[] = [];
    const add = (from: number, to: number, quality: number) => {
      if (from >= 0 && from < to) ranges.push({ from, to, quality });
    };
    const words = new Set<number>();
    const addWord = (number: number, quality: number) => {
      if (!words.has(number)) add(number, number + 1, quality);
      words.add(number);
    };
    const addPrefixed = (prefix: string, quality: number) => {
      const [from, to] = index.findPrefixed(prefix);
      if (to === from + 1) addWord(from, quality);
      else add(from, to, quality);
    };
    if (!isOptional) addWord(index.find(word), 1);
    if (start !== undefined) {
      for (const spelled of findSpelled(start)) addWord(index.find(spelled), qualities.prefix);
      addPrefixed(start, qualities.prefix);
    }
    if (isSimilar && !isOptional) {
      const similar = this.#similar.find(word, start !== undefined).toSorted((a, b) => a.edits - b.edits);
      for (const { word: number, edits } of similar) addWord(number, qualities.edits[edits] as number);
      if (start === undefined && word.length >= shortLetters) addPrefixed(word, qualities.shortened);
    }
    const weight = this.#weigh(ranges);
    if (isAlone) addWord(index.find(markAcronym(word)), 1);
    return { isOptional, ranges, weight };
  }

  /** A term counts as the word that it most likely stands for: the most frequent of the best ones. */
  #weigh(ranges: readonly WordRange[]): number {
    const { weight, count } = this.#index;
    const likely = ranges.slice(0, likelyWords).map(({ from }) => weight[from] as number);
    return likely.length === 0 ? Math.log(1 + count / unknownCount) : Math.min(...likely);
  }
}
