// Reads a search's total, and the positions of one page's records, from the index as planned.
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

/** The values of the filters' conditions, and a page's limit and offset. */
type PageVariables = Variables & { readonly limit: number; readonly offset: number };

/** Counts all records that meet a search's filters. */
export async function readTotal(session: Session, count: Count, values: Variables): Promise<number> {
  const [[total] = []] = await session.readPlanned(formatCount(count), values);
  return Number(total);
}

/**
 * The positions of one page's records, in result order.
 * @param total all records that meet the filters; more than the offset
 */
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

/** Reads more and more ranks until all positions of the page are found. */
async function readTop(
  session: Session,
  plan: Extract<Plan, { way: "top" }>,
  values: PageVariables,
  expected: number,
): Promise<number[]> {
  const { first, records } = plan.ranks;
  for (let { depth } = plan; ; depth *= 4) {
    const to = first + Math.min(depth, records);
    const positions = await readPositions(session, formatTop(plan), { ...values, from: first, to });
    if (positions.length === expected || depth >= records) return positions;
  }
}

async function readByChunks(
  session: Session,
  plan: Extract<Plan, { way: "chunks" }>,
  values: PageVariables,
  expected: number,
): Promise<number[]> {
  const { ranks, depth } = plan;
  const { limit, offset } = values;
  const readRanks = { from: ranks.first, to: ranks.first + Math.min(depth, ranks.records) };
  const [chunks = [], counts = []] = await session.readPlanned(formatChunks(plan), {
    ...values,
    ...readRanks,
  });
  let [before, counted] = [0, 0]; // matches before the page's first chunk, matches so far
  let [first, last]: [number | undefined, number] = [undefined, 0];
  for (const [index, count] of counts.entries()) {
    const chunk = Number(chunks[index]);
    if (counted < offset + limit) last = chunk;
    if (first === undefined && counted + Number(count) > offset) [first, before] = [chunk, counted];
    counted += Number(count);
  }
  if (plan.projection === "by_rank" && depth < ranks.records && counted < offset + expected)
    return readByChunks(session, { ...plan, depth: depth * 4 }, values, expected);
  if (first === undefined) return [];
  const span = { from: first * chunkRanks, to: (last + 1) * chunkRanks };
  const sql = formatChunkPage(plan, span.to - span.from);
  return readPositions(session, sql, { ...values, ...span, offset: offset - before });
}

async function readPositions(session: Session, sql: string, values: Variables): Promise<number[]> {
  const [positions = []] = await session.readPlanned(sql, values);
  return positions.map(Number);
}
