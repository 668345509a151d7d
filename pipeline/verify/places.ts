// Verifies the states of funders and recipients in the index against the organizations and the manifest.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { placeFilters } from "../../api-static/contract/filters.ts";
import { parts } from "../../api-static/release/layout.ts";
import { countRows, literalPath } from "../base/database.ts";
import type { Manifest } from "../releases/manifest.ts";

/** EINs of funders or recipients whose state is not that of their line in `organizations`. */
const differencesSql = (state: string) => {
  const ein = state.replace("_state", "_ein");
  return `(SELECT DISTINCT ${ein} AS ein, ${state} AS id FROM by_funder) AS placed
LEFT JOIN states USING (id)
LEFT JOIN (
  SELECT ein::UINTEGER AS ein, CASE WHEN regexp_full_match(state, '[A-Za-z]{2}') THEN upper(state) END AS state
  FROM read_json($path, format = 'newline_delimited', columns = {ein: 'VARCHAR', state: 'VARCHAR'})
) AS listed USING (ein)
WHERE text IS DISTINCT FROM state`;
};

/**
 * Finds grants whose states are not those of the organizations, or more or fewer than the manifest says.
 * @param connection whose current database is the index
 */
export async function findPlaceProblems(
  connection: DuckDBConnection,
  folder: string,
  { places }: Manifest,
): Promise<string[]> {
  const problems: string[] = [];
  const path = literalPath(join(folder, parts.organizations));
  for (const state of Object.values(placeFilters)) {
    const { source, unknown } = places[state];
    const found = await countRows(connection, `by_funder WHERE ${state} IS NULL`);
    if (found !== unknown)
      problems.push(`${parts.index}: ${found} grants have no ${state}, the manifest says ${unknown}`);
    if (source !== "organizations") continue;
    const count = await countRows(connection, differencesSql(state), { path });
    if (count > 0)
      problems.push(`${parts.index}: ${count} EINs have another ${state} than in the organizations`);
  }
  return problems;
}
