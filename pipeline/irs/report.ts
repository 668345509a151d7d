// Collects the report of an import from the returns that it read, so that people can judge it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { InputError } from "../base/failure.ts";
import { replaceFile } from "../base/files.ts";
import { listPaths, type ReturnStatus } from "./counting.ts";
import { writeParquet } from "./parquet.ts";

const sql = String.raw;

export const reportName = "report.json";
export const returnsName = "returns.parquet";

/** The sum of a return's grants, compared with the total that the return states. */
export const comparisons = ["exact", "below", "above", "no total", "placeholders only"] as const;

export type Comparison = (typeof comparisons)[number];

/** The report of an import. Amounts are decimal numbers as text. */
export type ImportReport = {
  readonly importerVersion: number;
  readonly sources: readonly { readonly name: string; readonly digest: string; readonly returns: number }[];
  readonly returns: number;
  readonly byStatus: readonly { readonly status: ReturnStatus; readonly returns: number }[];
  readonly byFormAndYear: readonly {
    readonly form: string;
    readonly year: number;
    readonly returns: number;
    readonly counting: number;
  }[];
  /** Rows in the warehouse: all of them, sums for individuals, and those of Schedule F. */
  readonly grants: number;
  readonly individualGrants: number;
  readonly foreignGrants: number;
  readonly byYear: readonly {
    readonly year: number;
    readonly returns: number;
    readonly grants: number;
    readonly dollars: string;
  }[];
  readonly byComparison: readonly {
    readonly form: string;
    readonly comparison: Comparison;
    readonly returns: number;
  }[];
  readonly rows: { readonly future: number; readonly empty: number; readonly placeholders: number };
  readonly oddities: readonly { readonly oddity: string; readonly returns: number }[];
  /** Returns that lost a value. */
  readonly lossy: readonly {
    readonly source: string;
    readonly file: string;
    readonly ein: string;
    readonly oddities: readonly string[];
  }[];
  readonly differences: readonly {
    readonly ein: string;
    readonly name: string | null;
    readonly year: number;
    readonly form: string;
    readonly file: string;
    readonly sum: string;
    readonly stated: string;
  }[];
  /** Why returns are unreadable, the most frequent reasons first. */
  readonly problems: readonly { readonly problem: string; readonly returns: number }[];
  readonly unreadable: readonly {
    readonly source: string;
    readonly file: string;
    readonly problem: string;
  }[];
  /** Organizations of the list, and rows of the finances. */
  readonly organizations: number;
  readonly finances: number;
};

/** Unreadable returns listed in the report; `returns.parquet` has all. */
const maxUnreadable = 1_000;
const maxDifferences = 20;
const maxLossy = 20;
const maxProblems = 20;

/**
 * All returns with their status, in order of part and member. Both sides have every return once, so they are joined by position: a
 * join by key would sort all columns again.
 */
const returnsSql = sql`
  WITH described AS (
    SELECT source, found.*, ordered.* EXCLUDE (source)
    FROM read_parquet($returns) AS found
    POSITIONAL JOIN (
      SELECT source, status, organizations + individuals + abroad AS loaded_grants, individuals AS loaded_individuals,
        abroad AS loaded_foreign, dollars AS part_dollars
      FROM statuses JOIN sources USING (part) LEFT JOIN part_dollars USING (part, member) ORDER BY part, member
    ) AS ordered
  )
  SELECT source, file, status, problem, return_id, ein, name, city, state, zip, country, form, return_type, version, tax_year,
    period_end, filed_at, is_amended, is_group, grants, individual_grants, foreign_grants, loaded_grants, loaded_individuals,
    loaded_foreign, grant_dollars, coalesce(part_dollars, if(loaded_grants > 0, grant_dollars, 0)) AS loaded_dollars, paid_total,
    stated_total, stated_individuals, stated_foreign,
    CASE
      WHEN problem IS NOT NULL OR form NOT IN ('990', '990PF') OR (grants = 0 AND coalesce(stated_total, 0) = 0) THEN NULL
      WHEN stated_total IS NULL THEN 'no total'
      WHEN grants > 0 AND placeholders = grants THEN 'placeholders only'
      WHEN paid_total = stated_total THEN 'exact'
      WHEN paid_total < stated_total THEN 'below'
      ELSE 'above' END AS comparison,
    future_rows, empty_rows, placeholders, oddities
  FROM described`;

const sourcesSql = sql`
CREATE OR REPLACE TABLE sources AS
SELECT unnest(range(len($sources)))::USMALLINT AS part, unnest($sources) AS source`;

/**
 * Writes `returns.parquet`: every return, its status, and how its totals compare. `countReturns` must have run.
 * @param sources the names of the parts' sources, in the order of `paths`
 */
export async function writeReturns(
  connection: DuckDBConnection,
  paths: readonly string[],
  sources: readonly string[],
  target: string,
): Promise<void> {
  await connection.run(sourcesSql, { sources: listValue([...sources]) });
  await writeParquet(connection, target, returnsSql, { returns: listPaths(paths) });
}

/** The oddities that lose a value, as a list in SQL. */
const lossyList = "['text too long', 'unreadable amount', 'unreadable date']";

const counted = "status IN ('counts', 'superseded, grants kept')";

