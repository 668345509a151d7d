// Writes the list of organizations: names, addresses and codes by EIN, from returns and from the IRS's Business Master File.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { pathExists } from "fs-extra/esm";
import { literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { flushPath, makeFolder, organizationsFileName } from "../base/files.ts";
import { formatCount, type Progress } from "../base/progress.ts";
import { draftPath, placeDraft } from "./drafts.ts";
import { LineFile } from "./lineFile.ts";
import { readMasterFile } from "./masterFile.ts";
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

/** Two spellings of one name and place: they differ only in case, or in the last digits of the ZIP code. */
const sameNameSql = sql`ein, upper(name), upper(coalesce(city, '')), upper(coalesce(state, '')), left(coalesce(zip, ''), 5)`;

/** The names and addresses of each filer's returns, each with the periods of its first and last return, as the latter spells it. */
const efileSql = sql`
  SELECT ein, name, city, state, zip, country, 'IRS e-file' AS source,
    strftime(min(period) OVER same, '%Y-%m') AS first_period, strftime(period, '%Y-%m') AS period
  FROM (
    SELECT *, coalesce(period_end, make_date(tax_year, 12, 31)) AS period FROM read_parquet($returns)
    WHERE problem IS NULL AND name IS NOT NULL AND ein <> '000000000'
  )
  WINDOW same AS (PARTITION BY ${sameNameSql})
  QUALIFY row_number() OVER (same ORDER BY period DESC, filed_at DESC NULLS LAST, return_id DESC) = 1
  ORDER BY ein, period, name, city, state, zip`;

/**
 * The rows of master files. The period is blank for organizations that file no return, which get the latest period of the file: the
 * thousandth part is left out, since a period may be mistyped.
 */
const masterFileSql = sql`
  WITH lines AS MATERIALIZED (
    FROM read_json($files, format = 'newline_delimited', filename = true, columns = {
      ein: 'VARCHAR', name: 'VARCHAR', city: 'VARCHAR', state: 'VARCHAR', zip: 'VARCHAR', ntee_code: 'VARCHAR',
      subsection: 'VARCHAR', ruling_year: 'SMALLINT', sort_name: 'VARCHAR', affiliation: 'VARCHAR', group_number: 'VARCHAR', period: 'VARCHAR'})
  ), files AS (
    SELECT filename, quantile_disc(period, 0.999) AS latest FROM lines GROUP BY filename
  )
  SELECT lines.* EXCLUDE (filename) REPLACE (coalesce(period, latest) AS period), coalesce(period, latest) AS first_period,
    'IRS Business Master File' AS source
  FROM lines JOIN files USING (filename)`;

/** The order in which the first row is the present one. */
const presentSql = sql`period DESC NULLS LAST, is_first DESC, name DESC, city DESC NULLS LAST, state DESC NULLS LAST, zip DESC NULLS LAST`;

/**
 * All names and places of each EIN. The one with the latest period is its present one; if several have it, the first list's. The
 * others end in the month before, so that one alone is the latest. Only the master file has codes and a sort name, which belong to
 * the EIN: the first list's count, and of the rulings also the earliest one. Lists of earlier versions have fewer columns.
 */
const mergeSql = sql`
  WITH listed AS (
    SELECT *, filename = $first AS is_first
    FROM (
      FROM read_parquet($lists, union_by_name = true, filename = true)
      UNION ALL BY NAME
      SELECT '' AS zip, '' AS country, '' AS ntee_code, '' AS subsection, 0::SMALLINT AS ruling_year, '' AS sort_name, '' AS first_period,
        '' AS affiliation, '' AS group_number, 0::SMALLINT AS earliest_ruling_year
      WHERE false
    )
  ), named AS (
    SELECT * REPLACE (min(coalesce(first_period, period)) OVER same AS first_period,
        min(least(ruling_year, earliest_ruling_year)) OVER (PARTITION BY ein) AS earliest_ruling_year),
      first_value({ntee_code: ntee_code, subsection: subsection, ruling_year: ruling_year, sort_name: sort_name, affiliation: affiliation,
          group_number: group_number})
        OVER (PARTITION BY ein ORDER BY source = 'IRS Business Master File' DESC, ${presentSql}) AS codes
    FROM listed
    WINDOW same AS (PARTITION BY ${sameNameSql})
    QUALIFY row_number() OVER (same ORDER BY ${presentSql}) = 1
  ), dated AS (
    SELECT * REPLACE (CASE WHEN row_number() OVER present > 1 AND period = first_value(period) OVER present
        THEN strftime(try_cast(period || '-01' AS DATE) - INTERVAL 1 MONTH, '%Y-%m') ELSE period END AS period)
    FROM named WINDOW present AS (PARTITION BY ein ORDER BY ${presentSql})
  )
  SELECT ein, name, nullif(city, '') AS city, nullif(state, '') AS state, nullif(zip, '') AS zip, nullif(country, '') AS country,
    codes.ntee_code, codes.subsection, codes.ruling_year, codes.sort_name, codes.affiliation, codes.group_number,
    earliest_ruling_year, source, least(first_period, period) AS first_period, period
  FROM dated
  ORDER BY ein, period, name, city, state, zip`;

const countSql = "SELECT count(DISTINCT ein)::DOUBLE FROM read_parquet($path)";

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
 * Merges a Business Master File into the list of earlier ones, and that into the list in the warehouse's folder. A list that would
 * have the same bytes stays untouched.
 * @param paths the master file's CSV files
 * @returns the path of the warehouse's list and its number of organizations
 * @throws InputError if a file lacks a column, or OUT has a list that is not from an import
 */
export async function addMasterFile(
  connection: DuckDBConnection,
  paths: readonly string[],
  { work, out }: { readonly work: string; readonly out: string },
  progress: Progress,
): Promise<{ path: string; count: number }> {
  const path = join(out, organizationsFileName);
  const list = join(work, organizationLists.masterFile);
  await checkReplaceable(connection, path);
  const spill = join(work, "spill"); // removed when the command ends
  await mkdir(spill, { recursive: true });
  const read = await readMasterFiles(paths, spill, progress);
  const added = draftPath(join(work, "added.parquet"));
  await writeParquet(connection, added, masterFileSql, { files: listValue(read.map(literalPath)) });
  await mergeLists(connection, [added, ...(await findLists(work, "masterFile"))], draftPath(list));
  await rm(added);
  await makeFolder(out);
  const lists = [...(await findLists(work, "efile")), draftPath(list)];
  const count = await mergeLists(connection, lists, draftPath(path));
  for (const target of [list, path]) await placeDraft(target);
  for (const folder of [work, out]) await flushPath(folder);
  return { path, count };
}

/** Reads files into lines of JSON in the folder; returns their paths. Says which rows it skipped. */
async function readMasterFiles(
  paths: readonly string[],
  folder: string,
  progress: Progress,
): Promise<string[]> {
  const read: string[] = [];
  for (const path of paths) {
    const target = join(folder, `${read.length}.ndjson`);
    await writeFile(target, ""); // if no row is read
    read.push(target);
    const lines = new LineFile(target);
    const counts = new Map([["rows read", 0]]);
    await readMasterFile(path, lines, (what) => counts.set(what, (counts.get(what) ?? 0) + 1)).finally(() =>
      lines.close(),
    );
    const all = [...counts].map(([what, count]) => `${formatCount(count)} ${what}`);
    if (all.length > 1) progress.note(`warning: "${path}": ${all.join(", ")}`);
  }
  return read;
}

/** The path of a kind of list in the import's own folder, if there is one. */
export async function findLists(work: string, kind: keyof typeof organizationLists): Promise<string[]> {
  const path = join(work, organizationLists[kind]);
  return (await pathExists(path)) ? [path] : [];
}

/**
 * Merges lists, of which the first counts if periods are equal.
 * @returns the number of organizations, which may have several rows
 */
export async function mergeLists(
  connection: DuckDBConnection,
  lists: readonly string[],
  target: string,
): Promise<number> {
  const [first = ""] = lists;
  await writeParquet(connection, target, mergeSql, { first, lists: listValue(lists.map(literalPath)) });
  const counted = await connection.runAndReadAll(countSql, { path: literalPath(target) });
  return Number(counted.getRows()[0]?.[0]);
}
