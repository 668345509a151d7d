// Verifies the matches of a release: the file of all of them against the grants, the manifest, and what summaries add up. The columns of likely
// recipients are compared with the same rows of the index.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { downloadKey } from "../../api-static/contract/downloads.ts";
import { matchTextSql } from "../../api-static/contract/matches.ts";
import { offsetBytes, parts, readOffset } from "../../api-static/release/layout.ts";
import { countRows, literalPath } from "../base/database.ts";
import { lineFeed, readLineBlocks } from "../base/lines.ts";
import type { Manifest } from "../releases/manifest.ts";
import { linesSql } from "../releases/recordRows.ts";
import { turnOf } from "../releases/turns.ts";
import { hashSumSql } from "./contradictions.ts";

/** Parts of the EINs, by their last digit, that are compared one after the other, or one each night. Small releases have only one. */
const maxParts = 10;
const matchesOfPart = 100_000;

/** What no row may be. A window without an order reads the rows as they are stored. */
const faults: Readonly<Record<string, string>> = {
  "rows out of order": "(matched_ein, id) <= lag((matched_ein, id)) OVER ()",
  "rows without an EIN of nine digits": "NOT coalesce(regexp_full_match(matched_ein, '[0-9]{9}'), false)",
  "rows without a score from 0 to 1": "NOT coalesce(match_score BETWEEN 0 AND 1, false)",
  "rows without evidence": "coalesce(match_evidence, '') = ''",
  "rows of another version of the rules": "rules_version IS DISTINCT FROM $version",
};

const faultsSql = `SELECT ${Object.keys(faults)
  .map((fault) => `count(*) FILTER ("${fault}")::DOUBLE AS "${fault}"`)
  .join(", ")}
FROM (SELECT ${Object.entries(faults)
  .map(([fault, sql]) => `${sql} AS "${fault}"`)
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
  const read = async (sql: string, values: Record<string, string | number>) =>
    (await connection.runAndReadAll(sql, { matches: path, ...values })).getRowObjects();
  const found = Object.entries((await read(faultsSql, { version: matches.rules_version }))[0] ?? {});
  const problems = found.flatMap(([fault, rows]) => (rows === 0 ? [] : [`${rows} ${fault}`]));
  const rows = await countRows(connection, "read_parquet($matches)", { matches: path });
  if (rows !== matches.matched) problems.push(`${rows} rows, the manifest says ${matches.matched}`);
  const indexed = await countRows(connection, "by_match");
  if (indexed !== rows) problems.push(`${rows} rows, by_match of ${parts.index} has ${indexed}`);
  const count = matches.matched <= matchesOfPart ? 1 : maxParts;
  const lines = literalPath(join(folder, parts.matches));
  const all = Array.from({ length: count }, (_, part) => part);
  for (const part of isWhole ? all : [turnOf(release, count)]) {
    const [row] = await read(isIndexedSql, { lines, count, part });
    if (Object.values(row ?? {})[0] !== true) problems.push(`differences from by_match of ${parts.index}`);
  }
  const served = new Map<string, number>(
    matches.rules.filter((rule) => rule.served).map(({ rule, records }) => [rule, records]),
  );
  const rules = await read(
    "SELECT match_rule, count(*)::DOUBLE AS rows FROM read_parquet($matches) GROUP BY ALL",
    {},
  );
  const ofRules = new Map(rules.map(({ match_rule, rows }) => [String(match_rule), Number(rows)]));
  for (const rule of new Set([...ofRules.keys(), ...served.keys()])) {
    const [rows, expected] = [ofRules.get(rule) ?? 0, served.get(rule) ?? 0];
    // An operator takes rows from rules.
    const isObjected = objections !== null && (rule === "operator" || rows < expected);
    if (rows !== expected && !isObjected)
      problems.push(`${rows} rows of the rule ${rule}, the manifest says ${expected}`);
  }
  const copy = join(parts.public, downloadKey("matches.parquet"));
  return [
    ...problems.map((problem) => `${parts.matchesFile}: ${problem}`),
    ...(downloads && sealed[copy]?.sha256 !== sealed[parts.matchesFile]?.sha256
      ? [`${copy} differs from ${parts.matchesFile}`]
      : []),
    ...((await hasLineStarts(folder)) ? [] : [`${parts.matchOffsets} differs from ${parts.matches}`]),
  ];
}

/** True if the offsets are those of the lines in `matches`. They are held in memory: 9 MB for 1.5 million lines. */
async function hasLineStarts(folder: string): Promise<boolean> {
  const offsets = await readFile(join(folder, parts.matchOffsets));
  let [line, bytes, isSame] = [0, 0, offsets.length > 0 && readOffset(offsets, 0) === 0];
  for await (const block of readLineBlocks(join(folder, parts.matches))) {
    for (let end = block.indexOf(lineFeed) + 1; end > 0; end = block.indexOf(lineFeed, end) + 1) {
      line += 1;
      isSame &&= offsets.length > line * offsetBytes && readOffset(offsets, line) === bytes + end;
    }
    bytes += block.length;
  }
  return isSame && offsets.length === (line + 1) * offsetBytes && readOffset(offsets, line) === bytes;
}
