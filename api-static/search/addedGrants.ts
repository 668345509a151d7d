// Finds the grants that were added last: in the files of changes between releases, those of the index that match.
import { listValue } from "@duckdb/node-api";
import { resultOrderSql } from "../contract/answers/record.ts";
import type { Filters } from "../contract/filters.ts";
import { literalPath } from "../release/layout.ts";
import { keySql, type ReadRows } from "./indexDatabase.ts";
import { filterSql } from "./sql/table.ts";

/** A Parquet file of changes, and how many grants it added. */
export type AddedFile = { readonly path: string; readonly added: number };

/** A grant of the release, and the file of the newest changes that added it. */
export type AddedGrant<File> = { readonly position: number; readonly file: File };

type Files<File> = AsyncIterable<File> | Iterable<File>;

/** Added grants that are joined at a time, unless one file has more: each takes about 40 bytes of DuckDB's memory. */
const addedAtOnce = 4_000_000;

/** The key of the statements: the first and the last EIN of funders, so that DuckDB skips the rows of the others. */
export function addedKey({ funderEin, funderEins = funderEin && [funderEin] }: Filters): readonly bigint[] {
  return [BigInt(funderEins?.[0] ?? 0), BigInt(funderEins?.at(-1) ?? 999_999_999)];
}

/**
 * The grants that were added last and match the filters, those of the newest changes first, then in result order. The index has
 * neither those that were removed since nor earlier forms of the others.
 * @param files each from the release where the next one ends, newest first; the first one ends with the release. No more are taken
 * once enough grants are found
 */
export async function findAdded<File extends AddedFile>(
  read: ReadRows,
  files: Files<File>,
  filters: Filters,
  limit: number,
): Promise<AddedGrant<File>[]> {
  const { where, values } = filterSql(filters);
  const found = new Map<number, File>();
  for await (const some of cutFiles(files, limit)) {
    const paths = listValue(some.map(({ path }) => literalPath(path)));
    for (const [position, step] of await read(addedSql(where, limit), { ...values, paths })) {
      const isKnown = found.has(Number(position)); // newer changes added it again
      if (!isKnown) found.set(Number(position), some[Number(step)] as File);
    }
    if (found.size >= limit) break;
  }
  return [...found].slice(0, limit).map(([position, file]) => ({ position, file }));
}

/** Twice the limit: some of the rows, fewer than the limit, may be of grants that newer changes added again. */
const addedSql = (where: string, limit: number) => `
SELECT position, min(step)::INTEGER AS step
FROM (SELECT id, file_index AS step FROM read_parquet($paths) WHERE change = 'added')
JOIN (SELECT *, amount_cents AS amount FROM by_funder
  WHERE funder_ein BETWEEN ${keySql}[1] AND ${keySql}[2] AND ${where}) USING (id)
GROUP BY position, id, transaction_year, amount ORDER BY step, ${resultOrderSql} LIMIT ${2 * limit}`;

/** Some files at a time: at first as many as fill the list of a broad search, then as many as fit in memory. */
async function* cutFiles<File extends AddedFile>(files: Files<File>, limit: number): AsyncGenerator<File[]> {
  let some: File[] = [];
  let missing = limit; // grants
  for await (const file of files) {
    some.push(file);
    missing -= file.added;
    if (missing > 0) continue;
    yield some;
    some = [];
    missing = addedAtOnce;
  }
  if (some.length > 0) yield some;
}
