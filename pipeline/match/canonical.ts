// Makes names and cities comparable: case, accents, punctuation, legal forms and abbreviations do not count.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { spellings } from "../../api-static/contract/nameWords.ts";
import { countRows } from "../base/database.ts";

/**
 * Words that filers write and omit at will. Words that name searches omit too, such as ON and BY, distinguish organizations: "On the
 * Rise" is not "Rise".
 */
const omittedWords =
  "a an and at co company corp corporation inc incorporated limited llc llp lp ltd nfp of pllc the"
    .split(" ")
    .map((word) => `'${word}'`)
    .join(", ");

/** Lower case without accents, apostrophes and periods; `&` is "and"; other characters separate words. */
const foldedSql = (text: string) => `trim(regexp_replace(regexp_replace(replace(
  strip_accents(lower(${text})), '&', ' and '), '[''’.]', '', 'g'), '[^a-z0-9]+', ' ', 'g'))`;

/** SQL of a city that compares: only letters; SAINT and ST, MOUNT and MT, FORT and FT are the same. Null if there are no letters. */
export const citySql = (city: string) => `nullif(regexp_replace(regexp_replace(regexp_replace(
  ' ' || strip_accents(lower(${city})), '[^a-z](s)ain(t)[^a-z]+|[^a-z](m)oun(t)[^a-z]+|[^a-z](f)or(t)[^a-z]+',
  ' \\1\\2\\3\\4\\5\\6 ', 'g'), ' (st|mt|ft)[.]', ' \\1 ', 'g'), '[^a-z]+', '', 'g'), '')`;

/** What separates the parts of a name: "DBA" and the like, brackets. */
const separator = String.raw`'(?i)\b(?:d/?b/?a|a/?k/?a|f/?k/?a|doing business as|formerly|also known as)\b[.:]?|[()\[\]]'`;

/** Characters of a part, at least: shorter ones are initials. */
const partLength = 6;

/** Names whose words are put together at once: about 500 MB. */
const namesAtOnce = 2_000_000;

const spellingsSql =
  "CREATE TABLE spellings AS SELECT unnest($spellings::VARCHAR[]) AS spelling, unnest($words::VARCHAR[]) AS word";

/**
 * `name_parts` has the parts of each name that has several. `name_keys` has every name and part, and its words as they compare: `phrase` without
 * spaces, `words` in order of their letters. Names of other characters than letters and digits have none.
 */
const namesSql = [
  `CREATE TABLE name_parts AS
    SELECT name, trim(part) AS part
    FROM (SELECT name, unnest(regexp_split_to_array(name, ${separator})) AS part FROM texts WHERE regexp_matches(name, ${separator}))
    WHERE length(trim(part)) >= ${partLength}`,
  `CREATE TABLE folded AS
    SELECT name, ${foldedSql("name")} AS folded FROM (SELECT name FROM texts UNION SELECT part FROM name_parts)`,
  "CREATE TABLE phrases (folded VARCHAR, phrase VARCHAR, words VARCHAR)",
];

/** Adds the phrases of a part of the names: DuckDB does not spill the words of texts that are being put together. */
const phrasesSql = `
  INSERT INTO phrases
    WITH words AS (
      SELECT folded, unnest(words) AS word, generate_subscripts(words, 1) AS place
      FROM (SELECT folded, string_split(folded, ' ') AS words
        FROM (SELECT DISTINCT folded FROM folded WHERE folded <> '' AND hash(folded) % $parts::UBIGINT = $part::UBIGINT))
    ), spelled AS (
      SELECT folded, place, coalesce(spellings.word, words.word) AS word
      FROM words LEFT JOIN spellings ON words.word = spelling WHERE words.word NOT IN (${omittedWords})
    )
    SELECT folded, string_agg(word, '' ORDER BY place) AS phrase, string_agg(word, ' ' ORDER BY word) AS words
    FROM spelled GROUP BY folded`;

const keysSql = [
  "CREATE TABLE name_keys AS SELECT name, phrase, words FROM folded JOIN phrases USING (folded)",
  "DROP TABLE folded; DROP TABLE phrases; DROP TABLE texts; DROP TABLE spellings",
];

/**
 * Makes the tables `name_keys` (name, phrase, words) and `name_parts` (name, part).
 * @param sources SQL that selects the names, as the column `name`
 */
export async function makeNameKeys(connection: DuckDBConnection, sources: string): Promise<void> {
  const entries = [...spellings];
  await connection.run(spellingsSql, {
    spellings: listValue(entries.map(([spelling]) => spelling)),
    words: listValue(entries.map(([, word]) => word)),
  });
  await connection.run(`CREATE TABLE texts AS SELECT DISTINCT name FROM (${sources}) WHERE name IS NOT NULL`);
  for (const statement of namesSql) await connection.run(statement);
  const parts = Math.ceil((await countRows(connection, "folded")) / namesAtOnce);
  for (let part = 0; part < parts; part += 1) await connection.run(phrasesSql, { parts, part });
  for (const statement of keysSql) await connection.run(statement);
}
