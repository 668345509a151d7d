// Defines the filters on texts that grants contain, and how these are compared.
import { malformed, parseText } from "../faults.ts";
import type { Filters } from "../filters.ts";
import { textLengthMax } from "../limits.ts";
import { quoteSearched } from "../searchText.ts";
import { canonicalText, splitWords } from "../text.ts";
import { type Draft, readBy } from "../values.ts";
import type { Filter, Sentence } from "./filter.ts";

function textFilter<Name extends "purpose" | "recipient_name">(
  name: Name,
  key: "purpose" | "recipientName",
  noun: string,
  example: string,
  sentence: Sentence,
) {
  const patternsOf = ({ [key]: text = "", isByWords }: Filters) => (isByWords ? splitWords(text) : [text]);
  return {
    name,
    description: `Text that the ${noun} contains, ignoring case. No character has a special meaning.`,
    schema: { type: "string", minLength: 1, maxLength: textLengthMax, examples: [example] },
    read: readBy(parseText, name, key),
    format: (filters) => filters[key],
    meets(filters, { [name]: text }) {
      const canonical = text === null ? undefined : canonicalText(text);
      return patternsOf(filters).every((pattern) => canonical?.includes(pattern));
    },
    sql: (filters, { contains }) => contains(name, patternsOf(filters)),
    sentence,
  } as const satisfies Filter;
}

export const purpose = textFilter("purpose", "purpose", "purpose", "music", {
  clause: "for",
  say: (query) => (query.purpose === undefined ? "" : ` for ${quoteSearched(query, "purpose")}`),
});

export const recipientName = textFilter("recipient_name", "recipientName", "recipient's name", "food bank", {
  clause: "to",
  say: (query) =>
    query.recipient_name === undefined
      ? ""
      : ` to recipients named ${quoteSearched(query, "recipient_name")}`,
});

export const match = {
  name: "match",
  description:
    "`words` matches if `purpose` and `recipient_name` contain each of the given words, in any order. Without it, they contain the text as it is.",
  schema: { type: "string", const: "words" },
  read(value, draft) {
    if (value !== "words") return malformed('match must be "words"', value);
    draft.isByWords = true;
    return undefined;
  },
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
