// Verifies the matches of a release: the file of all of them against the grants, the manifest, and what summaries add up. The columns of likely
// recipients are compared with the same rows of the index.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/answers/downloads.ts";
import { matchTextSql } from "../../api-static/contract/answers/matches.ts";
import { offsetBytes, parts, readOffset } from "../../api-static/release/layout.ts";
import { countRows, literalPath } from "../base/database.ts";
import { lineEnds, readLineBlocks } from "../base/lines.ts";
import type { Manifest } from "../releases/manifest.ts";
import { linesSql } from "../releases/recordRows.ts";
import { turnOf } from "../releases/turns.ts";
import { countProblems, disorder, hashSumSql } from "./contradictions.ts";

/** The number of parts into which EINs are divided by their last digit. Each night compares one part; small releases have one. */
const maxParts = 10;
const matchesOfPart = 100_000;

const file = "read_parquet($matches)";
const without = (condition: string) => `SELECT count(*) FROM ${file} WHERE NOT coalesce(${condition}, false)`;

/** Counts that must be zero. */
const faults: Readonly<Record<string, string>> = {
  "rows out of order": disorder(file, "matched_ein, id", "<="),
  "rows without an EIN of nine digits": without("regexp_full_match(matched_ein, '[0-9]{9}')"),
  "rows without a score from 0 to 1": without("match_score BETWEEN 0 AND 1"),
  "rows without evidence": without("match_evidence <> ''"),
  "rows of another version of the rules": without("rules_version = $version"),
};

/** Where the EIN is in a line of `matches`. */
const einAt = '{"matched_ein":"'.length + 1;

const summedSql = hashSumSql("matched_ein, transaction_year, amount_cents, funder_ein, rule, position, text");

const isInTurn = (ein: string) => `${ein} % $count = $part`;

/**
 * True if the matches of a part, each with its grant and the number of its line in `matches`, are those in `by_match`. Lines are
 * compared by their hashes: joins would carry all of their text, and spill it to the disk.
 */
const isIndexedSql = `
SELECT (SELECT ${summedSql} FROM by_match WHERE ${isInTurn("matched_ein")}) = (SELECT ${summedSql} FROM (
  SELECT matched_ein, transaction_year, amount_cents, funder_ein, match_rule AS rule, position, text
  FROM (
    SELECT id, try_cast(matched_ein AS UINTEGER) AS matched_ein, match_rule, md5_number(concat(${matchTextSql}, ',')) AS hash
    FROM ${file} WHERE ${isInTurn("try_cast(matched_ein AS UINTEGER)")}
  )
  LEFT JOIN (
    SELECT text, md5_number(line) AS hash
    FROM (SELECT (row_number() OVER () - 1)::INTEGER AS text, line FROM ${linesSql("lines")})
    WHERE ${isInTurn(`try_cast(substr(line, ${einAt}, 9) AS UINTEGER)`)}
  ) USING (hash)
  JOIN by_funder USING (id)
))`;

/**
 * Compares the file of matches with the grants and with what summaries add up, and its rules with those that the manifest says are
 * served.
 * @param connection whose current database is the index
 * @param isWhole true if the matches of all EINs are compared with the grants; else of a part of them, in turn
 */
export async function findMatchProblems(
  connection: DuckDBConnection,
  folder: string,
  { matches, parts: sealed, downloads, release, objections }: Manifest,
  isWhole: boolean,
): Promise<string[]> {
  const path = literalPath(join(folder, parts.matchesFile));
  const problems = await countProblems(connection, parts.matchesFile, faults, {
    matches: path,
    version: matches.rules_version,
  });
  const report = (problem: string) => problems.push(`${parts.matchesFile}: ${problem}`);
  const rows = await countRows(connection, file, { matches: path });
  if (rows !== matches.matched) report(`${rows} rows, the manifest says ${matches.matched}`);
  const indexed = await countRows(connection, "by_match");
  if (indexed !== rows) report(`${rows} rows, by_match of ${parts.index} has ${indexed}`);
  const count = isWhole || matches.matched <= matchesOfPart ? 1 : maxParts;
  const lines = literalPath(join(folder, parts.matches));
  const turn = { count, part: turnOf(release, count) };
  const compared = await connection.runAndReadAll(isIndexedSql, { matches: path, lines, ...turn });
  if (compared.getRows()[0]?.[0] !== true) report(`differences from by_match of ${parts.index}`);
  const served = matches.rules.filter((rule) => rule.served);
  const expected = new Map<string, number>(served.map(({ rule, records }) => [rule, records]));
  const rulesSql = `SELECT match_rule, count(*)::DOUBLE FROM ${file} GROUP BY ALL`;
  const read = await connection.runAndReadAll(rulesSql, { matches: path });
  const ofRules = new Map(read.getRows().map(([rule, rows]) => [String(rule), Number(rows)]));
  for (const rule of new Set([...ofRules.keys(), ...expected.keys()])) {
    const [rows, sealed] = [ofRules.get(rule) ?? 0, expected.get(rule) ?? 0];
    // An operator takes rows from rules.
    const isObjected = objections !== null && (rule === "operator" || rows < sealed);
    if (rows !== sealed && !isObjected)
      report(`${rows} rows of the rule ${rule}, the manifest says ${sealed}`);
  }
  const copy = join(parts.public, downloadKey("matches.parquet"));
  if (downloads && sealed[copy]?.sha256 !== sealed[parts.matchesFile]?.sha256)
    problems.push(`${copy} differs from ${parts.matchesFile}`);
  if (!(await hasLineStarts(folder))) problems.push(`${parts.matchOffsets} differs from ${parts.matches}`);
  return problems;
}

/** True if the offsets are those of the lines in `matches`. They are held in memory: 20 MB for 1.5 million lines. */
async function hasLineStarts(folder: string): Promise<boolean> {
  const offsets = await readFile(join(folder, parts.matchOffsets));
  const starts = [0];
  let bytes = 0;
  for await (const block of readLineBlocks(join(folder, parts.matches))) {
    for (const end of lineEnds(block)) starts.push(bytes + end);
    bytes += block.length;
  }
  if (offsets.length !== starts.length * offsetBytes || starts.at(-1) !== bytes) return false;
  return starts.every((start, line) => readOffset(offsets, line) === start);
}
