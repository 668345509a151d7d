// The rules that find a recipient in the list of organizations, by name and place.
import type { DuckDBConnection } from "@duckdb/node-api";
import type { MatchRule } from "../../api-static/contract/answers/matchRules.ts";
import { citySql, helpers, hosts, sortedSql } from "./canonical.ts";

/** SQL of the names of the list. */
export const listedNamesSql =
  "SELECT name FROM organization_names UNION ALL SELECT also AS name FROM organization_names";

const listSql = (words: readonly string[]) => `[${words.map((word) => `'${word}'`).join(", ")}]`;

/**
 * `listed_rows` numbers the rows of the list. `listed_names` has each name in the form that compares. A second name counts if it shares a
 * word with the first one or has several words, if it is a host's only if the first one is, and if it is a helper's as the first one is. It never
 * counts for subordinates in a group exemption, whose first name is that of their parent. `leads` is true for the first names of others.
 */
const namesSql = `
CREATE TABLE listed_rows AS
  SELECT row_number() OVER () AS row, * FROM (
    FROM organization_names WHERE state IS NOT NULL ORDER BY ein, name, also, city, state, zip, period, first_period);
CREATE TABLE listed_names AS
  WITH listed AS (
    SELECT row, ein, name, also, state, ${citySql("city")} AS city, zip, phrase, words, NOT is_subordinate AS leads
    FROM listed_rows JOIN name_keys USING (name)
  )
  SELECT row, ein, name, phrase, words, state, city, zip, leads FROM listed
  UNION ALL
  SELECT row, ein, name_keys.name, name_keys.phrase, name_keys.words, state, city, zip, false
  FROM listed JOIN name_keys ON name_keys.name = also,
    LATERAL (SELECT string_split(listed.words, ' ') AS first, string_split(name_keys.words, ' ') AS second)
  WHERE leads AND (list_has_any(first, second) OR len(second) > 1)
    AND list_has_all(first, list_intersect(second, ${listSql(hosts)})) AND list_has_all(second, list_intersect(first, ${listSql(helpers)}))`;

/** SQL of the only EIN in a group of `listed`; null if there are several. Others count only if none has the name as its first one. */
const soleSql = `CASE WHEN bool_or(listed.leads) THEN
    CASE WHEN min(listed.ein) FILTER (listed.leads) = max(listed.ein) FILTER (listed.leads) THEN min(listed.ein) FILTER (listed.leads) END
  WHEN min(listed.ein) = max(listed.ein) THEN min(listed.ein) END`;

const samePlace = "(filed.city = listed.city OR filed.zip = listed.zip)";

/** Each name with its words in any order, with its phrase, and with that of each of its parts. */
function formsSql(from: string, parts: string): string {
  return `SELECT *, unnest(['=' || ${sortedSql("words")}, phrase]) AS form, false AS is_part FROM ${from}
    UNION ALL SELECT ${from}.*, name_parts.phrase AS form, true AS is_part FROM ${from} JOIN name_parts USING (name) WHERE ${parts}`;
}

/** Letters of a name that may be misspelled, at least; and the letters that may differ, in short words one. */
const misspelledLength = 12;
const misspelledLetters = 2;
const shortLetters = 5;

/** Words that a typo must not swap. */
const opposites = "'\\b(?:north|south|east|west|women|womens|kansas|arkansas|[ivx]+|[a-z]*[0-9]+[a-z]*)\\b'";

/** SQL of the condition that each word is the other name's word in its place, but for few letters; or that only spaces are misplaced. */
const similarSql = `CASE WHEN len(string_split(filed.words, ' ')) = len(string_split(listed.words, ' '))
  THEN list_bool_and(list_transform(list_zip(string_split(filed.words, ' '), string_split(listed.words, ' ')),
    lambda pair: levenshtein(pair[1], pair[2]) <= CASE WHEN least(length(pair[1]), length(pair[2])) <= ${shortLetters} THEN 1 ELSE ${misspelledLetters} END))
  ELSE levenshtein(filed.words, listed.words) <= ${misspelledLetters} END`;

/**
 * Misspelled names share a block with the right one: the first or the last letters are right, or some of both, and the city or the ZIP code.
 */
