// Verifies the states of funders and recipients: in the index against the organizations, and in `index.columns` against the index.

import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { placeFilters } from "../../api-static/contract/filters.ts";
import { type Column, type Columns, maxBlock } from "../../api-static/release/columns.ts";
import { parts } from "../../api-static/release/layout.ts";
import { countRows, integersOf, literalPath, streamChunks } from "../base/database.ts";
import type { Manifest } from "../releases/manifest.ts";

/** The kinds of states, with the column of the organization that each belongs to. */
const kinds = [
  { state: "funder_state", ein: "funder_ein" },
  { state: "recipient_state", ein: "recipient_ein" },
] as const;

/** Compares the state of each funder or recipient with that of its line in `organizations`. */
const differencesSql = ({ state, ein }: (typeof kinds)[number]) => `
(SELECT DISTINCT ${ein} AS ein, ${state} AS id FROM by_funder) AS placed
LEFT JOIN states USING (id)
LEFT JOIN (
  SELECT ein::UINTEGER AS ein, CASE WHEN regexp_full_match(state, '[A-Za-z]{2}') THEN upper(state) END AS state
  FROM read_json($path, format = 'newline_delimited', columns = {ein: 'VARCHAR', state: 'VARCHAR'})
) AS listed USING (ein)
WHERE text IS DISTINCT FROM state`;

/**
 * Finds grants whose states are not those of the organizations, or more or fewer than the manifest says.
 * @param connection whose current database is the index
 */
export async function findPlaceProblems(
  connection: DuckDBConnection,
  folder: string,
  { places }: Manifest,
): Promise<string[]> {
  const problems: string[] = [];
  for (const kind of kinds) {
    const { state } = kind;
    const { source, unknown } = places[state];
    const found = await countRows(connection, `by_funder WHERE ${state} IS NULL`);
    if (found !== unknown)
      problems.push(`${parts.index}: ${found} grants have no ${state}, the manifest says ${unknown}`);
    const isListed = source === "organizations";
    const read = isListed
      ? await connection.runAndReadAll(`SELECT count(*)::INTEGER FROM ${differencesSql(kind)}`, {
          path: literalPath(join(folder, parts.organizations)),
        })
      : undefined;
    const count = Number(read?.getRows()[0]?.[0] ?? 0);
    if (count > 0)
      problems.push(`${parts.index}: ${count} EINs have another ${state} than in the organizations`);
  }
  return problems;
}

/** The columns of other orders, with the row of each of their values in the order that they are compared with. */
const copies = [
  {
    order: "position",
    copies: { rank: "rank.position", recipient: "recipient.position", likely: "likely.position" },
  },
  { order: "rank", copies: { purpose: "purpose.rank", recipient_name: "recipient_name.rank" } },
] as const;

/** Ids held in memory at once: 64 MB. More are compared in several passes. */
const idsPerPass = 2 ** 25;

/**
 * Compares every id of a state in every order with the table of all records. The rows of the orders must be in range.
 * @param connection whose current database is the index
 */
export async function findStateProblems(
  connection: DuckDBConnection,
  columns: Columns,
  idsAtOnce = idsPerPass,
): Promise<string[]> {
  const problems: string[] = [];
  for (const state of Object.values(placeFilters)) {
    if (!(await isAsInTable(connection, columns, state)))
      problems.push(`position.${state} differs from by_funder`);
    if (!isCounted(columns, state)) problems.push(`${state}.records differs from position.${state}`);
    for (const { order, copies: others } of copies)
      for (const [name, rows] of Object.entries(others)) {
        const [ids, of, source] = [`${name}.${state}`, rows, `${order}.${state}`].map((each) =>
          columns.column(each),
        ) as [Column, Column, Column];
        if (!isCopy(ids, of, source, idsAtOnce))
          problems.push(`${name}.${state} differs from ${order}.${state}`);
      }
  }
  return problems;
}

/** True if each state occurs as often as its number of records says, and so does none. */
function isCounted(columns: Columns, state: string): boolean {
  const [ids, records] = [columns.column(`position.${state}`), columns.column(`${state}.records`)];
  const counts = new Int32Array(columns.column("state.start").length);
  for (let from = 0; from < ids.length; from += maxBlock)
    for (const id of ids.slice(from, Math.min(ids.length, from + maxBlock)))
      counts[id] = (counts[id] as number) + 1;
  return records.length === counts.length && counts.every((count, id) => records.at(id) === count);
}

async function isAsInTable(connection: DuckDBConnection, columns: Columns, state: string): Promise<boolean> {
  const ids = columns.column(`position.${state}`);
  const sql = `SELECT coalesce(${state}, (SELECT count(*) FROM states))::INTEGER FROM by_funder`;
  let [position, isSame] = [0, ids.length === columns.header.records];
  for await (const chunk of streamChunks(connection, sql)) {
    if (!isSame) continue; // a stream must be read to its end
    const expected = integersOf(chunk, 0);
    const found = ids.slice(position, position + expected.length);
    isSame = expected.every((id, index) => found[index] === id);
    position += expected.length;
  }
  return isSame;
}

/** True if each id equals the one in its row of `source`. */
function isCopy(ids: Column, rows: Column, source: Column, idsAtOnce: number): boolean {
  if (ids.length !== rows.length) return false;
  const held = new Uint16Array(Math.min(idsAtOnce, source.length)); // ids are at most 26 * 26
  let isSame = true;
  for (let first = 0; first < source.length; first += held.length) {
    const size = Math.min(held.length, source.length - first);
    for (let from = 0; from < size; from += maxBlock)
      held.set(source.slice(first + from, first + Math.min(size, from + maxBlock)), from);
    for (let from = 0; from < ids.length; from += maxBlock) {
      const to = Math.min(ids.length, from + maxBlock);
      const [some, places] = [ids.slice(from, to), rows.slice(from, to)];
      for (let index = 0; index < some.length; index++) {
        const place = (places[index] as number) - first;
        if (place >= 0 && place < size) isSame &&= held[place] === some[index];
      }
    }
  }
  return isSame;
}
