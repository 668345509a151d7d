// Writes the list of organizations: names, addresses and codes by EIN, from returns and from the IRS's Business Master File.
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { pathExists } from "fs-extra/esm";
import { literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { flushPath, makeFolder, organizationsFileName } from "../base/files.ts";
import { draftPath, placeDraft } from "./drafts.ts";
import { writeParquet } from "./parquet.ts";

const sql = String.raw;

/** Each kind of source keeps its list in the import's own folder, so that either command can merge both again. */
export const organizationLists = {
  efile: "organizations-efile.parquet",
  masterFile: "organizations-master-file.parquet",
} as const;

/** True for a file that an import or a sample wrote. */
const replaceableSql = sql`
SELECT count(*) > 0 FROM parquet_kv_metadata($path)
WHERE key = 'made_by'::BLOB AND value IN ('make warehouse'::BLOB, 'make sample'::BLOB)`;

/** @throws InputError if there is a file at the path that neither an import nor a sample wrote */
export async function checkReplaceable(connection: DuckDBConnection, path: string): Promise<void> {
  if (!(await pathExists(path))) return;
  const isReplaceable = await connection.runAndReadAll(replaceableSql, { path: literalPath(path) }).then(
    (found) => found.getRows()[0]?.[0] === true,
    () => false, // not Parquet
  );
  if (!isReplaceable)
    throw new InputError(
      `OUT: "${path}" would be replaced, but no import or sample wrote it; move it, or choose another folder`,
    );
}

/** The filer's name and address in the return of its latest period, and of several returns in the one filed last. */
const efileSql = sql`
  SELECT ein, last.name, last.city, last.state, last.zip, last.country, 'IRS e-file' AS source,
    strftime(last.period, '%Y-%m') AS period
  FROM (
    SELECT ein, max({
      period: coalesce(period_end, make_date(tax_year, 12, 31)), filed_at: coalesce(filed_at, TIMESTAMP '0001-01-01'),
      return_id: return_id, name: name, city: coalesce(city, ''), state: coalesce(state, ''), zip: coalesce(zip, ''),
      country: coalesce(country, '')}) AS last
    FROM read_parquet($returns)
    WHERE problem IS NULL AND name IS NOT NULL AND ein <> '000000000'
    GROUP BY ein
  ) ORDER BY ein`;

/**
 * TAX_PERIOD is the end of the latest return's period, e.g., "202312"; it is blank for those that file none. RULING is the month
 * of the exemption, e.g., "199405", or "000000". Each column after STATE may be absent.
 */
const masterFileSql = sql`
  SELECT ein, last.name, last.city, last.state, last.zip, '' AS country, nullif(last.ntee_code, '') AS ntee_code,
    nullif(last.subsection, '') AS subsection, try_cast(nullif(last.ruling[:4], '0000') AS SMALLINT) AS ruling_year,
    nullif(last.sort_name, '') AS sort_name, 'IRS Business Master File' AS source, last.period
  FROM (
    SELECT trim(EIN) AS ein, max({
      period: CASE WHEN regexp_full_match(trim(TAX_PERIOD), '\d{6}')
        THEN trim(TAX_PERIOD)[:4] || '-' || trim(TAX_PERIOD)[5:] ELSE '' END,
      name: trim(NAME), city: coalesce(trim(CITY), ''), state: coalesce(trim(STATE), ''), zip: coalesce(trim(ZIP), ''),
      ntee_code: coalesce(trim(NTEE_CD), ''), subsection: coalesce(trim(SUBSECTION), ''),
      ruling: CASE WHEN regexp_full_match(trim(RULING), '\d{6}') THEN trim(RULING) ELSE '' END,
      sort_name: coalesce(trim(SORT_NAME), '')}) AS last
    FROM (
      FROM read_csv($files, header = true, all_varchar = true, union_by_name = true, delim = ',', quote = '"', escape = '"')
      UNION ALL BY NAME SELECT '' AS ZIP, '' AS NTEE_CD, '' AS SUBSECTION, '' AS RULING, '' AS SORT_NAME WHERE false
    )
    WHERE regexp_full_match(trim(EIN), '\d{9}') AND trim(EIN) <> '000000000' AND trim(NAME) <> ''
    GROUP BY trim(EIN)
  ) ORDER BY ein`;

/**
 * One row per EIN: the newer period gives name and address, and on a tie the return. Only the master file has the other columns.
 * Lists of earlier versions have fewer columns.
 */
const mergeSql = sql`
  SELECT ein, first.name, nullif(first.city, '') AS city, nullif(first.state, '') AS state, nullif(first.zip, '') AS zip,
    nullif(first.country, '') AS country, ntee_code, subsection, ruling_year, sort_name, first.source,
    nullif(first.period, '') AS period
  FROM (
    SELECT ein, max(ntee_code) AS ntee_code, max(subsection) AS subsection, max(ruling_year) AS ruling_year,
      max(sort_name) AS sort_name, max({period: period, is_return: source = 'IRS e-file', name: name, city: city, state: state,
        zip: coalesce(zip, ''), country: coalesce(country, ''), source: source}) AS first
    FROM (
      FROM read_parquet($lists, union_by_name = true)
      UNION ALL BY NAME
      SELECT '' AS zip, '' AS country, '' AS ntee_code, '' AS subsection, 0::SMALLINT AS ruling_year, '' AS sort_name
      WHERE false
    )
    GROUP BY ein
  ) ORDER BY ein`;

/**
 * Writes the list of filers.
 * @param returnsPath the file that `writeReturns` wrote
 */
export async function writeEfileList(
  connection: DuckDBConnection,
  returnsPath: string,
  target: string,
): Promise<void> {
  await writeParquet(connection, target, efileSql, { returns: listValue([literalPath(returnsPath)]) });
}

/**
 * Replaces the list of the Business Master File, and merges it into the list in the warehouse's folder. A list that would have
 * the same bytes stays untouched.
 * @param paths the master file's CSV files
 * @returns the path of the warehouse's list and its number of organizations
 * @throws InputError if a file lacks a column or is not CSV, or OUT has a list that is not from an import
 */
export async function replaceMasterFile(
  connection: DuckDBConnection,
  paths: readonly string[],
  { work, out }: { readonly work: string; readonly out: string },
): Promise<{ path: string; count: number }> {
  const path = join(out, organizationsFileName);
  const list = join(work, organizationLists.masterFile);
  await checkReplaceable(connection, path);
  for (const file of paths) await checkMasterFile(connection, file);
  const files = listValue(paths.map(literalPath));
  await writeParquet(connection, draftPath(list), masterFileSql, { files });
  await makeFolder(out);
  const count = await mergeLists(
    connection,
    [draftPath(list), ...(await findLists(work, "efile"))],
    draftPath(path),
  );
  for (const target of [list, path]) await placeDraft(target);
  for (const folder of [work, out]) await flushPath(folder);
  return { path, count };
}

const masterFileColumns = ["EIN", "NAME", "CITY", "STATE", "TAX_PERIOD"];

async function checkMasterFile(connection: DuckDBConnection, path: string): Promise<void> {
  const names = await connection
    .runAndReadAll("SELECT * FROM read_csv($files, header = true, all_varchar = true) LIMIT 0", {
      files: listValue([literalPath(path)]),
    })
    .then(
      (found) => found.columnNames().map((name) => name.toUpperCase()),
      (): string[] => [], // not CSV at all
    );
  const missing = masterFileColumns.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new InputError(
      `FROM: "${path}" is not a Business Master File: it has no column ${missing.join(", ")}; expected a CSV file such as eo1.csv`,
    );
}

/** The path of a kind of list in the import's own folder, if there is one. */
export async function findLists(work: string, kind: keyof typeof organizationLists): Promise<string[]> {
  const path = join(work, organizationLists[kind]);
  return (await pathExists(path)) ? [path] : [];
}

/** Merges lists; returns the number of organizations. */
export function mergeLists(
  connection: DuckDBConnection,
  lists: readonly string[],
  target: string,
): Promise<number> {
  return writeParquet(connection, target, mergeSql, { lists: listValue(lists.map(literalPath)) });
}
