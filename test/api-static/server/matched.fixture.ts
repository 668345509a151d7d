// Gives a release likely recipients that are drawn, because a small one has too few labels for a rule to be served.
import { mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Match } from "../../../api-static/contract/matches.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { literalPath, openDatabase } from "../../../pipeline/base/database.ts";
import { writeIndex } from "../../../pipeline/parts/index/projections.ts";
import { writeMatches } from "../../../pipeline/parts/records/records.ts";
import { readRecords } from "../../../pipeline/releases/recordRows.ts";

/** The likely recipient of two thirds of the grants without an EIN: one of the first recipients, or one that no grant names. */
const drawnSql = `
CREATE TABLE drawn AS
  SELECT position, if(hash(id) % 7 = 0, 999999990 + hash(id + 1) % 5, eins[(hash(id + 2) % 12)::INTEGER + 1])::UINTEGER AS ein,
    ['history', 'misspelled'][(hash(id + 3) % 2)::INTEGER + 1] AS rule,
    ['Listed as "A\\B", Niños.', 'Filed by 2 funders.', 'Line one' || chr(10) || 'two, with a comma'][(hash(id + 4) % 3)::INTEGER + 1] AS evidence
  FROM (SELECT *, rowid AS position FROM grants),
    (SELECT list(recipient_ein ORDER BY recipient_ein) AS eins FROM (
      SELECT recipient_ein FROM grants WHERE recipient_ein IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 12))
  WHERE recipient_ein IS NULL AND hash(id + 5) % 3 > 0`;

const tablesSql = [
  `CREATE TABLE match_texts AS
    SELECT (row_number() OVER (ORDER BY ein, rule, evidence) - 1)::INTEGER AS id, *, 0.995::DECIMAL(4, 3) AS score
    FROM (SELECT DISTINCT ein, rule, evidence FROM drawn)`,
  `CREATE TABLE matches AS
    SELECT position::UINTEGER AS position, ein, id AS text FROM drawn JOIN match_texts USING (ein, rule, evidence)`,
];

const readSql = `SELECT grants.id::VARCHAR AS id, lpad(ein::VARCHAR, 9, '0') AS ein, rule, evidence
  FROM drawn JOIN grants ON grants.rowid = drawn.position`;

/** The match of each matched grant, by its id in decimal. */
export type DrawnMatches = ReadonlyMap<string, Omit<Match, "id">>;

/** Writes the columns and the texts of a release anew, with drawn matches. */
export async function drawMatches(folder: string): Promise<DrawnMatches> {
  const home = await mkdtemp(`${folder}-matched-`);
  const { instance, connection } = await openDatabase({ memory: "1GB", threads: 1, spillFolder: "" });
  try {
    const { from, values } = await readRecords(folder);
    await connection.run(`CREATE TABLE grants AS SELECT * FROM ${from}`, values);
    await connection.run(
      `CREATE TABLE listed AS SELECT ein::UINTEGER AS ein, state
        FROM read_json($path, format = 'newline_delimited', columns = {ein: 'VARCHAR', state: 'VARCHAR'})`,
      { path: literalPath(join(folder, parts.organizations)) },
    );
    for (const sql of [drawnSql, ...tablesSql]) await connection.run(sql);
    const places = { funderState: "organizations", recipientState: "organizations" } as const;
    await writeIndex(connection, home, () => undefined, { places, hasMatches: true });
    await rename(join(home, parts.columns), join(folder, parts.columns));
    await writeMatches(connection, folder);
    await sealAnew(folder);
    const rows = (await connection.runAndReadAll(readSql)).getRows();
    return new Map(
      rows.map(([id, ein, rule, evidence]) => [
        String(id),
        { matched_ein: ein, match_rule: rule, match_score: 0.995, match_evidence: evidence } as Omit<
          Match,
          "id"
        >,
      ]),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(home, { recursive: true });
  }
}

/** Writes the new sizes into the manifest. */
async function sealAnew(folder: string): Promise<void> {
  const path = join(folder, parts.manifest);
  const manifest = JSON.parse(await readFile(path, "utf8"));
  for (const part of [parts.columns, parts.matches, parts.matchOffsets])
    manifest.parts[part].bytes = (await stat(join(folder, part))).size;
  await writeFile(path, JSON.stringify(manifest));
}
