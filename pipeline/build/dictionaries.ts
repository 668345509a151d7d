// Formats the SQL that builds the dictionaries of the index: the distinct texts of a column.

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
