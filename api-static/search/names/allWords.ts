// Finds the organizations whose names have all words of a query.

import { addBit, type Bits, hasBit, newBits } from "../bits.ts";
import type { MatchedTerm, Matcher, WordRange } from "./matcher.ts";
import type { NameIndex } from "./nameIndex.ts";
import type { Task } from "./task.ts";

/** More organizations of a term are compared only if they have the next term, too. */
const fewCandidates = 500;

/** To compare an organization takes as long as to pass over about this many. */
const passesOfComparison = 32;

/** To look up the place of an organization takes as long as to pass over this many. */
const lookupsOfPass = 5;

/** A larger share of a name is the whole name, but for rounding. */
const wholeName = 0.999;

type Found = (id: number) => void;

/** Organizations that are marked, or in some places. */
class Filter {
  readonly #marks: Bits;
  readonly #place: Int32Array;
  readonly #places: Uint8Array | undefined;

  constructor(marks: Bits, place: Int32Array, places: Uint8Array | undefined) {
    this.#marks = marks;
    this.#place = place;
    this.#places = places;
  }

  has(id: number): boolean {
    return hasBit(this.#marks, id) || this.#places?.[this.#place[id] as number] === 1;
  }
}

export class AllWords {
  readonly #index: NameIndex;
  readonly #matcher: Matcher;
  readonly #checkpoint: () => void;
  /** By organization: how much of its name the words are that led to it in this reading of the query, in 255ths. */
  readonly #shares: Uint8Array;
  /** Those compared in this reading, those that have the second term, and those that have the optional one. */
  readonly #compared: Bits;
  readonly #second: Bits;
  readonly #optional: Bits;

  constructor(index: NameIndex, matcher: Matcher, checkpoint: () => void) {
    this.#index = index;
    this.#matcher = matcher;
    this.#checkpoint = checkpoint;
    this.#shares = new Uint8Array(index.count);
    this.#compared = newBits(index.count);
    this.#second = newBits(index.count);
    this.#optional = newBits(index.count);
  }

  /**
   * Finds the organizations that have all terms that are not optional.
   * @param share what the reading of the query counts
   */
  find(terms: readonly MatchedTerm[], share: number, task: Task): void {
    const required = this.#order(terms.filter(({ isOptional }) => !isOptional));
    const [first, second, ...more] = required;
    if (first === undefined || required.some(({ ranges }) => ranges.length === 0)) return;
    this.#matcher.start(terms);
    const found = (id: number) => {
      const { match, score } = this.#matcher;
      if (match === "typo") return;
      task.count(id);
      task.add(id, score * share, match);
    };
    const isMarked = second !== undefined && this.#index.countNames(first.ranges) > fewCandidates;
    const hasSecond = isMarked ? this.#mark(second, first) : undefined;
    const isLimited = more.length === 0 && (second === undefined || (isMarked && isOneWord(second)));
    if (isLimited) {
      this.#shares.fill(0);
      const hasMore = this.#markOptional(terms);
      const beside = second?.ranges[0]?.from;
      this.#count(
        { term: first, others: second?.weight ?? 0, beside, filter: hasSecond, hasMore },
        share,
        task,
      );
    } else {
      this.#compared.fill(0);
      this.#compareAll(first, found, task, hasSecond);
    }
    // The name has the first term, or the place has it and the name has the second one, and so on.
    let places = this.#findPlaces(first.ranges, undefined);
    for (const term of required.slice(1)) {
      const among = places;
      if (among === undefined) return;
      this.#second.fill(0);
      const filter = this.#addPlaces(among, term);
      if (isLimited) this.#count({ term, others: first.weight, filter }, share, task);
      else this.#compareAll(term, found, task, filter);
      places = this.#findPlaces(term.ranges, among);
    }
  }

