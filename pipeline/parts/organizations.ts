// Writes the organizations of a release: one line of JSON for each EIN, in order of EIN.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { diagnoseReadFailure } from "../warehouse/diagnosis.ts";
import { namesOf, organizationColumns, valueSql } from "../warehouse/normalize.ts";
import type { OrganizationsFile } from "../warehouse/organizations.ts";
import { checkUnchanged, readParquetList } from "../warehouse/warehouse.ts";

/**
 * Maximum characters of name, city and state together. No escape in JSON takes more than six bytes, so a line stays under
 * `organizationBytesMax`.
 */
const maxCharacters = 600;

/** Why rows are left out. If several reasons apply, the first counts. */
const reasonsSql = `CASE
  WHEN ein IS NULL THEN 'the ein is not nine digits'
  WHEN name IS NULL THEN 'there is no name'
  WHEN length(name) + coalesce(length(city), 0) + coalesce(length(state), 0) > ${maxCharacters}
    THEN 'name, city and state have more than ${maxCharacters} characters'
END`;

/**
 * If an EIN occurs more than once, the row of the latest period counts, and of several the last in order of name, city, state and
 * sort name.
 */
const listedSql = `
CREATE TABLE listed AS
SELECT ein, last.name, last.city, last.state, nullif(last.also, '') AS also, last_cause.ntee_code AS cause FROM (
  SELECT ein, max({period: coalesce(period, ''), name: name, city: city, state: state, also: coalesce(also, '')}) AS last,
    max({period: coalesce(period, ''), ntee_code: ntee_code}) FILTER (ntee_code IS NOT NULL) AS last_cause
  FROM organizations WHERE reason IS NULL GROUP BY ein
) ORDER BY ein`;

/** All names and places of each EIN. */
const namesSql = `
CREATE TABLE organization_names AS
SELECT DISTINCT ein, name, also, city, state, zip, ruling_year, first_period, period
FROM organizations WHERE reason IS NULL ORDER BY ein`;

const emptySql = `
CREATE TABLE organizations (ein UINTEGER, name VARCHAR, also VARCHAR, city VARCHAR, state VARCHAR, zip UINTEGER,
  ntee_code VARCHAR, ruling_year SMALLINT, first_period VARCHAR, period VARCHAR, reason VARCHAR)`;

/** @param hasCauses true if the list has codes of causes: lines have them only then */
const linesSql = (hasCauses: boolean) =>
  `SELECT to_json({ein: lpad(ein::VARCHAR, 9, '0'), name: name, city: city, state: state${hasCauses ? ", ntee: cause, cause: left(cause, 1)" : ""}}) FROM listed`;

/**
 * Writes `organizations` into a release's folder, and makes the tables `listed` (ein, name, city, state, also, cause) of the same
 * organizations, and `organization_names` of all their names and places. All are empty if there are none.
 * @param warn receives a line for each reason why rows were left out
 * @throws InputError that names the file, and the column that cannot be read
 */
export async function writeOrganizations(
  connection: DuckDBConnection,
  source: OrganizationsFile | undefined,
  folder: string,
  warn: (line: string) => void,
): Promise<void> {
  if (source === undefined) await connection.run(emptySql);
  else await readRows(connection, source, warn);
  for (const statement of [listedSql, namesSql, "DROP TABLE organizations"]) await connection.run(statement);
  const target = sqlText(join(folder, parts.organizations));
  // Nothing is quoted or escaped, and there is one column, so a line is the JSON alone.
  await connection.run(
    `COPY (${linesSql(source?.columns.ntee_code !== undefined)}) TO '${target}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '')`,
  );
}

/** Reads the rows into the table `organizations`, normalized like the warehouse's, each with the reason to leave it out. */
async function readRows(
  connection: DuckDBConnection,
  { file, columns }: OrganizationsFile,
  warn: (line: string) => void,
): Promise<void> {
  const { from, values } = readParquetList([file.path]);
  const names = namesOf(organizationColumns);
  const selected = names.map((name) => `${valueSql(organizationColumns, columns, name)} AS ${name}`);
  const alsoSql = `CASE WHEN length(sort_name) <= ${maxCharacters} THEN sort_name END AS also`;
  try {
    await connection.run(
      `CREATE TABLE organizations AS SELECT * EXCLUDE (sort_name), ${alsoSql}, ${reasonsSql} AS reason
        FROM (SELECT ${selected.join(", ")} FROM ${from} AS source)`,
      values,
    );
    await checkUnchanged({ files: [file] });
  } catch (error) {
    throw await diagnoseReadFailure(connection, { files: [file] }, error, names);
  }
  const setting = `ORGANIZATIONS "${file.path}"`;
  const reasons = await connection.runAndReadAll(
    "SELECT reason, count(*)::DOUBLE FROM organizations GROUP BY reason ORDER BY reason",
  );
  const counts = new Map(reasons.getRows().map(([reason, rows]) => [reason, Number(rows)]));
  if (!counts.has(null)) throw new InputError(`${setting}: no row has an ein of nine digits and a name`);
  for (const [reason, rows] of counts)
    if (reason !== null) warn(`warning: ${setting}: ${rows} rows are left out: ${reason}`);
}
