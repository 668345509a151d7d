// Scores organizations: how much of a query is in a name, and how much of the name in the query.
import type { NameMatch } from "../../contract/operations/organizations.ts";
import type { NameIndex } from "./nameIndex.ts";

/** What a word of another name counts, and one of the place, compared with the same word in the name. */
const alsoShare = 0.7;
const placeShare = 0.9;

/** How much of a name counts as found if no word of it is, but words of the other name, or the initials. */
const otherShare = 0.5;

/** Words of the index, from the first to before the second, and how well they match a term: 1 if it is the word itself. */
export type WordRange = { readonly from: number; readonly to: number; readonly quality: number };

/** A term with the words of the index that match it, the best ones first. */
export type MatchedTerm = {
  readonly isOptional: boolean;
  readonly ranges: readonly WordRange[];
  /** What the term counts. */
  readonly weight: number;
};

/** Scores one reading of a query after another. */
export class Matcher {
  readonly #index: NameIndex;
  /** By word: the first of its entries, which are terms that the word alone matches; 0 if there is none. */
  readonly #first: Int32Array;
  /** The entries: term, quality, and the word's next entry. */
  #entryTerm = new Int32Array(0);
  #entryQuality = new Float32Array(0);
  #entryNext = new Int32Array(0);
  /** The ranges of several words. */
  #wide: readonly (WordRange & { readonly term: number })[] = [];
  /** Words outside of these are in no range of several words. */
  #wideFrom = 0;
  #wideTo = 0;
  #terms: readonly MatchedTerm[] = [];
  #weights = new Float64Array(0);
  #isOptional = new Uint8Array(0);
  /** What each term counts in the candidate, and whether only by a part of a word. */
  #found = new Float64Array(0);
  #isPart = new Uint8Array(0);
  /** By place: 1 if it has a word of the query. */
  readonly #places: Uint8Array;
  #allWeight = 0;
  #required = 0;
  score = 0;
  /** How much of the query is in the candidate. */
  share = 0;
  match: NameMatch = "typo";

  constructor(index: NameIndex) {
    this.#index = index;
    this.#first = new Int32Array(index.words);
    this.#places = new Uint8Array(index.placeState.length);
  }

  /** Starts a reading of a query. */
  start(terms: readonly MatchedTerm[]): void {
    for (const { ranges } of this.#terms) for (const { from } of ranges) this.#first[from] = 0;
    this.#terms = terms;
    this.#found = new Float64Array(terms.length);
    this.#isPart = new Uint8Array(terms.length);
    this.#weights = Float64Array.from(terms, ({ weight }) => weight);
    this.#isOptional = Uint8Array.from(terms, ({ isOptional }) => (isOptional ? 1 : 0));
    const required = terms.filter(({ isOptional }) => !isOptional);
    this.#allWeight = required.reduce((sum, { weight }) => sum + weight, 0);
    this.#required = required.length;
    const ranges = terms.flatMap((one, term) => one.ranges.map((range) => ({ ...range, term })));
    this.#markPlaces(ranges);
    this.#wide = ranges.filter(({ from, to }) => to > from + 1);
    this.#wideFrom = Math.min(...this.#wide.map(({ from }) => from)); // infinite without such ranges
    this.#wideTo = Math.max(...this.#wide.map(({ to }) => to));
    const entries = [{ from: 0, term: 0, quality: 0 }, ...ranges.filter(({ from, to }) => to === from + 1)];
    this.#entryTerm = Int32Array.from(entries, ({ term }) => term);
    this.#entryQuality = Float32Array.from(entries, ({ quality }) => quality);
    this.#entryNext = new Int32Array(entries.length);
    for (let entry = 1; entry < entries.length; entry++) {
      const word = entries[entry]?.from as number;
      this.#entryNext[entry] = this.#first[word] as number;
      this.#first[word] = entry;
    }
  }

  /** Marks the places that have a word of the query: the others need no comparison. */
  #markPlaces(ranges: readonly WordRange[]): void {
    const { wordPlaceStart, wordPlace } = this.#index;
    this.#places.fill(0);
    for (const { from, to } of ranges)
      for (let at = wordPlaceStart[from] as number; at < (wordPlaceStart[to] as number); at++)
        this.#places[wordPlace[at] as number] = 1;
  }

  /** Scores an organization into `score` and `match`; false if its name has none of the words. */
  compare(id: number): boolean {
    const { facts, nameWord, weight } = this.#index;
    for (let term = 0; term < this.#found.length; term++) this.#found[term] = 0;
    const first = this.#first;
    const nameEnd = facts.nameEnd(id);
    const end = facts.start(id + 1);
    let inName = 0;
    for (let at = facts.start(id); at < nameEnd; at++) {
      const word = nameWord[at] as number;
      if (first[word] === 0 && (word < this.#wideFrom || word >= this.#wideTo)) continue;
      inName += (weight[word] as number) * this.#take(word, 1);
    }
    let isNamed = inName > 0;
    for (let at = nameEnd; at < end; at++)
      if (this.#take(nameWord[at] as number, alsoShare) > 0) isNamed = true;
    if (!isNamed) return false;
    const place = facts.place(id);
    if (this.#places[place] === 1) this.#takePlace(place);
    this.#finish(id, inName === 0 ? otherShare : inName / facts.weight(id));
    return true;
  }

  #takePlace(place: number): void {
    const { placeStart, placeWord } = this.#index;
    for (let at = placeStart[place] as number; at < (placeStart[place + 1] as number); at++)
      this.#take(placeWord[at] as number, placeShare);
  }

  /** Notes that a candidate has a word; returns how well it matches. */
  #take(word: number, share: number): number {
    let best = 0;
    for (let entry = this.#first[word] as number; entry !== 0; entry = this.#entryNext[entry] as number) {
      const quality = this.#entryQuality[entry] as number;
      if (quality > best) best = quality;
      this.#note(this.#entryTerm[entry] as number, quality, share);
    }
    const wide = this.#wide;
    for (let at = 0; at < wide.length; at++) {
      const { from, to, term, quality } = wide[at] as WordRange & { term: number };
      if (word < from || word >= to) continue;
      if (quality > best) best = quality;
      this.#note(term, quality, share);
    }
    return best;
  }

  #note(term: number, quality: number, share: number): void {
    if (quality * share <= (this.#found[term] as number)) return;
    this.#found[term] = quality * share;
    this.#isPart[term] = quality < 1 ? 1 : 0;
  }

  #finish(id: number, nameShare: number): void {
    let sum = 0;
    let all = this.#allWeight;
    let missing = 0;
    let parts = 0;
    for (let term = 0; term < this.#weights.length; term++) {
      const found = this.#found[term] as number;
      const weight = this.#weights[term] as number;
      sum += weight * found;
      if (this.#isOptional[term] === 1)
        all += weight * found; // so that it never lowers a score
      else if (found === 0) missing++;
      else parts += this.#isPart[term] as number;
    }
    this.share = sum / all;
    this.score = this.share * nameShare;
    if (missing > 0) this.match = "typo";
    else if (parts > 0) this.match = "prefix";
    else this.match = this.#isExact(id) ? "exact" : "words";
  }

  /** True if the name has the required words and no others, in the same order. */
  #isExact(id: number): boolean {
    const { facts, nameWord } = this.#index;
    let at = facts.start(id);
    if (facts.nameEnd(id) - at !== this.#required) return false;
    return this.#terms.every(({ isOptional, ranges }) => isOptional || ranges[0]?.from === nameWord[at++]);
  }
}
