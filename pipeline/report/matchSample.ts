// Draws matches of a release for reading by hand, as a CSV file that the next sync reads as objections.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { csvCell } from "../../api-static/contract/answers/csv.ts";
import { lineEnd } from "../../api-static/contract/answers/envelope.ts";
import { parseEin } from "../../api-static/contract/ein.ts";
import { parts } from "../../api-static/release/layout.ts";
import { Organizations } from "../../api-static/release/organizations.ts";
import { Records } from "../../api-static/release/records.ts";
import { systemCode } from "../../api-static/release/systemErrors.ts";
import { type DatabaseSettings, openDatabase, sqlText } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { type Manifest, readManifest } from "../releases/manifest.ts";
import { cachedPath } from "../warehouse/bucketNames.ts";
import { diagnoseReadFailure } from "../warehouse/diagnosis.ts";
import { fingerprintFiles } from "../warehouse/fingerprint.ts";
import { placeColumns } from "../warehouse/grantRows.ts";
import { readParquetList } from "../warehouse/warehouse.ts";

export type MatchSampleSettings = DatabaseSettings & {
  /** The release's folder. */
  readonly folder: string;
  /** Folder of the local copy of a warehouse in a bucket. */
  readonly cache: string;
  readonly rows: number;
  /** The file to write; "" for one named by the quarter. */
  readonly out: string;
};

/** The columns of the file: what objections are read from, what was filed, and what was found. */
const columns = [
  "id",
  "matched_ein",
  "verdict",
  "recipient_name",
  "recipient_city",
  "recipient_state",
  "recipient_zip",
  "organization",
  "organization_city",
  "organization_state",
  "match_rule",
  "match_evidence",
  "transaction_year",
  "amount",
  "purpose",
  "funder_ein",
  "funder",
] as const;

/** The same matches of a quarter come first, whatever the release: the rest is not read twice. */
const drawnSql = (folder: string) => `
CREATE TABLE drawn AS
  SELECT id, matched_ein, match_rule, match_evidence FROM read_parquet('${sqlText(join(folder, parts.matchesFile))}')
  ORDER BY md5(concat_ws(' ', $quarter, id, matched_ein)), id LIMIT $rows`;

/**
 * Writes matches drawn at random, anew in each quarter of the release's time. Returns the path and the number of matches.
 * @param note receives a line if the places are blank because the warehouse is gone
 * @throws InputError if the release has no matches, or the file is there: it may have verdicts
 */
export async function writeMatchSample(
  settings: MatchSampleSettings,
  note: (line: string) => void,
): Promise<{ path: string; rows: number }> {
  const { folder, rows } = settings;
  const manifest = await readManifest(folder);
  const quarter = quarterOf(manifest.release);
  const path = settings.out === "" ? `matches-${quarter}.csv` : settings.out;
  const { instance, connection } = await openDatabase(settings);
  const organizations = new Organizations(folder);
  try {
    await connection.run(drawnSql(folder), { quarter, rows });
    const found = await readDrawn(connection, settings, manifest, note);
    if (found.length === 0)
      throw new InputError(
        `release ${manifest.release} has no matches: ${manifest.matches.why ?? "no rule is served"}`,
      );
    const lines = found.map((row) => formatRow({ ...row, ...describe(row, organizations) }));
    await writeFile(path, [`${columns.join(",")}\r\n`, ...lines].join(""), { flag: "wx" });
    return { path, rows: found.length };
  } catch (error) {
    if (systemCode(error) === "EEXIST")
      throw new InputError(`OUT "${path}" exists and may have verdicts; choose another file`, {
        cause: error,
      });
    throw error;
  } finally {
    organizations.close();
    connection.closeSync();
    instance.closeSync();
  }
}

/** @param release e.g., "20261120T040000Z", which is in 2026Q4 */
function quarterOf(release: string): string {
  return `${release.slice(0, 4)}Q${Math.ceil(Number(release.slice(4, 6)) / 3)}`;
}

type Row = Readonly<Record<string, unknown>>;

/** Makes the table `places` of the drawn matches, as filed. It has no rows if the warehouse is gone. */
async function readPlaces(
  connection: DuckDBConnection,
  { cache }: MatchSampleSettings,
  { sources }: Manifest,
  note: (line: string) => void,
): Promise<void> {
  const files = sources.map((file) => ({ ...file, path: cachedPath(cache, file.path) }));
  const paths = files.map(({ path }) => path);
  const lost = (await fingerprintFiles(paths)).find((found) => found instanceof InputError);
  if (lost !== undefined) {
    note(`warning: the places of recipients are blank: ${lost.message}`);
    await connection.run("CREATE TABLE places AS SELECT id FROM drawn LIMIT 0");
    return;
  }
  const { from, values } = readParquetList(paths);
  try {
    const found = await connection.runAndReadAll(`SELECT * FROM ${from} LIMIT 0`, values);
    const fields = found.columnNames().filter((name) => /^recipient_(city|state|zip)$/i.test(name));
    const selected = ["id", ...fields.map((name) => `${name} AS ${name.toLowerCase()}`)].join(", ");
    const places = `SELECT ${selected} FROM ${from} SEMI JOIN drawn USING (id)`;
    await connection.run(`CREATE TABLE places AS ${places}`, values);
  } catch (error) {
    throw await diagnoseReadFailure(connection, { files }, error, ["id", ...placeColumns]);
  }
}

/** The drawn matches with their grants, and with the places as filed if the warehouse is still there. */
async function readDrawn(
  connection: DuckDBConnection,
  settings: MatchSampleSettings,
  manifest: Manifest,
  note: (line: string) => void,
): Promise<Row[]> {
  const { folder } = settings;
  await readPlaces(connection, settings, manifest, note);
  await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS built (READ_ONLY)`);
  const read = await connection.runAndReadAll(
    `FROM drawn JOIN built.ids USING (id) LEFT JOIN (FROM places WHERE id IS NOT NULL QUALIFY row_number() OVER (PARTITION BY id) = 1) USING (id)
      ORDER BY match_rule, matched_ein, id`,
  );
  const records = Records.open(folder);
  try {
    return read.getRowObjectsJson().map((row) => {
      const line = records.readLines([Number(row.position)]).toString();
      return { ...JSON.parse(line.slice(0, -lineEnd.length)), ...row };
    });
  } finally {
    records.close();
  }
}

/** Names and places of the matched organization and of the funder, where the release has them. */
function describe(row: Row, organizations: Organizations): Row {
  const find = (column: string) => {
    const ein = parseEin(String(row[column]));
    const line = ein && organizations.find(ein);
    return (line ? JSON.parse(line.toString()) : {}) as Row;
  };
  const { name, city, state } = find("matched_ein");
  const { name: funder } = find("funder_ein");
  return { organization: name, organization_city: city, organization_state: state, funder };
}

function formatRow(row: Row): string {
  return `${columns.map((column) => csvCell(String(row[column] ?? ""), true, true)).join(",")}\r\n`;
}
