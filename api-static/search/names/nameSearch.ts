// Finds organizations by name: all words first, and similar words if no name has them all.

import { parseEin } from "../../contract/ein.ts";
import { findSpelled, placeWords } from "../../contract/nameWords.ts";
import { Best, type Candidate } from "./best.ts";
import { type MatchedTerm, Matcher, type WordRange } from "./matcher.ts";
import { codeState, type NameIndex, roleBits } from "./nameIndex.ts";
import type { OrganizationQuery } from "./organizationQuery.ts";
import { findReadings, type Term } from "./readings.ts";
import { SimilarWords } from "./similarWords.ts";

/** How well words match that are not the same: one that starts with the word, and one with one typo, or two. */
const qualities = { prefix: 0.9, edits: [1, 0.8, 0.65], shortened: 0.75 } as const;

/** What a reading with joined or split words counts, compared with the words as they are typed. */
const readingShare = 0.97;

/** What a name counts that has none of the words of `place`. */
const elsewhereShare = 0.85;

/** Candidates with similar words, those with the rarest words first. */
const maxCandidates = 15_000;

/** More candidates are compared only if they have the next term too. */
const fewCandidates = 500;

/** Similar names below this score are not found. */
const minScore = 0.25;

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
  /** Bits of organizations: those found by this query, those compared in this reading of it, and those that have a term. */
  readonly #found: Uint32Array;
  readonly #compared: Uint32Array;
  readonly #marks: Uint32Array;

  /** @param checkpoint runs often, and throws if nobody waits for the answer any more */
  constructor(index: NameIndex, checkpoint = () => {}) {
    this.#index = index;
    this.#similar = new SimilarWords(index);
    this.#matcher = new Matcher(index);
    this.#checkpoint = checkpoint;
    this.#found = new Uint32Array((index.count >>> 5) + 1);
    this.#compared = new Uint32Array((index.count >>> 5) + 1);
    this.#marks = new Uint32Array((index.count >>> 5) + 1);
  }

  find(query: OrganizationQuery): FoundCandidates {
    const ein = parseEin(query.name);
    const task = new Task(this.#index, query);
    if (ein !== undefined) {
      const id = this.#index.findEin(Number(ein));
      if (id >= 0 && task.accepts(id)) task.add(id, 1, "exact");
      return task;
    }
    this.#found.fill(0);
    const readings = findReadings(query.name, this.#index);
    for (const [at, terms] of readings.entries()) this.#findAll(terms, at === 0 ? 1 : readingShare, task);
    if (task.total === 0 && readings[0] !== undefined) this.#findSimilar(readings[0], task);
    return task;
  }

  /** Finds the organizations that have all words. */
  #findAll(terms: readonly Term[], share: number, task: Task): void {
    const matched = terms.map((term) => this.#match(term));
    const required = matched.filter(({ isOptional }) => !isOptional);
    if (required.some(({ ranges }) => ranges.length === 0)) return;
    this.#matcher.start(matched);
    const [only, ...others] = matched;
    if (only !== undefined && others.length === 0) {
      this.#findOne(only, share, task);
      return;
    }
    this.#compared.fill(0);
    const found = (id: number) => {
      const { match, score } = this.#matcher;
      if (match !== "typo" && note(this.#found, id)) task.add(id, score * share, match);
    };
    // A name has the rarest word, or the place has it and the name has the next one, and so on.
    const sorted = required.toSorted((a, b) => this.#countOf(a) - this.#countOf(b));
    const [rarest, next] = sorted;
    const isMarked = rarest !== undefined && next !== undefined && this.#countOf(rarest) > fewCandidates;
    const isLikely = isMarked ? this.#markHaving(next) : undefined;
    let places: Uint8Array | undefined;
    for (const [number, { ranges }] of sorted.entries()) {
      const { place } = this.#index;
      const among = places;
      const filter =
        number === 0 ? isLikely : (id: number) => (among as Uint8Array)[place[id] as number] === 1;
      for (const range of ranges) this.#compareAll(range, Number.POSITIVE_INFINITY, found, task, filter);
      places = this.#findPlaces(ranges, among);
      if (places === undefined) return;
    }
  }

  /** Marks the organizations that have a term, so that others need no comparison; returns a function that is true for them. */
  #markHaving({ ranges }: MatchedTerm): (id: number) => boolean {
    const { postings, postingStart, place } = this.#index;
    const marks = this.#marks;
    marks.fill(0);
    for (const { from, to } of ranges) {
      const end = postingStart[to] as number;
      for (let at = postingStart[from] as number; at < end; at++) {
        const id = postings[at] as number;
        marks[id >>> 5] = (marks[id >>> 5] as number) | (1 << (id & 31));
      }
    }
    const has = (id: number) => ((marks[id >>> 5] as number) & (1 << (id & 31))) !== 0;
    const places = this.#findPlaces(ranges, undefined);
    return places === undefined ? has : (id) => has(id) || places[place[id] as number] === 1;
  }

  /** Marks the places that have one of some words, among those marked before; undefined if there are none. */
  #findPlaces(ranges: readonly WordRange[], among: Uint8Array | undefined): Uint8Array | undefined {
    const { wordPlaceStart, wordPlace, placeState } = this.#index;
    let marked: Uint8Array | undefined;
    for (const { from, to } of ranges)
      for (let at = wordPlaceStart[from] as number; at < (wordPlaceStart[to] as number); at++) {
        const place = wordPlace[at] as number;
        if (among !== undefined && among[place] === 0) continue;
        marked ??= new Uint8Array(placeState.length);
        marked[place] = 1;
      }
    return marked;
  }

  /** Finds the organizations that have one word: quicker, because the other words of a name need no comparison. */
  #findOne({ ranges }: MatchedTerm, share: number, task: Task): void {
    const { postings, postingStart, nameStart, nameCount, nameWeight, weight } = this.#index;
    for (const { from, to, quality } of ranges) {
      this.#checkpoint();
      const match = quality === 1 ? "words" : "prefix";
      for (let word = from; word < to; word++) {
        const score = share * quality * quality * (weight[word] as number);
        const end = postingStart[word + 1] as number;
        for (let at = postingStart[word] as number; at < end; at++) {
          const id = postings[at] as number;
          if (!task.accepts(id) || !note(this.#found, id)) continue;
          const count = nameCount[id] as number;
          if ((nameStart[id + 1] as number) - (nameStart[id] as number) === count)
            task.add(id, score / (nameWeight[id] as number), count === 1 && quality === 1 ? "exact" : match);
          else if (this.#matcher.compare(id)) task.add(id, this.#matcher.score * share, this.#matcher.match);
        }
      }
    }
  }

  /** Finds organizations with similar words, or with some of them. */
  #findSimilar(terms: readonly Term[], task: Task): void {
    const matched = terms.map((term) => this.#match(term, true));
    this.#matcher.start(matched);
    this.#compared.fill(0);
    const found = (id: number) => {
      if (this.#matcher.score >= minScore) task.add(id, this.#matcher.score, "typo");
    };
    let left = maxCandidates;
    const sorted = matched.toSorted((a, b) => this.#countOf(a) - this.#countOf(b));
    const all = sorted.reduce((sum, { weight }) => sum + weight, 0);
    let rest = all; // candidates of a term have none of the rarer ones
    for (const { ranges, weight } of sorted) {
      if (rest / all <= task.least) return;
      for (const range of ranges) left -= this.#compareAll(range, left, found, task);
      rest -= weight;
    }
  }

  /** Compares the first organizations of some words that were not compared yet; returns how many. */
  #compareAll(
    { from, to }: WordRange,
    limit: number,
    found: (id: number) => void,
    task: Task,
    isLikely?: (id: number) => boolean,
  ) {
    this.#checkpoint();
    const { postings, postingStart } = this.#index;
    let compared = 0;
    const end = postingStart[to] as number;
    for (let at = postingStart[from] as number; at < end && compared < limit; at++) {
      const id = postings[at] as number;
      if (isLikely !== undefined && !isLikely(id)) continue;
      if (!task.accepts(id) || !note(this.#compared, id)) continue;
      compared++;
      if (this.#matcher.compare(id)) found(id);
    }
    return compared;
  }

  #countOf({ ranges }: MatchedTerm): number {
    const { postingStart } = this.#index;
    return ranges.reduce(
      (sum, { from, to }) => sum + (postingStart[to] as number) - (postingStart[from] as number),
      0,
    );
  }

  /** The words of the index that match a term, the best first. */
  #match({ word, start, isOptional = false }: Term, isSimilar = false): MatchedTerm {
    const index = this.#index;
    const ranges: WordRange[] = [];
    const add = (from: number, to: number, quality: number) => {
      if (from >= 0 && from < to) ranges.push({ from, to, quality });
    };
    const addWord = (number: number, quality: number) => add(number, number + 1, quality);
    if (!isOptional) addWord(index.find(word), 1);
    if (start !== undefined) {
      for (const spelled of findSpelled(start)) addWord(index.find(spelled), qualities.prefix);
      add(...index.findPrefixed(start), qualities.prefix);
    }
    if (isSimilar && !isOptional) {
      const similar = this.#similar.find(word, start !== undefined).toSorted((a, b) => a.edits - b.edits);
      for (const { word: number, edits } of similar) addWord(number, qualities.edits[edits] as number);
      if (start === undefined && word.length >= shortLetters)
        add(...index.findPrefixed(word), qualities.shortened);
    }
    return { isOptional, ranges, weight: this.#weigh(ranges) };
  }

  /** A term counts as the word that it most likely stands for: the most frequent of the best ones. */
  #weigh(ranges: readonly WordRange[]): number {
    const { weight, count } = this.#index;
    const likely = ranges.slice(0, likelyWords).map(({ from }) => weight[from] as number);
    return likely.length === 0 ? Math.log(1 + count / unknownCount) : Math.min(...likely);
  }
}

/** What is found for a query so far. */
class Task {
  readonly #index: NameIndex;
  readonly #best: Best;
  readonly #role: number;
  readonly #state: number | undefined;
  readonly #place: ReadonlySet<number> | undefined;
  readonly #acceptsAll: boolean;
  total = 0;

  constructor(index: NameIndex, { state, role, place, limit }: OrganizationQuery) {
    this.#index = index;
    this.#best = new Best(limit);
    this.#role = role === undefined ? 0 : roleBits[role];
    this.#state = state === undefined ? undefined : codeState(state);
    this.#acceptsAll = state === undefined && role === undefined;
    this.#place =
      place === undefined ? undefined : new Set(placeWords(place, "").map((word) => index.find(word)));
  }

  /** True if an organization has the state and the role that the query wants. */
  accepts(id: number): boolean {
    if (this.#acceptsAll) return true;
    const { roles, place, placeState } = this.#index;
    return (
      ((roles[id] as number) & this.#role) === this.#role &&
      (this.#state === undefined || placeState[place[id] as number] === this.#state)
    );
  }

  add(id: number, score: number, match: Candidate["match"]): void {
    this.total += 1;
    this.#best.add(id, score * this.#placeShare(id), match);
  }

  #placeShare(id: number): number {
    if (this.#place === undefined) return 1;
    const { place, placeStart, placeWord } = this.#index;
    const [from, to] = [placeStart[place[id] as number], placeStart[(place[id] as number) + 1]];
    return placeWord.subarray(from, to).some((word) => this.#place?.has(word)) ? 1 : elsewhereShare;
  }

  /** The score that a candidate must exceed to be among the best; 0 while there are few. */
  get least(): number {
    return this.#best.least;
  }

  get best(): readonly Candidate[] {
    return this.#best.found;
  }
}

/** Sets a bit; returns whether it was not set. */
function note(bits: Uint32Array, id: number): boolean {
  const [at, bit] = [id >>> 5, 1 << (id & 31)];
  if (((bits[at] as number) & bit) !== 0) return false;
  bits[at] = (bits[at] as number) | bit;
  return true;
}
