// Corrupts names of organizations the way people and filers do: nine kinds, drawn by a seed.
import { nameWords } from "../../api-static/contract/text/names.ts";
import { pick, type Random } from "../../pipeline/verify/random.ts";

/** How returns shorten words. */
const shortForms: Readonly<Record<string, string>> = {
  saint: "st",
  university: "univ",
  association: "assn",
  foundation: "fdn",
  center: "ctr",
  international: "intl",
  national: "natl",
  institute: "inst",
  hospital: "hosp",
  department: "dept",
  society: "soc",
  community: "comm",
  mount: "mt",
  fort: "ft",
  school: "sch",
  and: "&",
};

type Corruption = (words: readonly string[], random: Random) => readonly string[] | undefined;

/** The kinds. Each returns undefined for a name that it cannot corrupt. */
export const corruptions = {
  "one typo": (words, random) => misspell(words, random, 4),
  "typos in two words": (words, random) => {
    const once = misspell(words, random, 5);
    const others = once?.flatMap((word, at) => (word === words[at] && word.length >= 5 ? [at] : []));
    if (once === undefined || others === undefined || others.length === 0) return undefined;
    const at = pick(random, others);
    return once.with(at, mistype(once[at] as string, random));
  },
  "a dropped word": (words, random) =>
    words.length < 3 ? undefined : words.toSpliced(Math.floor(random() * words.length), 1),
  "an abbreviation": (words, random) => {
    const places = words.flatMap((word, at) =>
      shortForms[word] !== undefined || word.length >= 8 ? [at] : [],
    );
    if (places.length === 0) return undefined;
    const at = pick(random, places);
    const word = words[at] as string;
    return words.with(at, shortForms[word] ?? word.slice(0, 4 + Math.floor(random() * 2)));
  },
  "another order": (words, random) => {
    if (words.length < 2) return undefined;
    const at = 1 + Math.floor(random() * (words.length - 1));
    return [...words.slice(at), ...words.slice(0, at)];
  },
  "a prefix": (words) => {
    const last = words.at(-1) as string;
    return last.length < 5 ? undefined : words.with(-1, last.slice(0, Math.ceil(last.length * 0.6)));
  },
  "joined words": (words, random) => {
    if (words.length < 3) return undefined;
    const at = Math.floor(random() * (words.length - 1));
    return words.toSpliced(at, 2, `${words[at]}${words[at + 1]}`);
  },
  "a split word": (words, random) => {
    const places = words.flatMap((word, at) => (word.length >= 7 ? [at] : []));
    if (places.length === 0) return undefined;
    const at = pick(random, places);
    const word = words[at] as string;
    const cut = 3 + Math.floor(random() * (word.length - 5));
    return words.toSpliced(at, 1, word.slice(0, cut), word.slice(cut));
  },
  "an added form": (words, random) => {
    if (words.includes("and") && random() < 0.5) return words.map((word) => (word === "and" ? "&" : word));
    return pick(random, [
      ["the", ...words],
      [...words, "inc"],
      [...words, "llc"],
      [...words, "corporation"],
    ]);
  },
} as const satisfies Readonly<Record<string, Corruption>>;

export type CorruptionKind = keyof typeof corruptions;

/** A corrupted name; undefined if the name has no place for this kind of error. */
export function corrupt(name: string, kind: CorruptionKind, random: Random): string | undefined {
  const words = nameWords(name);
  const corrupted = words.length === 0 ? undefined : corruptions[kind](words, random)?.join(" ");
  return corrupted === words.join(" ") ? undefined : corrupted;
}

/** Mistypes one of the words with at least some letters. */
function misspell(words: readonly string[], random: Random, letters: number): readonly string[] | undefined {
  const places = words.flatMap((word, at) => (word.length >= letters && /^[a-z]+$/.test(word) ? [at] : []));
  if (places.length === 0) return undefined;
  const at = pick(random, places);
  return words.with(at, mistype(words[at] as string, random));
}

/** Replaces, inserts or omits a letter, or exchanges two. */
function mistype(word: string, random: Random): string {
  const at = Math.floor(random() * (word.length - 1));
  const letter = pick(random, [..."abcdefghijklmnopqrstuvwxyz"]);
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  return pick(random, [
    before + letter + after,
    before + word[at] + letter + after,
    before + after,
    before + word[at + 1] + word[at] + word.slice(at + 2),
  ]);
}
