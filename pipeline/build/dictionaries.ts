// Formats the SQL that builds the dictionaries of the index: the distinct texts of a column.

import { canonicalTextSql } from "../../api-static/contract/text.ts";
import type { Dictionary } from "../../api-static/release/layout.ts";
import { keptTextsSql } from "./keptKeys.ts";

/**
 * SQL that makes tables from the table `grants`, and from the kept records if there are any: `texts` (id, text, records) has the
 * distinct canonical texts, most frequent first; `…_filed` (filed, id) has the id of each text as it was filed, and `…_kept`
 * (before, id) that of each kept text by its id in the previous index.
 */
export const textsSql = (dictionary: Dictionary, isKeeping: boolean) => {
  const { column, texts } = dictionary;
  return `
CREATE TABLE filed AS
  SELECT ${column} AS filed, ${canonicalTextSql(column)} AS text, count(*) AS records
  FROM grants WHERE ${column} IS NOT NULL GROUP BY ${column};
${isKeeping ? `CREATE TABLE kept AS ${keptTextsSql(dictionary)};` : ""}
CREATE TABLE ${texts} AS
  SELECT (row_number() OVER (ORDER BY records DESC, text) - 1)::UINTEGER AS id, text, records
  FROM (
    SELECT text, sum(records)::UINTEGER AS records
    FROM (SELECT text, records FROM filed ${isKeeping ? "UNION ALL SELECT text, records FROM kept" : ""}) GROUP BY text
  )
  ORDER BY id;
CREATE TABLE ${texts}_filed AS SELECT filed, id FROM filed JOIN ${texts} USING (text);
DROP TABLE filed;
${isKeeping ? `CREATE TABLE ${texts}_kept AS SELECT kept.id AS before, ${texts}.id FROM kept JOIN ${texts} USING (text); DROP TABLE kept;` : ""}
`;
};
