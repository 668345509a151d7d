// Reads a query in several ways: its words as they are, two of them joined, or one of them split.
import { isOptionalWord, queryWords, spellWord } from "../../contract/nameWords.ts";
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

/** Readings in all. */
const maxReadings = 6;

/** The ways to read a text, the first as it is typed; none if it has no words. */
export function findReadings(text: string, index: NameIndex): Term[][] {
  const { words, last, isLastOptional } = queryWords(text);
  if (words.length === 0) return [];
  const lastTerm: Term = { word: last, start: last, isOptional: true };
  const terms = words.map((word): Term => (word === spellWord(last) ? { word, start: last } : { word }));
  const readings = [terms, ...joinPairs(terms, index), ...splitTerms(terms, index)].slice(0, maxReadings);
  return isLastOptional ? readings.map((reading) => [...reading, lastTerm]) : readings;
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

/** Readings with a word split, e.g., "foodbank" as "food bank", or "friendsof" as "friends". */
function splitTerms(terms: readonly Term[], index: NameIndex): Term[][] {
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
