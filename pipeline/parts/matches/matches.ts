// Writes the matches of a release: all of them as Parquet, lines about them, and into the index those that summaries add up.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { matchTextSql, rulesVersion } from "../../../api-static/contract/answers/matches.ts";
import { centsSql } from "../../../api-static/contract/text/amount.ts";
import { parts, schemaVersion } from "../../../api-static/release/layout.ts";
import { countRows, sqlText, withOwnTables } from "../../base/database.ts";
import { digestFile, type FileDigest } from "../../base/digests.ts";
import { findLines } from "../records/findLines.ts";
import { copyLinesSql } from "../records/records.ts";

const byMatchSql = `
CREATE TABLE index.by_match AS
  SELECT matches.ein AS matched_ein, grants.id, transaction_year, ${centsSql("amount")} AS amount_cents, funder_ein, rule,
    matches.position, matches.text
  FROM matches JOIN match_texts ON match_texts.id = matches.text JOIN grants ON grants.rowid = matches.position
  ORDER BY matched_ein, grants.id`;

/** Makes the table `by_match` of the attached index: a row for each match, in order of its EIN, then of the grant's id. */
export async function indexMatches(connection: DuckDBConnection): Promise<void> {
  await connection.run(byMatchSql);
}

/** Matches of a range, about: sorting them with what is said of them takes about 500 MB. */
const matchesAtOnce = 4_000_000;

/** The first and the last EIN of ranges of about `$atOnce` matches, in order; those of one EIN stay together. */
const rangesSql = `
SELECT min(ein), max(ein) FROM (
  SELECT matched_ein AS ein, sum(count(*)) OVER (ORDER BY matched_ein) // $atOnce::BIGINT AS part FROM index.by_match GROUP BY matched_ein
) GROUP BY part ORDER BY part`;

const emptySql = `
CREATE TABLE match_rows (id BIGINT, ein UINTEGER, rule VARCHAR, score DECIMAL(4, 3), evidence VARCHAR)`;

const rangeSql = `
INSERT INTO match_rows
  SELECT by_match.id, matched_ein, match_texts.rule, score, evidence
  FROM index.by_match JOIN match_texts ON match_texts.id = by_match.text
  WHERE matched_ein BETWEEN $first::UINTEGER AND $last::UINTEGER AND ein BETWEEN $first::UINTEGER AND $last::UINTEGER
  ORDER BY matched_ein, by_match.id`;

const rowsSql = `
SELECT id, printf('%09d', ein) AS matched_ein, rule AS match_rule, score AS match_score, evidence AS match_evidence,
  ${rulesVersion}::INTEGER AS rules_version
FROM match_rows`;

/**
 * Writes `matches.parquet` into a release's folder from the table `match_texts` and `by_match` of the attached index, in its order. It
 * has no rows if there are no matches. Returns its digest.
 * @param onProgress called with the fraction of the work that is done
 */
export async function writeMatches(
  connection: DuckDBConnection,
  folder: string,
  release: string,
  onProgress: (fraction: number) => void,
  atOnce = matchesAtOnce,
): Promise<FileDigest> {
  const path = join(folder, parts.matchesFile);
  await withOwnTables(connection, async () => {
    await connection.run(emptySql);
    const ranges = (await connection.runAndReadAll(rangesSql, { atOnce })).getRows();
    for (const [index, [first, last]] of ranges.entries()) {
      await connection.run(rangeSql, { first: String(first), last: String(last) });
      onProgress(((index + 1) / ranges.length) * 0.8);
    }
    await connection.run(`COPY (${rowsSql}) TO '${sqlText(path)}' (FORMAT parquet, COMPRESSION zstd,
      WRITE_BLOOM_FILTER false, KV_METADATA {release: '${sqlText(release)}', schema: '${schemaVersion}'})`);
  });
  return digestFile(path);
}

const textsSql = `(SELECT printf('%09d', ein) AS matched_ein, rule AS match_rule, score::DECIMAL(4, 3) AS match_score,
  evidence AS match_evidence FROM match_texts ORDER BY id)`;

/** Writes `matches` and `matches.offsets` from the table `match_texts`. Returns their digests by part. */
export async function writeMatchLines(
  connection: DuckDBConnection,
  folder: string,
): Promise<Record<string, FileDigest>> {
  const file = { lines: join(folder, parts.matches), offsets: join(folder, parts.matchOffsets) };
  await connection.run(copyLinesSql(matchTextSql, textsSql, file.lines));
  const found = await findLines(file, await countRows(connection, "match_texts"), () => {});
  return { [parts.matches]: found.linesDigest, [parts.matchOffsets]: found.offsetsDigest };
}
