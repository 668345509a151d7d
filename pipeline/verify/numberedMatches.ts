// Reads the matches of a release for verification, each with the number of its line in `matches`.
import type { DuckDBConnection } from "@duckdb/node-api";
import { matchTextSql } from "../../api-static/contract/matches.ts";
import { cutMatches } from "../releases/matchRanges.ts";
import { linesSql } from "../releases/recordRows.ts";

/** Cuts the matches of a file into ranges. Joins of all of them would need more memory than other checks leave. */
export const cutMatchFile = (connection: DuckDBConnection, matches: string, atOnce: number) =>
  cutMatches(connection, "SELECT matched_ein AS ein FROM read_parquet($matches)", atOnce, { matches });

/** Where the EIN is in a line of `matches`. */
const einAt = '{"matched_ein":"'.length + 1;

/**
 * SQL of the matches of `$matches`, a path of Parquet, whose EIN is from `$first` to `$last`: `id`, `matched_ein`, `match_rule`, and
 * `text`, the number of its line in `$lines` from 0, or null if no line has it. Lines are compared by their hashes: joins would carry
 * all of their text, and spill it to the disk.
 */
export const numberedMatchesSql = `
SELECT id, matched_ein, match_rule, text
FROM (
  SELECT id, try_cast(matched_ein AS UINTEGER) AS matched_ein, match_rule, md5_number(concat(${matchTextSql}, ',')) AS hash
  FROM read_parquet($matches) WHERE matched_ein BETWEEN $first AND $last
)
LEFT JOIN (
  SELECT text, md5_number(line) AS hash
  FROM (SELECT (row_number() OVER () - 1)::INTEGER AS text, line FROM ${linesSql("lines")})
  WHERE substr(line, ${einAt}, 9) BETWEEN $first AND $last
) USING (hash)`;
