// Writes the grants of the returns that count as the Parquet files of a warehouse.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Database, withConnection } from "../base/database.ts";
import { grantsFileName } from "../base/files.ts";
import { allOrNone } from "../base/parallel.ts";
import { listPaths } from "./counting.ts";
import { draftPath, placeDraft } from "./drafts.ts";
import { rowsPerReturn } from "./objectIds.ts";
import { writeParquet } from "./parquet.ts";

const sql = String.raw;

/** Limits the memory for sorting one file: several are sorted at the same time. */
const maxGrantsPerFile = 120_000;

/** The ranges of slots that share a file. */
const rangesSql = sql`
SELECT min(slot), max(slot), sum(grants)::DOUBLE FROM grant_returns
GROUP BY (grants_so_far - 1) // $maxGrants ORDER BY min(slot)`;

/** The parts whose grants are in a range of slots. */
const partsSql = sql`
SELECT DISTINCT part FROM grant_returns WHERE slot BETWEEN $first AND $last ORDER BY part`;

/**
 * Only the parts in the range are read, so a part's number is found by its position among them. `irs_return` names the return, if it has
 * an OBJECT_ID, and its source.
 */
const grantsSql = sql`
WITH ranged AS (
    SELECT *, list_position(getvariable('parts'), part) - 1 AS position
    FROM grant_returns WHERE slot BETWEEN getvariable('first_slot') AND getvariable('last_slot')
  )
  SELECT filed.id, ranged.funder_ein, ranged.transaction_year, filed.recipient_name, filed.recipient_ein, filed.type,
    filed.amount, filed.non_cash_amount, filed.non_cash_description, filed.purpose, ranged.created_at,
    filed.recipient_city, filed.recipient_state, filed.recipient_zip, filed.recipient_country, filed.recipient_status,
    filed.recipient_relationship,
    CASE WHEN return_key >= 0
      THEN concat_ws(' ', return_key, form, strftime(period, '%Y-%m'), sources.source) END AS irs_return
  FROM read_parquet($grants) AS filed
  JOIN ranged ON ranged.position = filed.file_index AND ranged.member = filed.member
  JOIN sources ON sources.part = ranged.part
  WHERE filed.id BETWEEN getvariable('first_id') AND getvariable('last_id')
    AND NOT list_contains(ranged.dropped, filed.type)
  ORDER BY filed.id`;

/** Where grants are read and written. */
export type GrantFiles = {
  /** The grants of all parts, in the order in which their returns were counted. */
  readonly paths: readonly string[];
  readonly folder: string;
  /** Grants of each file, and those of the return that exceeds it. */
  readonly maxGrants?: number;
};

/**
 * Writes the grants as drafts. `countReturns` and `writeReturns` must have run. DuckDB has one thread afterwards: files that are
 * written at the same time, each by one thread, take less time than one after the other, each by all threads.
 * @returns the names of the files
 */
export async function writeGrants(
  { instance, connection }: Database,
  filesAtOnce: number,
  { paths, folder, maxGrants = maxGrantsPerFile }: GrantFiles,
  onProgress: (grants: number) => void,
): Promise<string[]> {
  const found = await connection.runAndReadAll(rangesSql, { maxGrants });
  const ranges = found.getRows();
  const next = ranges.entries();
  let written = 0;
  const writeNext = async (own: DuckDBConnection, signal: AbortSignal) => {
    for (const [index, [first, last, grants]] of next) {
      const range = { first: BigInt(String(first)), last: BigInt(String(last)) };
      const target = draftPath(join(folder, grantsFileName(index)));
      const rows = await writeRange(own, paths, range, target);
      if (rows !== grants) throw new Error(`${target} has ${rows} grants, expected ${grants}`);
      written += rows;
      onProgress(written);
      if (signal.aborted) return;
    }
  };
  const writeSome = (signal: AbortSignal) => withConnection(instance, (own) => writeNext(own, signal));
  await connection.run("SET threads = 1");
  await allOrNone(...Array.from({ length: Math.min(filesAtOnce, ranges.length) }, () => writeSome));
  return ranges.map((_, index) => grantsFileName(index));
}

async function writeRange(
  connection: DuckDBConnection,
  paths: readonly string[],
  { first, last }: { readonly first: bigint; readonly last: bigint },
  target: string,
): Promise<number> {
  const found = await connection.runAndReadAll(partsSql, { first, last });
  const parts = found.getRows().map(([part]) => Number(part));
  const variables = {
    first_slot: first,
    last_slot: last,
    first_id: first * BigInt(rowsPerReturn),
    last_id: (last + 1n) * BigInt(rowsPerReturn) - 1n,
  };
  for (const [name, value] of Object.entries(variables))
    await connection.run(`SET VARIABLE ${name} = $value`, { value });
  await connection.run(`SET VARIABLE parts = (SELECT list(part ORDER BY part) FROM (${partsSql}))`, {
    first,
    last,
  });
  return writeParquet(connection, target, grantsSql, {
    grants: listPaths(parts.map((part) => paths[part] ?? "")),
  });
}

/**
 * Gives the files of a warehouse their names, and removes those of the previous one. A run that is killed in between leaves
 * files of both; the next run ends the work.
 * @param previous the names in the folder before
 */
export async function placeGrants(
  folder: string,
  names: readonly string[],
  previous: readonly string[],
): Promise<void> {
  for (const name of names) await placeDraft(join(folder, name));
  for (const name of previous) if (!names.includes(name)) await rm(join(folder, name), { force: true });
}
