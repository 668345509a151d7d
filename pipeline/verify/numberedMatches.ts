// Reads the matches of a release for verification, each with the number of its line in `matches`.
import { matchTextSql } from "../../api-static/contract/matches.ts";
import { linesSql } from "../releases/recordRows.ts";

/**
 * SQL of the matches of `$matches`, a path of Parquet: `id`, `matched_ein`, `match_rule`, and `text`, the number of its line in `$lines`
 * from 0, or null if no line has it. Lines are compared by their hashes: joins would carry all of their text, and
 * spill it to the disk.
 */
export const numberedMatchesSql = `
SELECT id, matched_ein, match_rule, text
FROM (
  SELECT id, try_cast(matched_ein AS UINTEGER) AS matched_ein, match_rule, md5_number(concat(${matchTextSql}, ',')) AS hash
  FROM read_parquet($matches)
)
LEFT JOIN (SELECT (row_number() OVER () - 1)::INTEGER AS text, md5_number(line) AS hash FROM ${linesSql("lines")}) USING (hash)`;
