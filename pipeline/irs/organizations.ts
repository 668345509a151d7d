// Writes the list of organizations: names and places by EIN, from returns and from the IRS's Business Master File.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { pathExists } from "fs-extra/esm";
import { literalPath } from "../base/database.ts";
import { InputError } from "../base/failure.ts";
import { organizationsFileName } from "../base/files.ts";
import { writeParquet } from "./parquet.ts";

const sql = String.raw;

/** Each kind of source keeps its list in the import's own folder, so that either command can merge both again. */
const lists = {
  efile: "organizations-efile.parquet",
  masterFile: "organizations-master-file.parquet",
} as const;

/** True for a list that an import or a sample wrote. */
const replaceableSql = sql`
SELECT count(*) > 0 FROM parquet_kv_metadata($path)
WHERE key = 'made_by'::BLOB AND value IN ('make warehouse'::BLOB, 'make sample'::BLOB)`;

/**
 * The list in the warehouse's folder `out`, where a sync finds it.
 * @throws InputError if there is a file that neither an import nor a sample wrote
 */
export async function findListPath(connection: DuckDBConnection, out: string): Promise<string> {
  const path = join(out, organizationsFileName);
  if (!(await pathExists(path))) return path;
  const isReplaceable = await connection.runAndReadAll(replaceableSql, { path: literalPath(path) }).then(
    (found) => found.getRows()[0]?.[0] === true,
    () => false, // not Parquet
  );
  if (isReplaceable) return path;
  throw new InputError(
    `OUT: "${path}" would be replaced, but no import or sample wrote it; move it, or choose another folder`,
  );
}

/** The filer's name in the return of its latest period, and of several returns in the one filed last. */
const efileSql = sql`
  SELECT ein, last.name, last.city, last.state, 'IRS e-file' AS source, strftime(last.period, '%Y-%m') AS period
  FROM (
    SELECT ein, max({
      period: coalesce(period_end, make_date(tax_year, 12, 31)), filed_at: coalesce(filed_at, TIMESTAMP '0001-01-01'),
      return_id: return_id, name: name, city: coalesce(city, ''), state: coalesce(state, '')}) AS last
    FROM read_parquet($returns)
    WHERE problem IS NULL AND name IS NOT NULL AND ein <> '000000000'
    GROUP BY ein
  ) ORDER BY ein`;

/** TAX_PERIOD is the end of the latest return's period, e.g., "202312"; it is blank for those that file none. */
const masterFileSql = sql`
  SELECT ein, last.name, last.city, last.state, 'IRS Business Master File' AS source, last.period
  FROM (
    SELECT trim(EIN) AS ein, max({
      period: CASE WHEN regexp_full_match(trim(TAX_PERIOD), '\d{6}')
        THEN trim(TAX_PERIOD)[:4] || '-' || trim(TAX_PERIOD)[5:] ELSE '' END,
      name: trim(NAME), city: coalesce(trim(CITY), ''), state: coalesce(trim(STATE), '')}) AS last
    FROM read_csv($files, header = true, all_varchar = true, union_by_name = true, delim = ',', quote = '"', escape = '"')
    WHERE regexp_full_match(trim(EIN), '\d{9}') AND trim(EIN) <> '000000000' AND trim(NAME) <> ''
    GROUP BY trim(EIN)
  ) ORDER BY ein`;

/** One row per EIN: the newer period wins, and on a tie the return. */
const mergeSql = sql`
  SELECT ein, first.name, nullif(first.city, '') AS city, nullif(first.state, '') AS state, first.source,
    nullif(first.period, '') AS period
  FROM (
    SELECT ein, max({period: period, is_return: source = 'IRS e-file', name: name, city: city, state: state, source: source}) AS first
    FROM read_parquet($lists) GROUP BY ein
  ) ORDER BY ein`;

/** Writes the list of filers into the import's folder. */
export async function writeEfileList(
  connection: DuckDBConnection,
  returnsPath: string,
  work: string,
): Promise<void> {
  await writeList(connection, join(work, lists.efile), efileSql, {
    returns: listValue([literalPath(returnsPath)]),
  });
}

/**
 * Writes the list of the organizations in a Business Master File into the import's own folder.
 * @param paths its CSV files
 * @throws InputError if a file lacks a column or is not CSV
 */
export async function writeMasterFileList(
  connection: DuckDBConnection,
  paths: readonly string[],
  work: string,
): Promise<void> {
  for (const path of paths) await checkMasterFile(connection, path);
  const files = listValue(paths.map(literalPath));
  await writeList(connection, join(work, lists.masterFile), masterFileSql, { files });
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

/** Merges the lists that exist into `target` with `.tmp` added, and returns its number of organizations. */
export async function mergeLists(
  connection: DuckDBConnection,
  work: string,
  target: string,
): Promise<number> {
  const draft = `${target}.tmp`;
  const found: string[] = [];
  for (const name of Object.values(lists))
    if (await pathExists(join(work, name))) found.push(join(work, name));
  const values = { lists: listValue(found.map(literalPath)) };
  await writeParquet(connection, draft, mergeSql, values);
  const count = await connection.runAndReadAll("SELECT count(*)::DOUBLE FROM read_parquet($lists)", {
    lists: listValue([literalPath(draft)]),
  });
  return Number(count.getRows()[0]?.[0] ?? 0);
}

async function writeList(
  connection: DuckDBConnection,
  path: string,
  query: string,
  values: Record<string, ReturnType<typeof listValue>>,
): Promise<void> {
  const draft = `${path}.tmp`;
  await writeParquet(connection, draft, query, values);
  await rename(draft, path);
}