function blocksSql(from: string): string {
  const letters = [
    `'<' || left(${from}.phrase, 8)`,
    `'>' || right(${from}.phrase, 12)`,
    `'=' || left(${from}.phrase, 4) || right(${from}.phrase, 8)`,
  ];
  const places = [`${from}.state || ${from}.city`, `${from}.state || ${from}.zip`];
  return `unnest([${places.flatMap((place) => letters.map((some) => `hash(${place} || ${some})`)).join(", ")}])`;
}

/** Names of the list in a block, at most. Large blocks say little, such as all that start with FRIENDS OF in a large city, and take long. */
const blockNames = 100;

/** What no rule found yet takes the place of `filed`. */
const restSql = "(SELECT * FROM filed ANTI JOIN by_list USING (filed))";

type Rule = {
  /** Makes the tables that the rule needs. */
  readonly prepare?: string;
  /** What follows SELECT … FROM: the organizations `listed` that the rule finds for the rows of `filed`. */
  readonly finds: string;
};

/** The rules in their order. Each also finds what the ones before it find, so that what is ambiguous for one is so for the next. */
const rules: readonly (readonly [MatchRule, Rule])[] = [
  ["name_and_place", { finds: `filed JOIN listed_names AS listed USING (phrase, state) WHERE ${samePlace}` }],
  [
    "other_form_of_name",
    {
      finds: `(${formsSql("filed", "name_parts.phrase IS DISTINCT FROM city")}) AS filed JOIN (${formsSql("listed_names", "NOT is_host")}) AS listed USING (form, state)
        WHERE ${samePlace} AND NOT (filed.is_part AND listed.is_part)`,
    },
  ],
  [
    "misspelled",
    {
      prepare: `
        CREATE TABLE filed_blocks AS
          SELECT filed, phrase, words, ${blocksSql("filed")} AS block FROM ${restSql} AS filed WHERE length(phrase) >= ${misspelledLength};
        CREATE TABLE listed_blocks AS
          FROM (SELECT row, ein, phrase, words, leads, ${blocksSql("listed_names")} AS block FROM listed_names) SEMI JOIN filed_blocks USING (block);
        DELETE FROM listed_blocks
          WHERE block IN (SELECT block FROM listed_blocks GROUP BY block HAVING count(*) > ${blockNames})`,
      finds: `filed_blocks AS filed JOIN listed_blocks AS listed USING (block)
        WHERE abs(length(filed.phrase) - length(listed.phrase)) <= ${misspelledLetters}
          AND levenshtein(filed.phrase, listed.phrase) <= ${misspelledLetters}
          AND regexp_extract_all(filed.words, ${opposites}) = regexp_extract_all(listed.words, ${opposites})
          AND ${similarSql}`,
    },
  ],
];

/** The names and places of several organizations. */
const ambiguousSql = `
CREATE TABLE ambiguous AS
  SELECT filed FROM filed JOIN listed_names AS listed USING (phrase, state) WHERE ${samePlace}
  GROUP BY filed HAVING ${soleSql} IS NULL`;

/**
 * Makes the tables `listed_rows`, `ambiguous` (filed) and `by_list` (filed, ein, rule, row): the first rule that finds exactly one organization, and the row of the
 * list.
 */
export async function findInList(connection: DuckDBConnection): Promise<void> {
  await connection.run(namesSql);
  await connection.run("CREATE TABLE by_list (filed UBIGINT, ein UINTEGER, rule VARCHAR, row BIGINT)");
  await connection.run(ambiguousSql);
  for (const [rule, { prepare, finds }] of rules) {
    if (prepare !== undefined) await connection.run(prepare);
    await connection.run(`INSERT INTO by_list
      WITH filed AS ${restSql}
      SELECT filed.filed, ${soleSql} AS ein, '${rule}', max_by(listed.row, (listed.leads, listed.row)) FROM ${finds}
      GROUP BY filed.filed HAVING ein IS NOT NULL`);
  }
  await connection.run("DROP TABLE listed_names; DROP TABLE filed_blocks; DROP TABLE listed_blocks");
}
