// Defines the filters on texts that grants contain, and how these are compared.
import type { Filters } from "../filters.ts";
import { textLengthMax } from "../limits.ts";
import { quoteSearched } from "../text/searchText.ts";
import { canonicalText, parseText, splitWords } from "../text/text.ts";
import { type Draft, readAs, readBy } from "../values.ts";
import type { Filter, Sentence } from "./filter.ts";

type Row<Name> = {
  readonly name: Name;
  readonly key: "purpose" | "recipientName";
  readonly noun: string;
  readonly example: string;
  readonly clause: Sentence["clause"];
  /** Those before the text. */
  readonly words: string;
};

function textFilter<Name extends "purpose" | "recipient_name">({ name, key, ...row }: Row<Name>) {
  const patternsOf = ({ [key]: text = "", isByWords }: Filters) => (isByWords ? splitWords(text) : [text]);
  return {
    name,
    description: `Text that the ${row.noun} contains, in any case.`,
    schema: { type: "string", minLength: 1, maxLength: textLengthMax, examples: [row.example] },
    read: readBy(parseText, name, key),
    format: (filters) => filters[key],
    meets(filters, { [name]: text }) {
      const canonical = text === null ? undefined : canonicalText(text);
      return patternsOf(filters).every((pattern) => canonical?.includes(pattern));
    },
    sql: (filters, { contains }) => contains(name, patternsOf(filters)),
    sentence: {
      clause: row.clause,
      say: (query) => (query[name] === undefined ? "" : ` ${row.words} ${quoteSearched(query, name)}`),
    },
  } as const satisfies Filter;
}

export const textFilters = [
  textFilter({
    name: "purpose",
    key: "purpose",
    noun: "purpose",
    example: "music",
    clause: "for",
    words: "for",
  }),
  textFilter({
    name: "recipient_name",
    key: "recipientName",
    noun: "recipient's name",
    example: "food bank",
    clause: "to",
    words: "to recipients named",
  }),
];

export const match = {
  name: "match",
  description:
    "`words`: `purpose` and `recipient_name` contain each of the given words, in any order, not the text as it is.",
  schema: { type: "string", const: "words" },
  read: readAs("isByWords", 'match must be "words"', (value) => value === "words" || undefined),
  format: (filters) => (filters.isByWords ? "words" : undefined),
  meets: () => true, // the texts' filters compare words
} as const satisfies Filter;

/** The draft in its canonical form: one word matches as a text does. */
export function withoutNeedlessMatch({ isByWords, ...draft }: Draft): Draft {
  const hasWords = [draft.purpose, draft.recipientName].some(
    (text) => text !== undefined && splitWords(text).length > 1,
  );
  return isByWords && hasWords ? { ...draft, isByWords } : draft;
}
