// Verifies the matches of a release: the file of all of them against the grants, the manifest and the index.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/downloads.ts";
import type { MatchFacts } from "../../api-static/contract/matches.ts";
import { matchRuleNames } from "../../api-static/contract/matchRules.ts";
import { parts } from "../../api-static/release/layout.ts";
import { literalPath } from "../base/database.ts";
import type { Manifest } from "../releases/manifest.ts";
import { type MatchRange, matchesAtOnce } from "../releases/matchRanges.ts";
import { disorder, hashSumSql } from "./index.ts";
import { cutMatchFile, numberedMatchesSql } from "./numberedMatches.ts";

const file = "read_parquet($matches)";

/** What summaries add up. */
const summedSql = hashSumSql("matched_ein, transaction_year, amount_cents, funder_ein, rule, position, text");

/** Counts that must be zero. `$rows` and `$version` are those that the manifest says. */
const faults: Readonly<Record<string, string>> = {
  "rows more or less than the manifest says": `SELECT abs($rows - count(*)) FROM ${file}`,
  "rows out of order": disorder(file, "matched_ein, id", "<="),
  "rows without an EIN of nine digits": `SELECT count(*) FROM ${file}
    WHERE NOT coalesce(regexp_full_match(matched_ein, '[0-9]{9}'), false)`,
  "rows without a score from 0 to 1": `SELECT count(*) FROM ${file}
    WHERE NOT coalesce(match_score BETWEEN 0 AND 1, false)`,
  "rows without evidence": `SELECT count(*) FROM ${file} WHERE coalesce(match_evidence, '') = ''`,
  "rows of another version of the rules": `SELECT count(*) FROM ${file} WHERE rules_version IS DISTINCT FROM $version`,
  [`rows out of order in by_match of ${parts.index}`]: disorder(
    "by_match",
    "matched_ein, -transaction_year::INTEGER",
  ),
};

/** Rows of a part of all ids, less the grants without an EIN that they name: none if each row names one, and no two the same. */
const strayRowsSql = `
WITH part AS (SELECT id FROM ${file} WHERE hash(id) % $parts::UBIGINT = $part::UBIGINT)
SELECT (SELECT count(*) FROM part) - count(*) FROM by_funder SEMI JOIN part USING (id) WHERE recipient_ein IS NULL`;

const indexSumSql = `SELECT ${summedSql} FROM by_match`;

/** The same sum of a range of the file's matches. */
const fileSumSql = `
SELECT ${summedSql} FROM (
  SELECT matched_ein, transaction_year, amount_cents, funder_ein, match_rule AS rule, position, text
  FROM (${numberedMatchesSql}) JOIN by_funder USING (id)
)`;

const rulesSql = `SELECT match_rule, count(*)::DOUBLE FROM ${file} GROUP BY match_rule ORDER BY match_rule`;

/**
 * Compares the file of matches with the grants and with what summaries add up, and its rules with those that the manifest says are
 * served.
 * @param connection whose current database is the index
 * @param atOnce matches that are compared at once, about
 */
export async function findMatchProblems(
  connection: DuckDBConnection,
  folder: string,
  manifest: Manifest,
  atOnce = matchesAtOnce,
): Promise<string[]> {
  const { matches, parts: sealed, downloads } = manifest;
  const known = { matches: literalPath(join(folder, parts.matchesFile)) };
  const values = { rows: matches.matched, version: matches.rules_version };
  const problems: string[] = [];
  for (const [fault, sql] of Object.entries(faults)) {
    const used = Object.entries({ ...known, ...values }).filter(([name]) => sql.includes(`$${name}`));
    const count = await readNumber(connection, `SELECT (${sql})::HUGEINT`, Object.fromEntries(used));
    if (count !== 0n) problems.push(`${parts.matchesFile}: ${count} ${fault}`);
  }
  const ranges = await cutMatchFile(connection, known.matches, atOnce);
  const strays = await countStrays(connection, known, ranges.length);
  if (strays > 0n)
    problems.push(`${parts.matchesFile}: ${strays} rows that are not each of another grant without an EIN`);
  const lines = literalPath(join(folder, parts.matches));
  if (!(await isIndexed(connection, { ...known, lines }, ranges)))
    problems.push(`${parts.matchesFile}: differences from by_match of ${parts.index}`);
  const counted = await connection.runAndReadAll(rulesSql, known);
  const counts = counted.getRows().map(([rule, rows]): [string, number] => [String(rule), Number(rows)]);
  problems.push(...findRuleProblems(counts, matches, manifest.objections !== null));
  const copy = join(parts.public, downloadKey("matches.parquet"));
  if (downloads && sealed[copy]?.sha256 !== sealed[parts.matchesFile]?.sha256)
    problems.push(`${copy} differs from ${parts.matchesFile}`);
  return problems;
}

type Values = Readonly<Record<string, string | number>>;

/** The only value that SQL gives: an integer. */
async function readNumber(connection: DuckDBConnection, sql: string, values: Values = {}): Promise<bigint> {
  const read = await connection.runAndReadAll(sql, values);
  return read.getRows()[0]?.[0] as bigint;
}

/** Rows that are not each of another grant without an EIN, counted part by part. */
async function countStrays(connection: DuckDBConnection, file: Values, parts: number): Promise<bigint> {
  let strays = 0n;
  for (let part = 0; part < parts; part++)
    strays += await readNumber(connection, strayRowsSql, { ...file, parts, part });
  return strays;
}

/** True if what summaries add up is what the file's matches give. */
async function isIndexed(connection: DuckDBConnection, files: Values, ranges: readonly MatchRange[]) {
  let sum = await readNumber(connection, indexSumSql);
  for (const range of ranges) sum -= await readNumber(connection, fileSumSql, { ...files, ...range });
  return sum === 0n;
}

/** Finds rules that are unknown or not served, or have other rows than the manifest says. An operator takes rows from rules. */
function findRuleProblems(
  counts: readonly (readonly [string, number])[],
  { rules }: MatchFacts,
  hasObjections: boolean,
): string[] {
  const served = new Map(rules.filter((rule) => rule.served).map(({ rule, records }) => [rule, records]));
  const found = new Map(counts);
  const other = counts.filter(
    ([rule]) => !served.has(rule as never) && !(hasObjections && rule === "operator"),
  );
  const wrong = [...served].filter(([rule, records]) => {
    const rows = found.get(rule) ?? 0;
    return hasObjections ? rows > records : rows !== records;
  });
  return [
    ...other.map(([rule, rows]) => {
      const problem = matchRuleNames.includes(rule as never) ? "is not served" : "is unknown";
      return `${parts.matchesFile}: ${rows} rows of the rule ${rule}, which ${problem}`;
    }),
    ...wrong.map(
      ([rule, records]) =>
        `${parts.matchesFile}: ${found.get(rule) ?? 0} rows of the rule ${rule}, the manifest says ${records}`,
    ),
  ];
}
