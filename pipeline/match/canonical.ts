// Makes names and cities comparable: case, accents, punctuation, legal forms and abbreviations do not count.
import type { DuckDBConnection } from "@duckdb/node-api";
import { spellings } from "../../api-static/contract/nameWords.ts";

/**
 * Words that filers write and omit at will. Words that name searches omit too, such as ON and BY, distinguish organizations: "On the
 * Rise" is not "Rise".
 */
const omittedWords =
  "a an and at co company corp corporation inc incorporated limited llc llp lp ltd nfp of pllc the"
    .split(" ")
    .map((word) => `'${word}'`)
    .join(", ");

/** Lower case without accents, apostrophes and periods; `&` is "and"; each other character is a space. */
const foldedSql = (text: string) => `regexp_replace(regexp_replace(replace(
  strip_accents(lower(${text})), '&', ' and '), '[''’.]', '', 'g'), '[^a-z0-9 ]', ' ', 'g')`;

/** SQL of a city that compares: only letters; SAINT and ST, MOUNT and MT, FORT and FT are the same. Null if there are no letters. */
export const citySql = (city: string) => `nullif(regexp_replace(regexp_replace(regexp_replace(
  ' ' || strip_accents(lower(${city})), '[^a-z](s)ain(t)[^a-z]+|[^a-z](m)oun(t)[^a-z]+|[^a-z](f)or(t)[^a-z]+',
  ' \\1\\2\\3\\4\\5\\6 ', 'g'), ' (st|mt|ft)[.]', ' \\1 ', 'g'), '[^a-z]+', '', 'g'), '')`;

/** What separates the parts of a name: "DBA" and the like, brackets. */
const separator = String.raw`'(?i)\b(?:d/?b/?a|a/?k/?a|f/?k/?a|doing business as|formerly|also known as)\b[.:]?|[()\[\]]'`;

/** Characters of a part, at least: shorter ones are initials. */
const partLength = 6;

/** A word as it compares; null if it is omitted, or empty. Joining all words to a table takes twice as long. */
const wordSql = `CASE WHEN word NOT IN ('', ${omittedWords}) THEN CASE word
  ${[...spellings].map(([spelling, word]) => `WHEN '${spelling}' THEN '${word}'`).join(" ")} ELSE word END END`;

/** SQL of the list of a text's words as they compare. */
const wordsSql = (text: string) =>
  `list_transform(string_split(${foldedSql(text)}, ' '), lambda word: ${wordSql})`;

const keysSql = (sources: string) => `
CREATE TABLE name_keys AS
  SELECT name, array_to_string(kept, '') AS phrase, array_to_string(list_sort(kept), ' ') AS words
  FROM (SELECT name, ${wordsSql("name")} AS kept FROM (SELECT DISTINCT name FROM (${sources}) WHERE name IS NOT NULL));
DELETE FROM name_keys WHERE phrase IS NULL`; // as a condition of the SELECT, it would read the words twice

const partsSql = `
CREATE TABLE name_parts AS
  SELECT name, array_to_string(${wordsSql("part")}, '') AS phrase
  FROM (SELECT DISTINCT name, trim(unnest(regexp_split_to_array(name, ${separator}))) AS part
    FROM name_keys WHERE regexp_matches(name, ${separator}))
  WHERE length(part) >= ${partLength}`;

/**
 * Makes the tables `name_keys` (name, phrase, words), with each name's words as they compare: `phrase` without spaces, `words` in order of their
 * letters; and `name_parts` (name, phrase), with each part of the names that have several. Names without words that count have no keys.
 * @param sources SQL that selects the names, as the column `name`
 */
export async function makeNameKeys(connection: DuckDBConnection, sources: string): Promise<void> {
  await connection.run(keysSql(sources));
  await connection.run(partsSql);
}
