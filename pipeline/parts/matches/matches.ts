// Writes the matches of a release: all of them as Parquet, lines about them, and into the index those that summaries add up.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { centsSql } from "../../../api-static/contract/amount.ts";
import { matchTextSql, rulesVersion } from "../../../api-static/contract/matches.ts";
import { parts, schemaVersion } from "../../../api-static/release/layout.ts";
import { countRows, sqlText, withOwnTables } from "../../base/database.ts";
import { digestFile, type FileDigest } from "../../base/digests.ts";
import { findLines } from "../records/findLines.ts";
import { copyLinesSql } from "../records/records.ts";

/** Matches of a range, about. With what is said of them, sorting these takes about 500 MB. */
const matchesAtOnce = 4_000_000;

/** The matches with what is said of them, and their grants. */
const matched =
  "matches JOIN match_texts ON match_texts.id = matches.text JOIN grants ON grants.rowid = matches.position";

/** Those of a range. */
const inRange = `WHERE matches.ein BETWEEN $first::UINTEGER AND $last::UINTEGER
  AND match_texts.ein BETWEEN $first::UINTEGER AND $last::UINTEGER`;

const emptySql = `
CREATE TABLE match_rows (id BIGINT, ein UINTEGER, rule VARCHAR, score DECIMAL(4, 3), evidence VARCHAR)`;

const partSql = `
INSERT INTO match_rows SELECT grants.id, matches.ein, rule, score, evidence FROM ${matched} ${inRange}
ORDER BY matches.ein, grants.id`;

const rowsSql = `
SELECT id, printf('%09d', ein) AS matched_ein, rule AS match_rule, score AS match_score, evidence AS match_evidence,
  ${rulesVersion}::INTEGER AS rules_version
FROM match_rows`;

/**
 * Writes `matches.parquet` into a release's folder from the tables `matches`, `match_texts` and `grants`, in order of the matched
 * EIN, then of the grant's id. It has no rows if there are no matches. Returns its digest.
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
    const ranges = await cutMatches(connection, atOnce);
    for (const [index, range] of ranges.entries()) {
      await connection.run(partSql, range);
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

const byMatchSql = `
SELECT matches.ein AS matched_ein, transaction_year, ${centsSql("amount")} AS amount_cents, funder_ein, rule,
  matches.position, matches.text
FROM ${matched} ${inRange} ORDER BY matched_ein, transaction_year DESC, grants.id`;

/** Makes the table `by_match` of the attached index: a row for each match, in order of its EIN, then newest year first. */
export async function indexMatches(connection: DuckDBConnection, atOnce = matchesAtOnce): Promise<void> {
  await connection.run(`CREATE TABLE index.by_match AS ${byMatchSql} WITH NO DATA`, {
    first: "0",
    last: "0",
  });
  for (const range of await cutMatches(connection, atOnce))
    await connection.run(`INSERT INTO index.by_match ${byMatchSql}`, range);
}

/** Cuts the matches into ranges of about `atOnce`, in order; those of one EIN stay together. */
async function cutMatches(connection: DuckDBConnection, atOnce: number) {
  const sql = `
SELECT min(ein), max(ein) FROM (
  SELECT ein, sum(count(*)) OVER (ORDER BY ein) // $atOnce::BIGINT AS part FROM matches WHERE ein IS NOT NULL GROUP BY ein
) GROUP BY part ORDER BY part`;
  const read = await connection.runAndReadAll(sql, { atOnce });
  return read.getRows().map(([first, last]) => ({ first: String(first), last: String(last) }));
}
