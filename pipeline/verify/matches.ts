// Verifies the matches of a release: the file of all of them against the grants, the manifest, and what summaries add up. The columns of likely
// recipients are compared with the same rows of the index.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/downloads.ts";
import { type MatchFacts, matchTextSql } from "../../api-static/contract/matches.ts";
import { matchRuleNames } from "../../api-static/contract/matchRules.ts";
import { offsetBytes, parts, readOffset } from "../../api-static/release/layout.ts";
import { countRows, literalPath } from "../base/database.ts";
import { lineFeed } from "../base/lines.ts";
import type { Manifest } from "../releases/manifest.ts";
import { linesSql } from "../releases/recordRows.ts";
import { hashSumSql } from "./index.ts";
import { turnOf } from "./turns.ts";

/** Parts of the EINs, by their last digit, that are compared one after the other, or one each night. Small releases have only one. */
const maxParts = 10;
const matchesOfPart = 100_000;

/** What every row must meet; the number of rows that do not, by what is wrong. A window without an order reads them as they are stored. */
const faults: Readonly<Record<string, string>> = {
  "rows out of order": "(matched_ein, id) <= lag((matched_ein, id)) OVER ()",
  "rows without an EIN of nine digits": "NOT coalesce(regexp_full_match(matched_ein, '[0-9]{9}'), false)",
  "rows without a score from 0 to 1": "NOT coalesce(match_score BETWEEN 0 AND 1, false)",
  "rows without evidence": "coalesce(match_evidence, '') = ''",
  "rows of another version of the rules": "rules_version IS DISTINCT FROM $version",
};

const faultsSql = `
SELECT count(*)::DOUBLE, ${Object.keys(faults)
  .map((_, index) => `count(*) FILTER (fault_${index})::DOUBLE`)
  .join(", ")}
FROM (SELECT ${Object.values(faults)
  .map((sql, index) => `${sql} AS fault_${index}`)
  .join(", ")} FROM read_parquet($matches))`;

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
    FROM read_parquet($matches) WHERE ${isInTurn("try_cast(matched_ein AS UINTEGER)")}
  )
  LEFT JOIN (
    SELECT text, md5_number(line) AS hash
    FROM (SELECT (row_number() OVER () - 1)::INTEGER AS text, line FROM ${linesSql("lines")})
    WHERE ${isInTurn(`try_cast(substr(line, ${einAt}, 9) AS UINTEGER)`)}
  ) USING (hash)
  JOIN by_funder USING (id)
))`;

const rulesSql =
  "SELECT match_rule, count(*)::DOUBLE FROM read_parquet($matches) GROUP BY match_rule ORDER BY match_rule";

/**
 * Compares the file of matches with the grants and with what summaries add up, and its rules with those that the manifest says are
 * served.
 * @param connection whose current database is the index
 * @param isWhole true if the matches of all EINs are compared with the grants; else of a part of them, in turn
 */
export async function findMatchProblems(
  connection: DuckDBConnection,
  folder: string,
  manifest: Manifest,
  isWhole: boolean,
): Promise<string[]> {
  const { matches, parts: sealed, downloads, release } = manifest;
  const paths = {
    matches: literalPath(join(folder, parts.matchesFile)),
    lines: literalPath(join(folder, parts.matches)),
  };
  const read = async (sql: string, values: Record<string, string | number>) =>
    (await connection.runAndReadAll(sql, values)).getRows();
  const [[rows, ...counts] = []] = await read(faultsSql, {
    matches: paths.matches,
    version: matches.rules_version,
  });
  const problems = Object.keys(faults).flatMap((fault, index) =>
    counts[index] === 0 ? [] : [`${counts[index]} ${fault}`],
  );
  if (rows !== matches.matched) problems.push(`${rows} rows, the manifest says ${matches.matched}`);
  const indexed = await countRows(connection, "by_match");
  if (indexed !== rows) problems.push(`${rows} rows, by_match of ${parts.index} has ${indexed}`);
  const count = matches.matched <= matchesOfPart ? 1 : maxParts;
  const turn = turnOf(release, count);
  let isIndexed = true;
  for (let part = 0; part < count; part++)
    if (isWhole || part === turn)
      isIndexed &&= (await read(isIndexedSql, { ...paths, count, part }))[0]?.[0] === true;
  if (!isIndexed) problems.push(`differences from by_match of ${parts.index}`);
  const ofRules = await read(rulesSql, { matches: paths.matches });
  const byRule = new Map(ofRules.map(([rule, count]) => [String(rule), Number(count)]));
  problems.push(...findRuleProblems(byRule, matches, manifest.objections !== null));
  const copy = join(parts.public, downloadKey("matches.parquet"));
  return [
    ...problems.map((problem) => `${parts.matchesFile}: ${problem}`),
    ...(downloads && sealed[copy]?.sha256 !== sealed[parts.matchesFile]?.sha256
      ? [`${copy} differs from ${parts.matchesFile}`]
      : []),
    ...((await hasLineStarts(folder)) ? [] : [`${parts.matchOffsets} differs from ${parts.matches}`]),
  ];
}

/** Finds rules that are unknown or not served, or have other rows than the manifest says. An operator takes rows from rules. */
function findRuleProblems(
  found: ReadonlyMap<string, number>,
  { rules }: MatchFacts,
  hasObjections: boolean,
): string[] {
  const served = new Map<string, number>(
    rules.filter((rule) => rule.served).map(({ rule, records }) => [rule, records]),
  );
  const others = [...found].filter(([rule]) => !served.has(rule) && !(hasObjections && rule === "operator"));
  const wrong = [...served].filter(([rule, records]) => {
    const rows = found.get(rule) ?? 0;
    return hasObjections ? rows > records : rows !== records;
  });
  const isKnown = (rule: string) => matchRuleNames.includes(rule as never);
  return [
    ...others.map(
      ([rule, rows]) =>
        `${rows} rows of the rule ${rule}, which ${isKnown(rule) ? "is not served" : "is unknown"}`,
    ),
    ...wrong.map(
      ([rule, records]) => `${found.get(rule) ?? 0} rows of the rule ${rule}, the manifest says ${records}`,
    ),
  ];
}

/** True if the offsets are those of the lines in `matches`. They are held in memory: 9 MB for 1.5 million lines. */
async function hasLineStarts(folder: string): Promise<boolean> {
  const offsets = await readFile(join(folder, parts.matchOffsets));
  const count = offsets.length / offsetBytes - 1;
  let [line, bytes, isSame] = [0, 0, count >= 0 && readOffset(offsets, 0) === 0];
  for await (const read of createReadStream(join(folder, parts.matches))) {
    const chunk = read as Buffer;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) {
      line += 1;
      isSame &&= line <= count && readOffset(offsets, line) === bytes + at + 1;
    }
    bytes += chunk.length;
  }
  return isSame && line === count && readOffset(offsets, count) === bytes;
}