/** Each query returns the entries of one list of the report. */
const queries = {
  byStatus: sql`SELECT {status: status, returns: count(*)} AS line FROM returns GROUP BY status ORDER BY count(*) DESC, status`,
  byFormAndYear: sql`
    SELECT {form: form, year: tax_year, returns: count(*), counting: count(*) FILTER (${counted})} AS line
    FROM returns WHERE problem IS NULL GROUP BY form, tax_year ORDER BY form, tax_year`,
  byYear: sql`
    SELECT {year: tax_year, returns: count(*), grants: sum(loaded_grants)::BIGINT, dollars: sum(loaded_dollars)::VARCHAR} AS line
    FROM returns WHERE loaded_grants > 0 GROUP BY tax_year ORDER BY tax_year`,
  byComparison: sql`
    SELECT {form: form, comparison: comparison, returns: count(*)} AS line
    FROM returns WHERE ${counted} AND comparison IS NOT NULL GROUP BY form, comparison ORDER BY form, comparison`,
  oddities: sql`
    SELECT {oddity: oddity, returns: count(*)} AS line FROM (SELECT unnest(oddities) AS oddity FROM returns)
    GROUP BY oddity ORDER BY oddity`,
  lossy: sql`
    SELECT {source: source, file: file, ein: ein, oddities: list_intersect(oddities, ${lossyList})} AS line
    FROM returns WHERE list_has_any(oddities, ${lossyList}) ORDER BY source, file, ein LIMIT ${maxLossy}`,
  differences: sql`
    SELECT {ein: ein, name: name, year: tax_year, form: form, file: file, sum: paid_total::VARCHAR, stated: stated_total::VARCHAR} AS line
    FROM returns WHERE ${counted} AND comparison IN ('below', 'above', 'placeholders only') AND paid_total <> stated_total
    ORDER BY abs(paid_total - stated_total) DESC, file, source LIMIT ${maxDifferences}`,
  problems: sql`
    SELECT {problem: problem, returns: count(*)} AS line FROM returns WHERE problem IS NOT NULL
    GROUP BY problem ORDER BY count(*) DESC, problem LIMIT ${maxProblems}`,
  unreadable: sql`
    SELECT {source: source, file: file, problem: problem} AS line FROM returns WHERE problem IS NOT NULL
    ORDER BY source, file, problem LIMIT ${maxUnreadable}`,
} as const;

/** Zips of one name are different parts. */
const partsSql = sql`SELECT {part: part, returns: count(*)} AS line FROM statuses GROUP BY part`;

const totalsSql = sql`
SELECT {
  returns: count(*), grants: coalesce(sum(loaded_grants), 0)::BIGINT,
  individualGrants: coalesce(sum(loaded_individuals), 0)::BIGINT, foreignGrants: coalesce(sum(loaded_foreign), 0)::BIGINT,
  future: coalesce(sum(future_rows) FILTER (${counted}), 0)::BIGINT, empty: coalesce(sum(empty_rows) FILTER (${counted}), 0)::BIGINT,
  placeholders: coalesce(sum(placeholders) FILTER (${counted}), 0)::BIGINT} AS line FROM returns`;

/** Facts that are not in the returns. */
export type Origin = {
  readonly importerVersion: number;
  readonly sources: readonly { readonly name: string; readonly digest: string }[];
};

/** The facts of a report that are known before the lists are written. */
export type ReturnsReport = Omit<ImportReport, "organizations" | "finances">;

/**
 * `countReturns` must have run.
 * @param returnsPath the file that `writeReturns` wrote
 */
export async function collectReport(
  connection: DuckDBConnection,
  returnsPath: string,
  { importerVersion, sources }: Origin,
): Promise<ReturnsReport> {
  const returns = listPaths([returnsPath]);
  const read = async (query: string) => {
    const source = `WITH returns AS (FROM read_parquet($returns)) SELECT to_json(line)::VARCHAR FROM (${query})`;
    const found = await connection.runAndReadAll(source, { returns });
    return found.getRows().map(([text]) => JSON.parse(String(text)));
  };
  const lists: Record<string, unknown[]> = {};
  for (const [name, query] of Object.entries(queries)) lists[name] = await read(query);
  const [totals] = await read(totalsSql);
  const parts = await read(partsSql);
  const byPart = new Map(parts.map(({ part, returns }) => [part, returns]));
  const { future, empty, placeholders, ...counts } = totals as Record<string, number>;
  const rows = { future, empty, placeholders };
  const found = sources.map(({ name, digest }, part) => ({ name, digest, returns: byPart.get(part) ?? 0 }));
  return { importerVersion, sources: found, ...counts, rows, ...lists } as unknown as ReturnsReport;
}

export async function writeImportReport(report: ImportReport, folder: string): Promise<void> {
  await replaceFile(join(folder, reportName), `${JSON.stringify(report, null, 2)}\n`);
}

/** @throws InputError if the folder has no finished import */
export async function readImportReport(folder: string, out: string): Promise<ImportReport> {
  const text = await readFile(join(folder, reportName), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new InputError(`OUT "${out}" has no report of an import; run \`make warehouse FROM=…\` first`);
  });
  return JSON.parse(text) as ImportReport;
}
