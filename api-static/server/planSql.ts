// Owns the SQL of each way of a search; values are bound by name. Results never lie in an incidental order: either a scan with
// comparisons keeps the order of a projection, or, where found texts are joined, rows are ordered by rank.
import type { OrderedProjection, Plan, TextProjection, Walk } from "./plan.ts";

/** Ranks of a chunk: small enough to be looked through for a page, large enough that there are few. */
export const chunkRanks = 2 ** 16;

export function formatCount(
  projection: OrderedProjection | TextProjection,
  where: readonly string[],
): string {
  return `SELECT count(*)::DOUBLE FROM ${projection} ${formatWhere(where)}`;
}

/** Positions of the ranks `$from` to `$to`. */
export const windowSql = "SELECT position FROM by_rank WHERE rowid >= $from AND rowid < $to ORDER BY rowid";

/** A page of a projection in its own order. */
export function formatList({ projection, where, hasText }: Extract<Plan, { way: "list" }>): string {
  const order = hasText ? "ORDER BY place" : "";
  return `SELECT position FROM (SELECT *, rowid AS place FROM ${projection}) ${formatWhere(where)} ${order} ${window}`;
}

/** A page of rows by text. */
export function formatOrder({ projection, where }: Extract<Plan, { way: "order" }>): string {
  return `SELECT position FROM ${projection} ${formatWhere(where)} ORDER BY rank ${window}`;
}

/**
 * A page of the first ranks. By the limit DuckDB knows how few rows there are, and looks for their texts among the found
 * ones, not the reverse.
 */
export function formatTop({ where, reach }: Extract<Plan, { way: "top" }>): string {
  return `SELECT position FROM (SELECT *, rowid AS rank FROM by_rank LIMIT ${reach}) ${formatWhere(where)} ORDER BY rank ${window}`;
}

/** Chunks that hold matches, in order, and how many. */
export function formatChunks({ projection, where, reach }: Extract<Plan, { way: "chunks" }>): string {
  const first = reach === undefined ? "" : `LIMIT ${reach}`;
  const source = projection === "by_rank" ? `(SELECT *, rowid AS rank FROM by_rank ${first})` : projection;
  return `SELECT (rank // ${chunkRanks})::DOUBLE AS chunk, count(*)::DOUBLE FROM ${source} ${formatWhere(where)}
    GROUP BY chunk ORDER BY chunk`;
}

/** A page of the chunks `$from` to `$to`, of which there are so many, by rank or by text, whichever has fewer rows. */
export function formatChunkPage(
  { projection, where, rows }: Extract<Plan, { way: "chunks" }>,
  chunks: number,
): string {
  const ranks = chunks * chunkRanks;
  const source =
    projection === "by_rank" || ranks < rows
      ? `(SELECT *, rowid AS rank FROM by_rank WHERE rowid >= $from AND rowid < $to LIMIT ${ranks})`
      : `(SELECT * FROM ${projection} WHERE rank >= $from AND rank < $to)`;
  return `SELECT position FROM ${source} ${formatWhere(where)} ORDER BY rank ${window}`;
}

/** The first row that a walk may meet, and the one behind the last; 0 and 0 where there is none. */
export function formatSpan({ projection, together }: Walk): string {
  return `SELECT coalesce(min(rowid), 0)::DOUBLE, coalesce(max(rowid) + 1, 0)::DOUBLE FROM ${projection} ${formatWhere(together)}`;
}

/** Rows and positions of the first records that a walk meets among the rows `$from` to `$to`. */
export function formatWalk({ projection, where }: Walk): string {
  return `SELECT rowid::DOUBLE, position FROM ${projection} ${formatWhere(["rowid >= $from", "rowid < $to", ...where])}
    ORDER BY rowid LIMIT $limit`;
}

const window = "LIMIT $limit OFFSET $offset";

function formatWhere(where: readonly string[]): string {
  return where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
}
