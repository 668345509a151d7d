// Formats the SQL of each plan; numbers are variables. The result order is deterministic: a read with comparisons only keeps the
// order of a projection, and rows that are joined with found texts are ordered by rank.
import type { Count, OrderedProjection, Plan, Walk } from "./plan.ts";
import { variable } from "./sessions.ts";

/** Ranks in a chunk: few enough to read for a page, many enough that there are few chunks. */
export const chunkRanks = 2 ** 16;

/** The column that numbers a projection's rows, or DuckDB's row number. */
const rowColumns: Readonly<Record<OrderedProjection, string>> = {
  by_rank: "rank",
  by_funder: "position",
  by_recipient: "rowid",
};

const isBetween = (column: string) => `${column} >= ${variable("from")} AND ${column} < ${variable("to")}`;

const window = `LIMIT ${variable("limit")} OFFSET ${variable("offset")}`;

/**
 * Rows of the ranks `from` to `to`. The limit shows DuckDB's planner how few they are, so it looks their texts up among the
 * found ones, not the reverse.
 */
const ranked = `(SELECT * FROM by_rank WHERE ${isBetween("rank")} LIMIT ${variable("to")} - ${variable("from")})`;

export function formatCount({ projection, where }: Count): string {
  return `SELECT count(*)::DOUBLE FROM ${projection} ${formatWhere(where)}`;
}

/** SQL for the positions of the ranks `from` to `to`. */
export const windowSql = `SELECT position FROM by_rank WHERE ${isBetween("rank")} ORDER BY rank`;

/** SQL for a page of a projection, in its order. */
export function formatList({ projection, where, hasText }: Extract<Plan, { way: "list" }>): string {
  const order = hasText ? `ORDER BY ${rowColumns[projection]}` : "";
  return `SELECT position FROM ${projection} ${formatWhere(where)} ${order} ${window}`;
}

/** SQL for a page of rows that are ordered by rank. */
export function formatOrder({ projection, where }: Extract<Plan, { way: "order" }>): string {
  return `SELECT position FROM ${projection} ${formatWhere(where)} ORDER BY rank ${window}`;
}

/** SQL for a page of the ranks `from` to `to`. */
export function formatTop({ where }: Pick<Plan & { way: "top" }, "where">): string {
  return `SELECT position FROM ${ranked} ${formatWhere(where)} ORDER BY rank ${window}`;
}

/** SQL for the chunks with matches, in order, and their matches; of `by_rank`, only the ranks `from` to `to` are read. */
export function formatChunks({ projection, where }: Extract<Plan, { way: "chunks" }>): string {
  const source = projection === "by_rank" ? ranked : projection;
  return `SELECT (rank // ${chunkRanks})::DOUBLE AS chunk, count(*)::DOUBLE FROM ${source} ${formatWhere(where)}
    GROUP BY chunk ORDER BY chunk`;
}

/**
 * SQL for a page of the ranks `from` to `to`, by rank or by text, whichever has fewer rows.
 * @param ranks the number of these ranks
 */
export function formatChunkPage(
  { projection, where, rows }: Extract<Plan, { way: "chunks" }>,
  ranks: number,
): string {
  if (projection === "by_rank" || ranks < rows) return formatTop({ where });
  return `SELECT position FROM ${projection} ${formatWhere([isBetween("rank"), ...where])} ORDER BY rank ${window}`;
}

/** SQL for the first row of a walk's run, and the row after its last one; 0 and 0 if it has no rows. */
export function formatSpan({ projection, run }: Walk): string {
  const row = rowColumns[projection];
  return `SELECT coalesce(min(${row}), 0)::DOUBLE, coalesce(max(${row}) + 1, 0)::DOUBLE FROM ${projection} ${formatWhere(run)}`;
}

/** SQL for the rows and positions of the first matches of a walk among the rows `from` to `to`. */
export function formatWalk({ projection, where }: Walk): string {
  const row = rowColumns[projection];
  return `SELECT ${row}::DOUBLE, position FROM ${projection} ${formatWhere([isBetween(row), ...where])}
    ORDER BY ${row} LIMIT ${variable("limit")}`;
}

function formatWhere(where: readonly string[]): string {
  return where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
}
