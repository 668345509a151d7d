// Owns the page of a search: its total and its records' positions, read from the index by the plan. (Page files: `pageFileCache.ts`.)
import type { Count, Plan } from "./plan.ts";
import {
  chunkRanks,
  formatChunkPage,
  formatChunks,
  formatCount,
  formatList,
  formatOrder,
  formatTop,
  windowSql,
} from "./planSql.ts";
import type { Session, Variables } from "./sessions.ts";

/** The values of a page's conditions, its limit and its offset. */
type PageVariables = Variables & { readonly limit: number; readonly offset: number };

/** How many records meet a search's filters in all. */
export async function readTotal(session: Session, count: Count, values: Variables): Promise<number> {
  const [[total] = []] = await session.readPlanned(formatCount(count), values);
  return Number(total);
}

/** The positions of one page's records, in result order; `total` meet the filters in all, and `offset` is less. */
export async function readPage(
  session: Session,
  plan: Plan,
  total: number,
  values: PageVariables,
): Promise<number[]> {
  const { limit, offset } = values;
  const expected = Math.min(limit, total - offset);
  switch (plan.way) {
    case "window": {
      const from = plan.ranks.first + offset;
      return readPositions(session, windowSql, { from, to: from + expected });
    }
    case "list":
      return readPositions(session, formatList(plan), values);
    case "order":
      return readPositions(session, formatOrder(plan), values);
    case "top":
      return readTop(session, plan, values, expected);
    case "chunks":
      return readByChunks(session, plan, values, expected);
  }
}

/** Looks further and further until all positions of the page are found. */
async function readTop(
  session: Session,
  plan: Extract<Plan, { way: "top" }>,
  values: PageVariables,
  expected: number,
): Promise<number[]> {
  const { first, records } = plan.ranks;
  for (let { reach } = plan; ; reach *= 4) {
    const to = first + Math.min(reach, records);
    const positions = await readPositions(session, formatTop(plan), { ...values, from: first, to });
    if (positions.length === expected || reach >= records) return positions;
  }
}

async function readByChunks(
  session: Session,
  plan: Extract<Plan, { way: "chunks" }>,
  values: PageVariables,
  expected: number,
): Promise<number[]> {
  const { ranks, reach } = plan;
  const { limit, offset } = values;
  const reached = { from: ranks.first, to: ranks.first + Math.min(reach, ranks.records) };
  const [chunks = [], counts = []] = await session.readPlanned(formatChunks(plan), { ...values, ...reached });
  let [before, counted] = [0, 0]; // matches before the page's first chunk, matches so far
  let [first, last]: [number | undefined, number] = [undefined, 0];
  for (const [index, count] of counts.entries()) {
    const chunk = Number(chunks[index]);
    if (counted < offset + limit) last = chunk;
    if (first === undefined && counted + Number(count) > offset) [first, before] = [chunk, counted];
    counted += Number(count);
  }
  if (plan.projection === "by_rank" && reach < ranks.records && counted < offset + expected)
    return readByChunks(session, { ...plan, reach: reach * 4 }, values, expected);
  if (first === undefined) return [];
  const span = { from: first * chunkRanks, to: (last + 1) * chunkRanks };
  const sql = formatChunkPage(plan, span.to - span.from);
  return readPositions(session, sql, { ...values, ...span, offset: offset - before });
}

async function readPositions(session: Session, sql: string, values: Variables): Promise<number[]> {
  const [positions = []] = await session.readPlanned(sql, values);
  return positions.map(Number);
}
