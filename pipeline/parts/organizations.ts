// Writes the organizations of a release: one line of JSON for each EIN, in order of EIN.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { parts } from "../../api-static/release/layout.ts";
import { sqlText } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { diagnoseReadFailure } from "../warehouse/diagnosis.ts";
import { ein, text } from "../warehouse/normalize.ts";
import {
  type OrganizationField,
  type OrganizationsFile,
  organizationFields,
} from "../warehouse/organizations.ts";
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
 * If an EIN occurs more than once, the last row in order of name, city, state and sort name counts. A sort name that is too long
 * is omitted.
 */
const listedSql = `
CREATE TABLE listed AS SELECT ein, last.name, last.city, last.state, nullif(last.also, '') AS also FROM (
  SELECT ein, max({name: name, city: city, state: state,
    also: CASE WHEN length(sort_name) <= ${maxCharacters} THEN sort_name ELSE '' END}) AS last
  FROM organizations WHERE reason IS NULL GROUP BY ein
) ORDER BY ein`;

const linesSql =
  "SELECT to_json({ein: lpad(ein::VARCHAR, 9, '0'), name: name, city: city, state: state}) FROM listed";

/**
 * Writes `organizations` into a release's folder, and makes the table `listed` (ein, name, city, state, also) of the same
 * organizations. Both are empty if there are none.
 * @param warn receives a line for each reason why rows were left out
 * @throws InputError that names the file, and the column that cannot be read
 */
export async function writeOrganizations(
  connection: DuckDBConnection,
  source: OrganizationsFile | undefined,
  folder: string,
  warn: (line: string) => void,
): Promise<void> {
  const target = join(folder, parts.organizations);
  if (source === undefined) {
    await connection.run(
      "CREATE TABLE listed (ein UINTEGER, name VARCHAR, city VARCHAR, state VARCHAR, also VARCHAR)",
    );
    return writeFile(target, "");
  }
  const setting = `ORGANIZATIONS "${source.file.path}"`;
  await readRows(connection, source);
  const reasons = await connection.runAndReadAll(
    "SELECT reason, count(*)::DOUBLE FROM organizations GROUP BY reason ORDER BY reason",
  );
  const counts = new Map(reasons.getRows().map(([reason, rows]) => [reason, Number(rows)]));
  if (!counts.has(null)) throw new InputError(`${setting}: no row has an ein of nine digits and a name`);
  for (const [reason, rows] of counts)
    if (reason !== null) warn(`warning: ${setting}: ${rows} rows are left out: ${reason}`);
  await connection.run(listedSql);
  await connection.run("DROP TABLE organizations");
  // Nothing is quoted or escaped, and there is one column, so a line is the JSON alone.
  await connection.run(
    `COPY (${linesSql}) TO '${sqlText(target)}' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '')`,
  );
}

/** Reads the rows into the table `organizations`, normalized like the warehouse's, each with the reason to leave it out. */
async function readRows(connection: DuckDBConnection, { file, columns }: OrganizationsFile): Promise<void> {
  const { from, values } = readParquetList([file.path]);
  const selected = organizationFields.map((field) => `${normalizedSql(field, columns)} AS ${field}`);
  try {
    await connection.run(
      `CREATE TABLE organizations AS SELECT *, ${reasonsSql} AS reason
        FROM (SELECT ${selected.join(", ")} FROM ${from} AS source)`,
      values,
    );
    await checkUnchanged({ files: [file] });
  } catch (error) {
    throw await diagnoseReadFailure(connection, { files: [file] }, error, organizationFields);
  }
}

function normalizedSql(field: OrganizationField, columns: OrganizationsFile["columns"]): string {
  const column = `source.${field}`;
  if (field === "ein") return columns.ein === "integer" ? ein.integer(column) : ein.text(column);
  return columns[field] === undefined ? "NULL::VARCHAR" : text(column);
}
