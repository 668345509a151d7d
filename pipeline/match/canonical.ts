// Makes names and cities comparable: case, accents, punctuation, legal forms and abbreviations do not count.
import type { DuckDBConnection } from "@duckdb/node-api";
import { phrases, spellings } from "../../api-static/contract/text/nameWords.ts";
import { stateNames } from "../../api-static/contract/text/states.ts";

/**
 * Words that filers write and omit at will. Words that name searches omit too, such as ON and BY, distinguish organizations: "On the
 * Rise" is not "Rise".
 */
const omittedWords =
  "a an and at co company corp corporation inc incorporated limited llc llp lp ltd nfp of pllc the".split(
    " ",
  );

/** Two to five letters that follow each other: the IRS writes "Y M C A". */
const initials = `\\b([a-z]) +([a-z])\\b${"(?: +([a-z])\\b)?".repeat(3)}`;

/**
 * Lower case without accents, apostrophes and periods; `&` is "and"; each other character is a space. Initials are one word.
 */
const foldedSql = (text: string) => `regexp_replace(regexp_replace(regexp_replace(replace(
  strip_accents(lower(${text})), '&', ' and '), '[''’.]', '', 'g'), '[^a-z0-9 ]', ' ', 'g'), '${initials}', '\\1\\2\\3\\4\\5', 'g')`;

/** SQL of a city that compares: only letters; SAINT and ST, MOUNT and MT, FORT and FT are the same. Null if there are no letters. */
export const citySql = (city: string) => `nullif(regexp_replace(regexp_replace(regexp_replace(
  ' ' || strip_accents(lower(${city})), '[^a-z](s)ain(t)[^a-z]+|[^a-z](m)oun(t)[^a-z]+|[^a-z](f)or(t)[^a-z]+',
  ' \\1\\2\\3\\4\\5\\6 ', 'g'), ' (st|mt|ft)[.]', ' \\1 ', 'g'), '[^a-z]+', '', 'g'), '')`;

/** What separates the parts of a name: "DBA" and the like, and dashes. */
const separator = String.raw`'(?i)\b(?:d/?b/?a|a/?k/?a|f/?k/?a|c/o|doing business as|formerly|also known as)\b[.:]?|\s[-–—]+\s'`;

/** The governing body, by whose name a college is listed. */
const body = String.raw`'(?i)^(?:the )?(?:board of )?(?:administrators|regents|president (?:and|&) fellows|trustees) of(?: the)?\b'`;

/** Words of schools and churches, which a part of a name may give as the place of a club or a program. */
export const hosts = "academy church college district elementary school schools university".split(" ");

/** Words of an organization that helps another one. No part of its name stands for it: a school is not its foundation. */
export const helpers = "alumni auxiliary booster boosters fbo fdn foundation friends fund trust tuw uw".split(
  " ",
);

const hasWord = (text: string, words: readonly string[]) =>
  `regexp_matches(${text}, '(?i)\\b(?:${words.join("|")})\\b')`;

/** A part in brackets, which a long name may not close. The name without it is another part. */
const bracketed = String.raw`'[(\[]([^)\]]*)(?:[)\]]|$)'`;

/** Characters of a part, at least: shorter ones are initials. Later parts have several words: not "(NATIONAL)". */
const partLength = 6;

/** Codes of states at the end of a name, unless they are a part of a phrase: "Food Bank - AZ", but not "Food Bank of AZ". */
const stateCodes = [...stateNames.keys(), "US", "USA"].join("|");
const endingSql = (
  name: string,
) => `CASE WHEN NOT regexp_matches(${name}, '(?i)\\b(?:and|for|in|of|the)\\W+(?:${stateCodes})\\W*$')
  THEN regexp_replace(${name}, '(?i)\\W+(?:${stateCodes})\\W*$', '') END`;

/** The words that are read as others: those of a phrase lack the omitted ones. */
const readings = [...spellings, ...phrases].map(([word, others]) => {
  const kept = others.split(" ").filter((other) => !omittedWords.includes(other));
  return `WHEN '${word}' THEN '${kept.map((other) => spellings.get(other) ?? other).join(" ")}'`;
});

/** A word as it compares; null if it is omitted, or empty. Joining all words to a table takes twice as long. */
const wordSql = `CASE WHEN word NOT IN ('', ${omittedWords.map((word) => `'${word}'`).join(", ")}) THEN CASE word
  ${readings.join(" ")} ELSE word END END`;

/** SQL of a text's words as they compare; null if there are none. */
const wordsSql = (text: string) =>
  `array_to_string(list_transform(string_split(${foldedSql(text)}, ' '), lambda word: ${wordSql}), ' ')`;

/** SQL of words without spaces: filers join and split words. */
const phraseSql = (words: string) => `replace(${words}, ' ', '')`;

/** SQL of words in order of their letters. */
export const sortedSql = (words: string) => `array_to_string(list_sort(string_split(${words}, ' ')), ' ')`;

const keysSql = (sources: string) => `
CREATE TABLE name_keys AS
  SELECT name, ${phraseSql("kept")} AS phrase, kept AS words
  FROM (SELECT name, ${wordsSql("name")} AS kept FROM (SELECT DISTINCT name FROM (${sources}) WHERE name IS NOT NULL));
DELETE FROM name_keys WHERE coalesce(phrase, '') = ''`; // as a condition of the SELECT, it would read the words twice

const partsSql = `
CREATE TABLE name_parts AS
  SELECT name, ${phraseSql(wordsSql("part"))} AS phrase, NOT is_whole AND ${hasWord("part", hosts)} AS is_host
  FROM (
    SELECT name, trim(unnest(regexp_split_to_array(name, ${separator}))) AS part, NOT starts_with(name, part) AS is_later, false AS is_whole
    FROM name_keys WHERE regexp_matches(name, ${separator})
    UNION
    SELECT name, unnest(regexp_extract_all(name, ${bracketed}, 1)), true, false FROM name_keys WHERE regexp_matches(name, ${bracketed})
    UNION
    SELECT name, trim(regexp_replace(name, ${bracketed}, ' ', 'g')), false, true FROM name_keys WHERE regexp_matches(name, ${bracketed})
    UNION
    SELECT name, trim(regexp_replace(name, ${body}, '')), false, true FROM name_keys WHERE regexp_matches(name, ${body})
    UNION
    SELECT name, ${endingSql("name")} AS part, false, true FROM name_keys WHERE part <> name
  )
  WHERE length(part) >= ${partLength} AND (${hasWord("part", helpers)} OR NOT ${hasWord("name", helpers)})
    AND (NOT is_later OR (contains(part, ' ') AND NOT ${hasWord("part", hosts)}))`;

/**
 * Makes the tables `name_keys` (name, phrase, words), with each name's words as they compare: `phrase` without spaces, `words` with them;
 * and `name_parts` (name, phrase), with each part of the names that have several. Names without words that count have no keys.
 * @param sources SQL that selects the names, as the column `name`
 */
export async function makeNameKeys(connection: DuckDBConnection, sources: string): Promise<void> {
  await connection.run(keysSql(sources));
  await connection.run(partsSql);
}
