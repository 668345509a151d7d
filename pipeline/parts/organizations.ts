// Writes the organizations of a release: one line of JSON for each EIN, in order of EIN.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { readListFile } from "../warehouse/listFile.ts";
import { organizationColumns } from "../warehouse/normalize.ts";
import type { OrganizationsFile } from "../warehouse/organizations.ts";

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

/** The last value of a column, by period. */
const lastSql = (column: string) =>
  `(max({period: coalesce(period, ''), value: ${column}}) FILTER (${column} IS NOT NULL)).value`;

/**
 * If an EIN occurs more than once, the row of the latest period counts, and of several the last in order of name, city, state and
 * sort name.
 */
const listedSql = `
CREATE TABLE listed AS
SELECT ein, last.name, last.city, last.state, nullif(last.also, '') AS also, cause, subsection, ruling_year FROM (
  SELECT ein, max({period: coalesce(period, ''), name: name, city: city, state: state, also: coalesce(also, '')}) AS last,
    ${lastSql("ntee_code")} AS cause, ${lastSql("subsection")} AS subsection, ${lastSql("ruling_year")} AS ruling_year
  FROM organizations WHERE reason IS NULL GROUP BY ein
) ORDER BY ein`;

/** All names and places of each EIN. The IRS's code of affiliation 9 is a subordinate in a group exemption, such as a chapter. */
const namesSql = `
CREATE TABLE organization_names AS
SELECT DISTINCT ein, name, also, city, state, zip, least(ruling_year, earliest_ruling_year) AS ruling_year,
  coalesce(affiliation = '9', false) AS is_subordinate, first_period, period
FROM organizations WHERE reason IS NULL ORDER BY ein`;

const emptySql = `
CREATE TABLE organizations (ein UINTEGER, name VARCHAR, also VARCHAR, city VARCHAR, state VARCHAR, zip UINTEGER,
  ntee_code VARCHAR, subsection VARCHAR, ruling_year SMALLINT, earliest_ruling_year SMALLINT, affiliation VARCHAR, first_period VARCHAR, period VARCHAR,
  reason VARCHAR)`;

const linesSql = `
SELECT to_json({ein: lpad(ein::VARCHAR, 9, '0'), name: name, city: city, state: state, ntee: cause, cause: left(cause, 1)}) FROM listed`;

/**
 * Writes `organizations` into a release's folder, and makes the tables `listed` (ein, name, city, state, also, cause, subsection,
 * ruling_year) of the same organizations, and `organization_names` of all their names and places. All are empty if there are none.
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
  else if ((await readListFile(connection, source, reading, warn)) === 0)
    throw new InputError(`${source.setting}: no row has an ein of nine digits and a name`);
  for (const statement of [listedSql, namesSql, "DROP TABLE organizations"]) await connection.run(statement);
  const target = sqlText(join(folder, parts.organizations));
  // Nothing is quoted or escaped, and there is one column, so a line is the JSON alone.
  await connection.run(`COPY (${linesSql}) TO '${target}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '')`);
}

/**
 * Second names that name a person, e.g., "% JOHN DOE", "ATTN JOHN DOE" or "DOE JOHN SOLE MBR": whose address it is, or who holds an office. The release
 * has none of them.
 */
const person = [
  String.raw`^\W*(?:%|(?:c\W?o|in care of|att(?:n|ention))\b)`,
  String.raw`\b(?:sole\W+(?:mbr|member)|mbr|ttees?|trustee|pres|president|vp|sec|secy|secretary|treas|treasurer|ceo|cfo|exec|dir|director|drctr|chair|chairman|owner|manager|mgr|esq)\W*$`,
].join("|");

const reading = {
  table: "organizations",
  columns: organizationColumns,
  selected: `* EXCLUDE (sort_name),
    CASE WHEN length(sort_name) <= ${maxCharacters} AND NOT regexp_matches(sort_name, '(?i)${person}') THEN sort_name END AS also`,
  reason: reasonsSql,
};
