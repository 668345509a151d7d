// Finds the grants that were added last: in the files of changes between releases, those of the index that match.
import { listValue } from "@duckdb/node-api";
import type { Filters } from "../contract/filters.ts";
import { resultOrderSql } from "../contract/record.ts";
import { literalPath } from "../release/globs.ts";
import { filterSql } from "./filterSql.ts";
import { keySql, type ReadRows } from "./indexDatabase.ts";

/** A Parquet file of changes, and how many grants it added. */
export type AddedFile = { readonly path: string; readonly added: number };

/** A grant of the release, and the place in the files of the newest changes that added it. */
export type AddedGrant = { readonly position: number; readonly step: number };

/** Added grants that are joined at a time, unless one file has more: each takes about 40 bytes of DuckDB's memory. */
const addedAtOnce = 4_000_000;

/** The key of the statements: the first and the last EIN of funders, so that DuckDB skips the rows of the others. */
export function addedKey({ funderEin, funderEins = funderEin && [funderEin] }: Filters): readonly bigint[] {
  return [BigInt(funderEins?.[0] ?? 0), BigInt(funderEins?.at(-1) ?? 999_999_999)];
}

/**
 * The grants that were added last and match the filters, those of the newest changes first, then in result order. The index has
 * neither those that were removed since nor earlier forms of the others.
 * @param files each from the release where the next one ends, newest first; the first one ends with the release
 */
export async function findAdded(
  read: ReadRows,
  files: readonly AddedFile[],
  filters: Filters,
  limit: number,
): Promise<AddedGrant[]> {
  const { where, values } = filterSql(filters);
  const found = new Map<number, number>();
  for (const { first, paths } of cutFiles(files, limit)) {
    if (found.size >= limit) break;
    const rows = await read(addedSql(where, limit), { ...values, paths: listValue(paths) });
    for (const [position, step] of rows) {
      const isKnown = found.has(Number(position)); // newer changes added it again
      if (!isKnown) found.set(Number(position), first + Number(step));
    }
  }
  return [...found].slice(0, limit).map(([position, step]) => ({ position, step }));
}

/** Twice the limit: some of the rows, fewer than the limit, may be of grants that newer changes added again. */
const addedSql = (where: string, limit: number) => `
SELECT position, min(step)::INTEGER AS step
FROM (SELECT id, file_index AS step FROM read_parquet($paths) WHERE change = 'added')
JOIN (SELECT *, amount_cents AS amount FROM by_funder
  WHERE funder_ein BETWEEN ${keySql}[1] AND ${keySql}[2] AND ${where}) USING (id)
GROUP BY position, id, transaction_year, amount ORDER BY step, ${resultOrderSql} LIMIT ${2 * limit}`;

/** Some files at a time: at first as many as fill the list of a broad search, then as many as fit in memory. */
function* cutFiles(
  files: readonly AddedFile[],
  limit: number,
): Generator<{ readonly first: number; readonly paths: string[] }> {
  for (let first = 0, end = 0, enough = limit; first < files.length; first = end, enough = addedAtOnce) {
    for (let added = 0; end < files.length && added < enough; end += 1) added += files[end]?.added ?? 0;
    yield { first, paths: files.slice(first, end).map(({ path }) => literalPath(path)) };
  }
}