  /**
   * Sorts terms, the rarest first. Of two terms, a prefix of many words goes before the other one, so that the word is known by which an
   * organization was found. But if the other term is far rarer, and in no place, passing over all words of the prefix costs more.
   */
  #order(terms: readonly MatchedTerm[]): readonly MatchedTerm[] {
    const sorted = terms.toSorted(
      (a, b) => this.#index.countNames(a.ranges) - this.#index.countNames(b.ranges),
    );
    const [first, second] = sorted;
    if (sorted.length !== 2 || first === undefined || second === undefined || isOneWord(second))
      return sorted;
    const isFarRarer =
      this.#index.countNames(first.ranges) * passesOfComparison < this.#index.countNames(second.ranges);
    return isFarRarer && this.#findPlaces(first.ranges, undefined) === undefined ? sorted : [second, first];
  }

  /** The organizations of another term whose name or place has this one. */
  #mark({ ranges }: MatchedTerm, other: MatchedTerm): Filter {
    this.#second.fill(0);
    for (const range of ranges) this.#markWords(range, this.#second);
    return this.#addPlaces(this.#findPlaces(ranges, undefined), other);
  }

  /** Those marked for the second term, and the organizations of another term that are in some places. */
  #addPlaces(places: Uint8Array | undefined, { ranges }: MatchedTerm): Filter {
    const { place, count } = this.#index;
    const marks = this.#second;
    if (places === undefined) return new Filter(marks, place, undefined);
    if (this.#index.countNames(ranges) * lookupsOfPass < count) return new Filter(marks, place, places);
    for (let id = 0; id < count; id++) if (places[place[id] as number] === 1) addBit(marks, id);
    return new Filter(marks, place, undefined);
  }

  #markWords({ from, to }: Pick<WordRange, "from" | "to">, marks: Bits): void {
    const { postings, postingStart } = this.#index;
    const end = postingStart[to] as number;
    for (let at = postingStart[from] as number; at < end; at++) addBit(marks, postings[at] as number);
  }

  /** Marks the organizations that have words of an optional term, beside those of the others; undefined if none is optional. */
  #markOptional(terms: readonly MatchedTerm[]): Bits | undefined {
    const optional = terms.find(({ isOptional }) => isOptional);
    if (optional === undefined) return undefined;
    const others = new Set(terms.flatMap((term) => (term === optional ? [] : findSingle(term))));
    const marks = this.#optional;
    marks.fill(0);
    for (const { from, to } of optional.ranges)
      for (let word = from; word < to; word++)
        if (!others.has(word)) this.#markWords({ from: word, to: word + 1 }, marks);
    return marks;
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

  /** Counts the organizations of a walk, and compares those that may be among the best. */
  #count({ term, others, beside, filter, hasMore }: Walk, share: number, task: Task): void {
    const { postings, postingStart, share: shareOf, weight } = this.#index;
    const single = new Set(findSingle(term));
    const isOne = isOneWord(term);
    const best = term.ranges[0]?.quality as number;
    const allWeight = term.weight + others;
    for (const { from, to, quality } of term.ranges) {
      this.#checkpoint();
      for (let word = from; word < to; word++) {
        if (to > from + 1 && single.has(word)) continue;
        const isBoth = word === beside;
        const ofBeside =
          beside === undefined || isBoth ? 0 : (weight[beside] as number) / (weight[word] as number);
        const end = postingStart[word + 1] as number;
        for (let at = postingStart[word] as number; at < end; at++) {
          const id = postings[at] as number;
          if (!task.accepts(id) || filter?.has(id) === false) continue;
          const before = this.#shares[id] as number;
          if (before === 0) task.count(id);
          else if (isOne) continue;
          const own = shareOf[at] as number;
          const all = Math.min(255, before + own);
          this.#shares[id] = all;
          const most = before > 0 || isBoth ? best : quality;
          const ofName = (most * all + ofBeside * own) / 255;
          const ofQuery = hasMore === undefined ? (most * term.weight + others) / allWeight : 1;
          const isLimited = ofName < wholeName && (hasMore === undefined || !hasBit(hasMore, id));
          if (isLimited && task.rejects(id, share * ofQuery * ofName)) continue;
          if (this.#matcher.compare(id)) task.add(id, this.#matcher.score * share, this.#matcher.match);
        }
      }
    }
  }

  /** Compares the organizations of a term that were not seen yet. */
  #compareAll({ ranges }: MatchedTerm, found: Found, task: Task, isLikely?: Filter): void {
    const { postings, postingStart } = this.#index;
    for (const { from, to } of ranges) {
      this.#checkpoint();
      const end = postingStart[to] as number;
      for (let at = postingStart[from] as number; at < end; at++) {
        const id = postings[at] as number;
        if (isLikely?.has(id) === false || !task.accepts(id) || !addBit(this.#compared, id)) continue;
        if (this.#matcher.compare(id)) found(id);
      }
    }
  }
}

/** Organizations that have all terms, found by the words of one: these limit their scores. */
type Walk = {
  readonly term: MatchedTerm;
  /** What the other term counts, and its word, unless that is in the place. */
  readonly others: number;
  readonly beside?: number | undefined;
  readonly filter: Filter | undefined;
  /** True if a name may have words of an optional term, which raise its score. */
  readonly hasMore?: Bits | undefined;
};

function isOneWord({ ranges }: MatchedTerm): boolean {
  const [only, ...others] = ranges;
  return others.length === 0 && only !== undefined && only.to === only.from + 1;
}

/** The words of a term that are ranges by themselves. */
function findSingle({ ranges }: MatchedTerm): number[] {
  return ranges.flatMap(({ from, to }) => (to === from + 1 ? [from] : []));
}
