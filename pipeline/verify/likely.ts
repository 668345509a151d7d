// Verifies which grants `index.columns` has for the recipients with matches, and the lines about these, against the file of all matches.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Columns } from "../../api-static/release/columns.ts";
import { offsetBytes, parts, readOffset } from "../../api-static/release/layout.ts";
import { integersOf, literalPath, streamChunks } from "../base/database.ts";
import { lineFeed } from "../base/lines.ts";
import { matchesAtOnce } from "../releases/matchRanges.ts";
import { cutMatchFile, numberedMatchesSql } from "./numberedMatches.ts";

/**
 * Each grant of the recipients of a range of matches, in order: EIN, position, and the line about its match; -1 if it was filed with
 * its EIN, and -2 if no line has the match.
 */
const expectedSql = `
WITH matched AS (${numberedMatchesSql}),
grants AS (
  SELECT recipient_ein AS ein, position, -1 AS text FROM by_funder
  WHERE recipient_ein IN (SELECT matched_ein FROM matched)
  UNION ALL
  SELECT matched_ein, position, coalesce(text, -2) FROM matched JOIN (SELECT id, position FROM by_funder) USING (id)
)
SELECT ein::INTEGER, position::INTEGER, text::INTEGER FROM grants
JOIN (SELECT position, id, transaction_year, amount_cents FROM by_funder) USING (position)
ORDER BY ein, transaction_year DESC, amount_cents DESC, id`;

/**
 * Finds recipients that have other grants than these, or grants that have other matches. The structure of the columns must be right.
 * @param connection whose current database is the index
 * @param atOnce matches that are compared at once, about
 */
export async function findLikelyProblems(
  connection: DuckDBConnection,
  columns: Columns,
  folder: string,
  atOnce = matchesAtOnce,
): Promise<string[]> {
  const files = {
    matches: literalPath(join(folder, parts.matchesFile)),
    lines: literalPath(join(folder, parts.matches)),
  };
  const open = (name: string) => columns.column(`likely.${name}`);
  const [eins, starts, positions] = [open("ein"), open("start"), open("position")];
  const [texts, filed] = [open("match"), open("is_filed")];
  let [row, recipient, differing] = [0, 0, 0];
  for await (const chunk of streamRanges(connection, files, atOnce)) {
    const [ein, position, text] = [0, 1, 2].map((column) => integersOf(chunk, column));
    for (let index = 0; index < chunk.rowCount; index++, row++) {
      if (row >= positions.length) continue; // a stream must be read to its end
      while (row >= starts.at(recipient + 1)) recipient += 1;
      const isSame =
        eins.at(recipient) === ein?.[index] &&
        positions.at(row) === position?.[index] &&
        texts.at(row) === text?.[index] &&
        filed.at(row) === (texts.at(row) === -1 ? 1 : 0);
      if (!isSame) differing += 1;
    }
  }
  const problems = differing > 0 ? [`${differing} rows of likely differ from ${parts.matchesFile}`] : [];
  if (row !== positions.length)
    problems.push(`likely has ${positions.length} rows, ${parts.matchesFile} gives ${row}`);
  return (await hasLineStarts(folder))
    ? problems
    : [...problems, `${parts.matchOffsets} differs from ${parts.matches}`];
}

/** The chunks of all ranges, which are in order of EIN. */
async function* streamRanges(
  connection: DuckDBConnection,
  files: { readonly matches: string; readonly lines: string },
  atOnce: number,
) {
  for (const range of await cutMatchFile(connection, files.matches, atOnce))
    yield* streamChunks(connection, expectedSql, { ...files, ...range });
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
