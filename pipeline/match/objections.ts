// Applies an operator's objections to the matches that rules found.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { Objection } from "../warehouse/objections.ts";

/** The names and places of the grants that an operator objects to. */
const objectionsSql = `
CREATE TABLE objections AS
  SELECT filed, key, any_value(matched) AS matched, any_value("right") AS ein
  FROM (SELECT unnest($ids)::BIGINT AS id, unnest($matched)::UINTEGER AS matched, nullif(unnest($rights)::UINTEGER, 0) AS "right")
  JOIN (SELECT id, rowid AS position FROM grants) USING (id) JOIN predicted USING (position) JOIN filed USING (filed)
  GROUP BY filed, key`;

/** Grants whose match is the objected one, or whose right EIN is known. */
const applySql = `
UPDATE predicted SET ein = objections.ein, reference = 0, rule = CASE WHEN objections.ein IS NOT NULL THEN 'operator' END
FROM filed, objections
WHERE filed.filed = predicted.filed AND predicted.recipient_ein IS NULL
  AND (filed.key = objections.key OR filed.filed = objections.filed)
  AND (objections.ein IS NOT NULL OR predicted.ein = objections.matched)`;

/** Changes the table `predicted` where the operator objects. Grants that are no longer there have no effect. */
export async function applyObjections(
  connection: DuckDBConnection,
  objections: readonly Objection[],
): Promise<void> {
  if (objections.length === 0) return;
  await connection.run(objectionsSql, {
    ids: listValue(objections.map(({ id }) => id)),
    matched: listValue(objections.map(({ matched }) => matched)),
    rights: listValue(objections.map(({ right }) => right ?? 0)),
  });
  await connection.run(applySql);
}
