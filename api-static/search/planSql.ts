// Owns the SQL of each way of a search; its numbers are variables. Results never lie in an incidental order: either a scan with
// comparisons keeps the order of a projection, or, where found texts are joined, rows are ordered by rank.
import type { Count, OrderedProjection, Plan, Walk } from "./plan.ts";
import { variable } from "./sessions.ts";

/** Ranks of a chunk: small enough to be looked through for a page, large enough that there are few. */
export const chunkRanks = 2 ** 16;

/** The column that numbers a projection's rows; without one of its own, the number of the row. */
const places: Readonly<Record<OrderedProjection, string>> = {
  by_rank: "rank",
  by_funder: "position",
  by_recipient: "rowid",
};

const isBetween = (column: string) => `${column} >= ${variable("from")} AND ${column} < ${variable("to")}`;

const window = `LIMIT ${variable("limit")} OFFSET ${variable("offset")}`;

/**
 * Rows of the ranks `from` to `to`. By the limit DuckDB knows how few there are, and looks for their texts among the found
 * ones, not the reverse.
 */
const ranked = `(SELECT * FROM by_rank WHERE ${isBetween("rank")} LIMIT ${variable("to")} - ${variable("from")})`;

export function formatCount({ projection, where }: Count): string {
  return `SELECT count(*)::DOUBLE FROM ${projection} ${formatWhere(where)}`;
}

/** Positions of the ranks `from` to `to`. */
export const windowSql = `SELECT position FROM by_rank WHERE ${isBetween("rank")} ORDER BY rank`;

/** A page of a projection in its own order. */
export function formatList({ projection, where, hasText }: Extract<Plan, { way: "list" }>): string {
  const order = hasText ? `ORDER BY ${places[projection]}` : "";
  return `SELECT position FROM ${projection} ${formatWhere(where)} ${order} ${window}`;
}

/** A page of rows that are ordered. */
export function formatOrder({ projection, where }: Extract<Plan, { way: "order" }>): string {
  return `SELECT position FROM ${projection} ${formatWhere(where)} ORDER BY rank ${window}`;
}

/** A page of the ranks `from` to `to`. */
export function formatTop({ where }: Pick<Plan & { way: "top" }, "where">): string {
  return `SELECT position FROM ${ranked} ${formatWhere(where)} ORDER BY rank ${window}`;
}

/** Chunks that hold matches, in order, and how many; of a projection by rank, among the ranks `from` to `to`. */
export function formatChunks({ projection, where }: Extract<Plan, { way: "chunks" }>): string {
  const source = projection === "by_rank" ? ranked : projection;
  return `SELECT (rank // ${chunkRanks})::DOUBLE AS chunk, count(*)::DOUBLE FROM ${source} ${formatWhere(where)}
    GROUP BY chunk ORDER BY chunk`;
}

/** A page of the ranks `from` to `to`, of which there are so many, by rank or by text, whichever has fewer rows. */
export function formatChunkPage(
  { projection, where, rows }: Extract<Plan, { way: "chunks" }>,
  ranks: number,
): string {
  if (projection === "by_rank" || ranks < rows) return formatTop({ where });
  return `SELECT position FROM ${projection} ${formatWhere([isBetween("rank"), ...where])} ORDER BY rank ${window}`;
}

/** The first row that a walk may meet, and the one behind the last; 0 and 0 where there is none. */
export function formatSpan({ projection, together }: Walk): string {
  const place = places[projection];
  return `SELECT coalesce(min(${place}), 0)::DOUBLE, coalesce(max(${place}) + 1, 0)::DOUBLE FROM ${projection} ${formatWhere(together)}`;
}

/** Rows and positions of the first records that a walk meets among the rows `from` to `to`. */
export function formatWalk({ projection, where }: Walk): string {
  const place = places[projection];
  return `SELECT ${place}::DOUBLE, position FROM ${projection} ${formatWhere([isBetween(place), ...where])}
    ORDER BY ${place} LIMIT ${variable("limit")}`;
}

function formatWhere(where: readonly string[]): string {
  return where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
}
