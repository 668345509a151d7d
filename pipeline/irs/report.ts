// Collects the report of an import from the returns that it read, so that people can judge it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { InputError } from "../base/failure.ts";
import { replaceFile } from "../base/files.ts";
import { listPaths, type ReturnStatus } from "./counting.ts";
import { writeParquet } from "./parquet.ts";

const sql = String.raw;

const reportName = "report.json";
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
  readonly grants: number;
  readonly organizations: number;
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
  readonly differences: readonly {
    readonly ein: string;
    readonly name: string | null;
    readonly year: number;
    readonly form: string;
    readonly file: string;
    readonly sum: string;
    readonly stated: string;
  }[];
  readonly unreadable: readonly {
    readonly source: string;
    readonly file: string;
    readonly problem: string;
  }[];
};

/** Unreadable returns listed in the report; `returns.parquet` has all. */
const maxUnreadable = 1_000;
const maxDifferences = 20;

/**
 * All returns with their status, in order of part and member. Both sides have every return once, so they are joined by position: a
 * join by key would sort all columns again.
 */
const returnsSql = sql`
  WITH described AS (
    SELECT ordered.source, found.*, ordered.status
    FROM read_parquet($returns) AS found
    POSITIONAL JOIN (SELECT source, status FROM statuses JOIN sources USING (part) ORDER BY part, member) AS ordered
  )
  SELECT source, file, status, problem, return_id, ein, name, city, state, form, return_type, version, tax_year, period_end, filed_at,
    is_amended, is_group, grants, grant_dollars, paid_total, stated_total,
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

const counted = "status IN ('counts', 'superseded, grants kept')";

/** Each query returns the entries of one list of the report. */
const queries = {
  byStatus: sql`SELECT {status: status, returns: count(*)} AS line FROM returns GROUP BY status ORDER BY count(*) DESC, status`,
  byFormAndYear: sql`
    SELECT {form: form, year: tax_year, returns: count(*), counting: count(*) FILTER (${counted})} AS line
    FROM returns WHERE problem IS NULL GROUP BY form, tax_year ORDER BY form, tax_year`,
  byYear: sql`
    SELECT {year: tax_year, returns: count(*), grants: sum(grants)::BIGINT, dollars: sum(grant_dollars)::VARCHAR} AS line
    FROM returns WHERE ${counted} AND grants > 0 GROUP BY tax_year ORDER BY tax_year`,
  byComparison: sql`
    SELECT {form: form, comparison: comparison, returns: count(*)} AS line
    FROM returns WHERE ${counted} AND comparison IS NOT NULL GROUP BY form, comparison ORDER BY form, comparison`,
  oddities: sql`
    SELECT {oddity: oddity, returns: count(*)} AS line FROM (SELECT unnest(oddities) AS oddity FROM returns)
    GROUP BY oddity ORDER BY oddity`,
  differences: sql`
    SELECT {ein: ein, name: name, year: tax_year, form: form, file: file, sum: paid_total::VARCHAR, stated: stated_total::VARCHAR} AS line
    FROM returns WHERE ${counted} AND comparison IN ('below', 'above', 'placeholders only') AND paid_total <> stated_total
    ORDER BY abs(paid_total - stated_total) DESC, file, source LIMIT ${maxDifferences}`,
  unreadable: sql`
    SELECT {source: source, file: file, problem: problem} AS line FROM returns WHERE problem IS NOT NULL
    ORDER BY source, file, problem LIMIT ${maxUnreadable}`,
  sources: sql`SELECT {name: source, returns: count(*)} AS line FROM returns GROUP BY source ORDER BY source`,
} as const;

const totalsSql = sql`
SELECT {
  returns: count(*), grants: coalesce(sum(grants) FILTER (${counted}), 0)::BIGINT,
  future: coalesce(sum(future_rows) FILTER (${counted}), 0)::BIGINT, empty: coalesce(sum(empty_rows) FILTER (${counted}), 0)::BIGINT,
  placeholders: coalesce(sum(placeholders) FILTER (${counted}), 0)::BIGINT} AS line FROM returns`;

/** Facts that are not in the returns. */
export type Origin = {
  readonly importerVersion: number;
  readonly sources: readonly { readonly name: string; readonly digest: string }[];
  readonly organizations: number;
};

/** @param returnsPath the file that `writeReturns` wrote */
export async function collectReport(
  connection: DuckDBConnection,
  returnsPath: string,
  { importerVersion, sources, organizations }: Origin,
): Promise<ImportReport> {
  const returns = listPaths([returnsPath]);
  const read = async (query: string) => {
    const source = `WITH returns AS (FROM read_parquet($returns)) SELECT to_json(line)::VARCHAR FROM (${query})`;
    const found = await connection.runAndReadAll(source, { returns });
    return found.getRows().map(([text]) => JSON.parse(String(text)));
  };
  const lists = new Map<string, unknown[]>();
  for (const [name, query] of Object.entries(queries)) lists.set(name, await read(query));
  const [totals] = await read(totalsSql);
  const bySource = new Map(
    (lists.get("sources") as { name: string; returns: number }[]).map(({ name, returns }) => [name, returns]),
  );
  const { returns: count, grants, future, empty, placeholders } = totals as Record<string, number>;
  return {
    importerVersion,
    sources: sources.map(({ name, digest }) => ({ name, digest, returns: bySource.get(name) ?? 0 })),
    returns: count,
    byStatus: lists.get("byStatus"),
    byFormAndYear: lists.get("byFormAndYear"),
    grants,
    organizations,
    byYear: lists.get("byYear"),
    byComparison: lists.get("byComparison"),
    rows: { future, empty, placeholders },
    oddities: lists.get("oddities"),
    differences: lists.get("differences"),
    unreadable: lists.get("unreadable"),
  } as ImportReport;
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
