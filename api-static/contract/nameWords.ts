// Splits names of organizations into the words by which they are found: the same function for the list and for typed text.
import { canonicalText } from "./text.ts";

/** Words in a name that count: more do not fit into a query. */
const maxWords = 200;

/** Legal forms, articles, conjunctions and prepositions: filers write and omit them at will. */
const optionalWords: ReadonlySet<string> = new Set(
  "a an and at by co company corp corporation for from in inc incorporated limited llc llp lp ltd nfp of on or pllc the to with".split(
    " ",
  ),
);

/** A word, then how returns and the IRS's list spell or shorten it. */
const spellings: ReadonlyMap<string, string> = new Map(
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

/** The states and territories by their codes. */
const stateNames: Readonly<Record<string, string>> = {
  ...{
    AL: "Alabama",
    AK: "Alaska",
    AZ: "Arizona",
    AR: "Arkansas",
    CA: "California",
    CO: "Colorado",
    CT: "Connecticut",
  },
  ...{
    DE: "Delaware",
    DC: "District of Columbia",
    FL: "Florida",
    GA: "Georgia",
    GU: "Guam",
    HI: "Hawaii",
    ID: "Idaho",
  },
  ...{
    IL: "Illinois",
    IN: "Indiana",
    IA: "Iowa",
    KS: "Kansas",
    KY: "Kentucky",
    LA: "Louisiana",
    ME: "Maine",
  },
  ...{
    MD: "Maryland",
    MA: "Massachusetts",
    MI: "Michigan",
    MN: "Minnesota",
    MS: "Mississippi",
    MO: "Missouri",
  },
  ...{ MT: "Montana", NE: "Nebraska", NV: "Nevada", NH: "New Hampshire", NJ: "New Jersey", NM: "New Mexico" },
  ...{ NY: "New York", NC: "North Carolina", ND: "North Dakota", OH: "Ohio", OK: "Oklahoma", OR: "Oregon" },
  ...{ PA: "Pennsylvania", PR: "Puerto Rico", RI: "Rhode Island", SC: "South Carolina", SD: "South Dakota" },
  ...{ TN: "Tennessee", TX: "Texas", UT: "Utah", VT: "Vermont", VA: "Virginia", VI: "Virgin Islands" },
  ...{ WA: "Washington", WV: "West Virginia", WI: "Wisconsin", WY: "Wyoming" },
};

/** Letters that have no accent to lose, but a plain form. */
const plainLetters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ð: "d", þ: "th" }; // biome-ignore format: a table

/**
 * The words of a name or of typed text: runs of a-z and 0-9. Case and accents do not count, and neither do apostrophes, which the
 * IRS's list omits: "Children's" is "childrens". `&` is "and". Other characters separate words.
 */
export function nameWords(name: string): string[] {
  return foldText(name).match(/[a-z0-9]+/g) ?? [];
}

function foldText(name: string): string {
  const plain = name.replace(/['’&]/g, (mark) => (mark === "&" ? " and " : ""));
  if (/^[ -~]*$/.test(plain)) return plain.toLowerCase();
  const folded = canonicalText(plain).normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  return folded.replace(/[ßæœøđłðþ]/g, (letter) => plainLetters[letter] as string);
}

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
  const name = stateNames[state.trim().toUpperCase()] ?? "";
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
