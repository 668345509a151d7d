// Formats the SQL that builds the dictionaries of the index: the distinct texts of a column, and an inverted index of their words.

import { canonicalTextSql } from "../../api-static/contract/text.ts";
import type { Dictionary } from "../../api-static/release/layout.ts";

/**
 * SQL that makes two tables from the table `grants`: `texts` (id, text, records) has the distinct canonical texts, most
 * frequent first; `…_filed` (filed, id) has the id of each text as it was filed.
 */
export const textsSql = ({ column, texts }: Dictionary) => `
CREATE TABLE filed AS
  SELECT ${column} AS filed, ${canonicalTextSql(column)} AS text, count(*) AS records
  FROM grants WHERE ${column} IS NOT NULL GROUP BY ${column};
CREATE TABLE ${texts} AS
  SELECT (row_number() OVER (ORDER BY records DESC, text) - 1)::UINTEGER AS id, text, records
  FROM (SELECT text, sum(records)::UINTEGER AS records FROM filed GROUP BY text)
  ORDER BY id;
CREATE TABLE ${texts}_filed AS SELECT filed, id FROM filed JOIN ${texts} USING (text);
DROP TABLE filed;
`;

/**
 * SQL that makes two tables from the table `texts`: `pieces` has each text cut at spaces; `words` (id, word, postings) has
 * the distinct pieces, most frequent first.
 */
export const wordsSql = ({ texts }: Dictionary) => `
CREATE TABLE pieces AS
  SELECT text, records, unnest(pieces) AS word, unnest(list_append(pieces[2:], NULL)) AS next
  FROM (SELECT id AS text, records, string_split(text, ' ') AS pieces FROM ${texts});
CREATE TABLE words AS
  SELECT (row_number() OVER (ORDER BY postings DESC, word) - 1)::UINTEGER AS id, word, postings
  FROM (SELECT word, count(*)::UINTEGER AS postings FROM pieces GROUP BY word)
  ORDER BY id;
`;

/**
 * SQL of the postings (word, text, next, records), by word and text: one row for each word of each text, with the word that
 * follows it in the text (null after the last) and the text's records.
 */
export const postingsSql = `
SELECT words.id AS word, pieces.text, following.id AS next, pieces.records
FROM pieces JOIN words USING (word) LEFT JOIN words AS following ON following.word = pieces.next
ORDER BY words.id, pieces.text, following.id`;
