// Applies an operator's objections to the matches that rules found.
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { Objection } from "../warehouse/objections.ts";

/** A name and place: the number of name, city and state as they compare, or without a city the one as filed. */
const placeSql = "coalesce(filed.key, filed.filed::UHUGEINT)";

/**
 * What the rows of the file say together of a name and place, whatever their order. A rejected EIN stays rejected; the right one is the only
 * one that is named and not rejected.
 */
const objectionsSql = `
CREATE TABLE objections AS
  SELECT place, wrong, CASE WHEN len(named) = 1 THEN named[1] END AS ein
  FROM (
    SELECT ${placeSql} AS place, list(DISTINCT matched) AS wrong,
      list_filter(list(DISTINCT "right"), lambda ein: ein > 0 AND NOT list_contains(wrong, ein)) AS named
    FROM (SELECT try_cast(unnest($ids) AS BIGINT) AS id, unnest($matched)::UINTEGER AS matched, unnest($rights)::UINTEGER AS "right")
    JOIN (SELECT id, rowid AS position FROM grants) USING (id) JOIN predicted USING (position) JOIN filed USING (filed)
    GROUP BY place
  )`;

/** Grants whose match is rejected, or whose right EIN is known. Places are compared for equality alone: a join on either of two numbers takes years. */
const applySql = `
UPDATE predicted SET ein = objections.ein, reference = 0, rule = CASE WHEN objections.ein IS NOT NULL THEN 'operator' END
FROM filed JOIN objections ON objections.place = ${placeSql}
WHERE filed.filed = predicted.filed AND predicted.recipient_ein IS NULL
  AND (objections.ein IS NOT NULL OR list_contains(objections.wrong, predicted.ein))`;

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
