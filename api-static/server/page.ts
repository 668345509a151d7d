// Owns the reading of one page of a search by its plan.
import type { DuckDBValue } from "@duckdb/node-api";
import { recordsMax } from "../layout.ts";
import type { Plan } from "./plan.ts";
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
import type { Session } from "./sessions.ts";

/** The records that meet a search's filters in all, and the positions of those of one page, in result order. */
export type Page = { readonly total: number; readonly positions: readonly number[] };

type Values = Record<string, DuckDBValue>;

/** @param values of the plan's conditions */
export async function readPage(
  session: Session,
  plan: Plan,
  values: Values,
  limit: number,
  offset: number,
): Promise<Page> {
  if (plan.way === "chunks") return readByChunks(session, plan, values, limit, offset);
  const total = await readTotal(session, plan, values);
  if (offset >= total) return { total, positions: [] };
  const window = { ...values, limit, offset };
  switch (plan.way) {
    case "window": {
      const from = plan.ranks.first + offset;
      const to = plan.ranks.first + Math.min(offset + limit, total);
      return { total, positions: await readPositions(session, windowSql, { from, to }) };
    }
    case "list":
      return { total, positions: await readPositions(session, formatList(plan), window) };
    case "order":
      return { total, positions: await readPositions(session, formatOrder(plan), window) };
    case "top":
      return { total, positions: await readTop(session, plan, window, Math.min(limit, total - offset)) };
  }
}

async function readTotal(
  session: Session,
  plan: Exclude<Plan, { way: "chunks" }>,
  values: Values,
): Promise<number> {
  if (plan.way === "window") return plan.ranks.records;
  if (plan.way !== "list" && plan.total !== undefined) return plan.total;
  const projection = plan.way === "top" ? "by_rank" : plan.projection;
  return Number((await session.readColumn(formatCount(projection, plan.where), values))[0]);
}

/** Looks further and further until all positions of the page are found. */
async function readTop(
  session: Session,
  plan: Extract<Plan, { way: "top" }>,
  window: Values,
  expected: number,
): Promise<number[]> {
  for (let { reach } = plan; ; reach *= 4) {
    const positions = await readPositions(session, formatTop({ ...plan, reach }), window);
    if (positions.length === expected || reach > recordsMax) return positions;
  }
}

async function readByChunks(
  session: Session,
  plan: Extract<Plan, { way: "chunks" }>,
  values: Values,
  limit: number,
  offset: number,
): Promise<Page> {
  const [chunks = [], counts = []] = await session.readColumns(formatChunks(plan), values);
  let [before, counted] = [0, 0]; // matches before the page's first chunk, matches so far
  let [first, last]: [number | undefined, number] = [undefined, 0];
  for (const [index, count] of counts.entries()) {
    const chunk = Number(chunks[index]);
    if (counted < offset + limit) last = chunk;
    if (first === undefined && counted + Number(count) > offset) [first, before] = [chunk, counted];
    counted += Number(count);
  }
  const total = plan.total ?? counted;
  if (plan.reach !== undefined && plan.reach < recordsMax && counted < Math.min(offset + limit, total))
    return readByChunks(session, { ...plan, reach: plan.reach * 4 }, values, limit, offset);
  if (first === undefined) return { total, positions: [] };
  const window = { from: first * chunkRanks, to: (last + 1) * chunkRanks, limit, offset: offset - before };
  const sql = formatChunkPage(plan, last + 1 - first);
  return { total, positions: await readPositions(session, sql, { ...values, ...window }) };
}

async function readPositions(session: Session, sql: string, values: Values): Promise<number[]> {
  return (await session.readColumn(sql, values)).map(Number);
}
