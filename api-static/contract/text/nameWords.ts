// Splits names of organizations into the words by which they are found: the same function for the list and for typed text.
import { nameWords } from "./names.ts";
import { stateNames } from "./states.ts";

/** Words in a name that count: more do not fit into a query. */
const maxWords = 200;

/** Legal forms, articles, conjunctions and prepositions: filers write and omit them at will. */
const optionalWords: ReadonlySet<string> = new Set(
  "a an and at by co company corp corporation for from in inc incorporated limited llc llp lp ltd nfp of on or pllc the to with".split(
    " ",
  ),
);

/** A word, then how returns and the IRS's list spell or shorten it. */
export const spellings: ReadonlyMap<string, string> = new Map(
  `academy acad
  america amer
  association assn assoc asso assc assocn
  auxiliary aux
  baptist bapt
  brothers bros
  building bldg
  catholic cath
  center ctr cntr centre
  chapter chap chpt chptr
  charitable char charit
  church ch chr
  college coll col
  commission commn
  committee cmte cttee comte
  community comm cmty commty comty
  conference conf
  council cncl
  county cnty cty
  department dept
  development dev devel dvlp devlpmt
  district dist
  doctor dr
  education educ edu ed
  educational educl
  elementary elem
  endowment endow
  episcopal episc
  evangelical evang
  family fam
  federation fed fedn
  fellowship fellshp
  fifth 5th
  first 1st
  fort ft
  foundation fdn fdtn fndn fndtn fnd foundtn
  fourth 4th
  government govt
  health hlth
  historical hist
  hospital hosp
  house hse
  housing hsng
  institute inst institution
  international intl intnl internatl
  junior jr
  library lib libr
  lutheran luth
  management mgmt mgt
  medical med
  memorial mem meml
  methodist meth
  ministries min mins
  mount mt
  mountain mtn
  museum mus
  national natl nat natnl
  orchestra orch
  organization org orgn organisation
  preparatory prep
  presbyterian presb presby
  program prog
  rehabilitation rehab
  research rsch
  saint st street
  saints sts
  scholarship schol schlrshp
  school sch schl
  second 2nd
  senior sr
  service svc serv
  services svcs servs
  society soc
  symphony symph
  technology tech
  television tv
  theater theatre
  third 3rd
  township twp
  trust tr trst
  university univ unv
  veterans vets
  volunteer vol
  youth yth`
    .split("\n")
    .flatMap((line) => {
      const [word = "", ...others] = line.trim().split(" ");
      return others.map((other) => [other, word] as const);
    }),
);

/** Well-known initials, then the words that they stand for. */
export const initialisms: ReadonlyMap<string, string> = new Map(
  `aclu american civil liberties union
  aspca american society for the prevention of cruelty to animals
  bbbs big brothers big sisters
  bsa boy scouts of america
  casa court appointed special advocates
  ffa future farmers of america
  fop fraternal order of police
  hfh habitat for humanity
  jcc jewish community center
  naacp national association for the advancement of colored people
  nami national alliance on mental illness
  pta parent teacher association
  pto parent teacher organization
  spca society for the prevention of cruelty to animals
  umc united methodist church
  us united states
  usa united states of america
  vfw veterans of foreign wars
  wwii world war ii
  yfc youth for christ
  ymca young mens christian association
  ywca young womens christian association`
    .split("\n")
    .map((line) => {
      const [word = "", ...others] = line.trim().split(" ");
      return [word, others.join(" ")] as const;
    }),
);

/**
 * Initials and codes of states, then the words that they stand for. MT is rather "mount", and CO "company". Names of likely recipients are compared
 * in full: initials stand for many things, their words for one.
 */
export const phrases: ReadonlyMap<string, string> = new Map([
  ...[...stateNames]
    .map(([code, name]) => [code.toLowerCase(), nameWords(name).join(" ")] as const)
    .filter(([code]) => code !== "mt" && code !== "co"),
  ...initialisms,
]);

/**
 * The words of a name in the spelling of the index, each once, in order. Initials are one word: "Y.M.C.A." is "ymca". Legal forms and
 * prepositions are omitted, unless there is nothing else.
 */
export function indexedWords(name: string): string[] {
  const words = joinInitials(nameWords(name));
  const kept = words.filter((word) => !optionalWords.has(word));
  const spelled = (kept.length > 0 ? kept : words).map(spellWord);
  return (spelled.length === 1 ? spelled : [...new Set(spelled)]).slice(0, maxWords);
}

/** Words of a name whose initials may stand for it. */
const initials = { min: 3, max: 9 };

/** What an acronym starts with in the index: no word does, so it is no word's start, and not similar to any. */
const acronymMark = "~";

/** The initials of a name's words, as the index has them; none for short and long names. */
export function acronymOf(words: readonly string[]): string[] {
  if (words.length < initials.min || words.length > initials.max) return [];
  return [markAcronym(words.map(([letter]) => letter).join(""))];
}

/** A word as the index has it if it is an acronym. */
export function markAcronym(word: string): string {
  return acronymMark + word;
}

/** A word in the spelling of the index, e.g., "saint" for "st". */
export function spellWord(word: string): string {
  return spellings.get(word) ?? word;
}

export function isOptionalWord(word: string): boolean {
  return optionalWords.has(word);
}

/** Words of the index that have a spelling with this prefix, e.g., "saint" for "stree". */
export function findSpelled(prefix: string): string[] {
  return [...spellings].filter(([spelling]) => spelling.startsWith(prefix)).map(([, word]) => word);
}

/** Joins letters that follow each other. */
function joinInitials(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const isLetter = word.length === 1 && word >= "a";
    if (isLetter && isOpen) joined[joined.length - 1] += word;
    else joined.push(word);
    isOpen = isLetter;
  }
  return joined;
}

/** The words of a place: of the city, and the state's code and name. They may all be optional words. */
export function placeWords(city: string, state: string): string[] {
  const name = stateNames.get(state.trim().toUpperCase()) ?? "";
  return [...new Set(nameWords(`${city} ${state} ${name}`).map(spellWord))];
}

/** The words of a query: those that a name must have, in the spelling of the index; and the last word as it was typed. */
export type QueryWords = {
  readonly words: readonly string[];
  readonly last: string;
  /** True if the last word is optional and none of `words`; a longer word may start with it. */
  readonly isLastOptional: boolean;
};

export function queryWords(text: string): QueryWords {
  const words = indexedWords(text);
  const last = joinInitials(nameWords(text)).at(-1) ?? "";
  return { words, last, isLastOptional: !words.includes(spellWord(last)) };
}
