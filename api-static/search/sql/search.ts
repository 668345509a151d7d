// Answers searches by SQL: filters → a page of grants, or the next matches of a walk.
import { lineEnd } from "../../contract/answers/envelope.ts";
import type { Filters } from "../../contract/filters.ts";
import { type SqlEngine, type TextRows, whereSql } from "./table.ts";

/** The order of results, and the order by amount. ClickHouse reads in the order of its table, which has the same expressions. */
export const resultOrder = "-transaction_year, -amount_cents, id";
const amountOrder = "-amount_cents, -transaction_year, id";

/** A page: the lines of its records, each with its line end, and the text of each match; absent if no match was looked for. */
export type SqlPage = {
  readonly total: number;
  readonly lines: Buffer;
  readonly matches?: readonly number[];
};

/** The last match of a list: its year, cents and id. */
export type SqlPlace = readonly [year: number, cents: bigint, id: bigint];

export type SqlWindow = { readonly limit: number; readonly offset: number; readonly sort?: "amount" };

/** The total of all records that meet the filters, and one page of them. */
export async function findBySql(
  engine: SqlEngine,
  filters: Filters,
  { limit, offset, sort }: SqlWindow,
  signal: AbortSignal,
): Promise<SqlPage> {
  const counting = engine.start();
  const counted = await counting.read(
    `SELECT count(*) FROM grants WHERE ${whereSql(filters, counting)}`,
    signal,
  );
  const total = Number(counted[0]?.[0]);
  const statement = engine.start();
  const order = sort === "amount" ? amountOrder : resultOrder;
  const sql = `SELECT ${columnsOf(engine, filters)} FROM grants WHERE ${whereSql(filters, statement)}
ORDER BY ${order} ${engine.page(limit, offset)}`;
  const rows = offset < total ? await statement.read(sql, signal) : [];
  return { total, lines: await readLines(engine, rows), ...matchesOf(filters, rows) };
}

/** The next matches in result order, and the place of the last; undefined if there are no more. */
export async function walkBySql(
  engine: SqlEngine,
  filters: Filters,
  limit: number,
  after: SqlPlace | undefined,
  signal: AbortSignal,
) {
  const statement = engine.start();
  const where = [whereSql(filters, statement), ...(after === undefined ? [] : [afterSql(after)])].join(
    " AND ",
  );
  const sql = `SELECT ${columnsOf(engine, filters)}, transaction_year, amount_cents, id FROM grants WHERE ${where}
ORDER BY ${resultOrder} ${engine.page(limit, 0)}`;
  const rows = await statement.read(sql, signal);
  const [year, cents, id] = rows.at(-1)?.slice(-3) ?? [];
  const text = (await readLines(engine, rows)).toString();
  return {
    json: text.split(lineEnd).slice(0, -1),
    ...matchesOf(filters, rows),
    next: rows.length < limit ? undefined : ([Number(year), BigInt(cents ?? 0), BigInt(id ?? 0)] as const),
  };
}

/** The first condition lets the engine skip newer years. */
function afterSql([year, cents, id]: SqlPlace): string {
  return `transaction_year <= ${year} AND (transaction_year < ${year} OR amount_cents < ${cents}
  OR (amount_cents = ${cents} AND id > ${id}))`;
}

function columnsOf({ line }: SqlEngine, { matched }: Filters): string {
  return matched === undefined ? line : `${line}, match`;
}

function readLines(engine: SqlEngine, rows: TextRows): Promise<Buffer> {
  return engine.readLines(rows.map(([line]) => line ?? ""));
}

function matchesOf({ matched }: Filters, rows: TextRows) {
  return matched === undefined ? {} : { matches: rows.map(([, match]) => Number(match)) };
}
