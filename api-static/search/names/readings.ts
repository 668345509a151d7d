// Reads a query in several ways: its words as they are, with initials in full or short, two of them joined, or one of them split.
import {
  indexedWords,
  initialisms,
  isOptionalWord,
  queryWords,
  spellWord,
} from "../../contract/text/nameWords.ts";
import type { NameIndex } from "./nameIndex.ts";

/** A word that is sought. */
export type Term = {
  /** In the spelling of the index. */
  readonly word: string;
  /** The last word as it was typed, with which a longer word may start; undefined for other words. */
  readonly start?: string;
  /** True if a name need not have it. */
  readonly isOptional?: boolean;
};

/** Shortest parts of a split word, shortest legal forms and prepositions there, and shortest joined words. */
const partLetters = 3;
const formLetters = 2;
const joinedLetters = 5;

/** Longest word of a text that is split into several, what legal forms and prepositions cost there, and letters of such a text, at least. */
const maxPartLetters = 20;
const formCost = 3;
const joinedTextLetters = 9;

/** Readings in all. */
const maxReadings = 6;

/** The ways to read a text, the first as it is typed; none if it has no words. */
export function findReadings(text: string, index: NameIndex): Term[][] {
  const { words, last, isLastOptional } = queryWords(text);
  if (words.length === 0) return [];
  const lastTerm: Term = { word: last, start: last, isOptional: true };
  const terms = words.map((word): Term => (word === spellWord(last) ? { word, start: last } : { word }));
  const readings = [
    terms,
    ...replacePhrases(terms),
    ...joinPairs(terms, index),
    ...splitTerms(terms, index),
  ].slice(0, maxReadings);
  return isLastOptional ? readings.map((reading) => [...reading, lastTerm]) : readings;
}

const initialWords = [...initialisms].map(([word, others]) => ({ word, words: indexedWords(others) }));

/** Readings with initials in full, e.g., "ymca", and with the words of initials as these. */
function replacePhrases(terms: readonly Term[]): Term[][] {
  return initialWords.flatMap(({ word, words }) => {
    const at = terms.findIndex((_, first) => words.every((one, index) => terms[first + index]?.word === one));
    if (at >= 0) return [terms.toSpliced(at, words.length, { word })];
    const short = terms.findIndex((term) => term.word === word);
    return short < 0 ? [] : [terms.toSpliced(short, 1, ...words.map((one) => ({ word: one })))];
  });
}

/** Readings with two neighbors joined, e.g., "flint ridge" as "flintridge". */
function joinPairs(terms: readonly Term[], index: NameIndex): Term[][] {
  return terms.slice(1).flatMap(({ word: second, start }, at) => {
    const word = `${terms[at]?.word}${start ?? second}`;
    const [from, to] = index.findPrefixed(word);
    const isKnown = start === undefined ? index.find(word) >= 0 : from < to;
    if (word.length < joinedLetters || !isKnown) return [];
    return [
      [...terms.slice(0, at), { word, ...(start !== undefined && { start: word }) }, ...terms.slice(at + 2)],
    ];
  });
}

/** True for a long text with which no word of the index starts. */
function isUnknown(text: string, index: NameIndex): boolean {
  const [from, to] = index.findPrefixed(text);
  return text.length >= joinedTextLetters && from === to;
}

/**
 * The cheapest way to split a text into words of the index, where frequent words cost less, e.g., "paralosninos" as "para los ninos"; undefined if
 * there is none.
 */
function splitAll(text: string, index: NameIndex): Term[] | undefined {
  const best: ({ readonly cost: number; readonly terms: Term[] } | undefined)[] = [{ cost: 0, terms: [] }];
  for (let to = 1; to <= text.length; to++)
    for (let from = Math.max(0, to - maxPartLetters); from <= to - formLetters; from++) {
      const before = best[from];
      const part = text.slice(from, to);
      const isForm = isOptionalWord(part);
      const word = spellWord(part);
      const number = before === undefined || isForm || part.length < partLetters ? -1 : index.find(word);
      if (before === undefined || (number < 0 && !isForm)) continue;
      const cost = before.cost + (isForm ? formCost : (index.weight[number] as number));
      if (cost < (best[to]?.cost ?? Number.POSITIVE_INFINITY))
        best[to] = { cost, terms: isForm ? before.terms : [...before.terms, { word }] };
    }
  return best[text.length]?.terms;
}

/** Readings with a word split, e.g., "foodbank" as "food bank", or "friendsof" as "friends". */
function splitTerms(terms: readonly Term[], index: NameIndex): Term[][] {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined && isUnknown(only.word, index)) {
    const all = splitAll(only.word, index) ?? [];
    if (all.length > 1) return [all];
  }
  return terms.flatMap(({ word, start }, at) => {
    const splits: Term[][] = [];
    for (let letters = formLetters; letters <= word.length - formLetters; letters++) {
      const halves = [word.slice(0, letters), word.slice(letters)];
      const parts = halves.filter((half) => !isOptionalWord(half));
      if (parts.length === 0 || parts.some((part) => part.length < partLetters || index.find(part) < 0))
        continue;
      const split = parts.map(
        (part): Term => (start === word && part === halves[1] ? { word: part, start: part } : { word: part }),
      );
      splits.push([...terms.slice(0, at), ...split, ...terms.slice(at + 1)]);
    }
    return splits;
  });
}
