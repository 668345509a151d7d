// Verifies that the tables of the index agree: every projection has the same records in its own order, ids are in order, and peers list each
// other; and that they agree with the organizations and the manifest.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCents } from "../../api-static/contract/amount.ts";
import { placeFilters } from "../../api-static/contract/filters.ts";
import { maxPeers } from "../../api-static/contract/peers.ts";
import { type PeerTable, parts, peerTables } from "../../api-static/release/layout.ts";
import { countRows, literalPath } from "../base/database.ts";
import { rowHashSql } from "../releases/funderDigests.ts";
import type { Manifest } from "../releases/manifest.ts";
import type { Totals } from "../releases/totals.ts";

const keys =
  "position, funder_ein, recipient_ein, has_non_cash, transaction_year, amount_cents, purpose, recipient_name";

/** SQL of an aggregate that is equal for equal sets of rows, in any order. */
export const hashSumSql = (columns: string) =>
  `(coalesce(sum(${rowHashSql(columns)}::HUGEINT), 0) + count(*))`;

const differs = (columns: string, one: string, other: string) =>
  `SELECT ((SELECT ${hashSumSql(columns)} FROM ${one}) <> (SELECT ${hashSumSql(columns)} FROM ${other}))::INTEGER`;

/** SQL that counts rows whose key is less than the previous one (with `<=`, also equal to it). A window without an order reads
 * the rows as they are stored. */
const disorder = (table: string, key: string, sign = "<") => `SELECT count(*) FROM (
  SELECT (${key}) AS key, lag(key) OVER () AS before FROM ${table}) WHERE key ${sign} before`;

/** Counts that must be zero; `$total` is the number of records. */
const contradictions: Readonly<Record<string, string>> = {
  "records missing from by_funder": "SELECT abs($total - count(*)) FROM by_funder WHERE position = rowid",
  "records out of order": disorder(
    "by_funder",
    "funder_ein, -transaction_year::INTEGER, -amount_cents, id",
    "<=",
  ),
  "rows of by_recipient out of order": disorder(
    "by_recipient",
    "recipient_ein, -transaction_year::INTEGER, -amount_cents",
  ),
  "difference between by_recipient and by_funder": differs(
    keys,
    "by_recipient",
    "by_funder WHERE recipient_ein IS NOT NULL",
  ),
  "rows of ids out of order": disorder("ids", "id", "<="), // nor does an id occur twice
  "difference between ids and by_funder": differs("position, id", "ids", "by_funder"),
  "rows of repeated out of order": disorder("repeated", "funder_ein, -transaction_year::INTEGER", "<="),
  "rows of repeated that the grants do not give": `SELECT count(*) FROM repeated ANTI JOIN (
    SELECT funder_ein, transaction_year, count(*) AS grants FROM by_funder GROUP BY ALL
  ) AS filed ON filed.funder_ein = repeated.funder_ein AND filed.transaction_year = repeated.transaction_year
    AND repeated.filings > 1 AND repeated.records >= repeated.filings - 1 AND repeated.records < grants`,
  "rows of returns out of order": disorder("returns", "first_id", "<="),
  ...Object.fromEntries(
    // The counts of the texts are compared with `index.columns`, whose rows are.
    ["purposes", "recipient_names", "types", "states"].map((texts) => [
      `ids of ${texts} out of order`,
      `SELECT count(*) FROM ${texts} WHERE id <> rowid`,
    ]),
  ),
  "types out of order": disorder("types", "text", "<="),
  "states out of order": disorder("states", "text", "<="),
  "states that are not two letters":
    "SELECT count(*) FROM states WHERE NOT regexp_full_match(text, '[A-Z]{2}')",
  "grants with states that are not in states": `SELECT count(*) FROM by_funder, (SELECT count(*) AS n FROM states)
    WHERE funder_state >= n OR recipient_state >= n`,
  "states that no grant has": `SELECT count(*) FROM states WHERE id NOT IN (
    SELECT funder_state FROM by_funder WHERE funder_state IS NOT NULL
    UNION SELECT recipient_state FROM by_funder WHERE recipient_state IS NOT NULL)`,
  ...peerContradictions(peerTables.funder),
  ...peerContradictions(peerTables.recipient),
};

/** Two that list each other must have the same score. Who is listed must list the other, too, or have as many peers as can be. */
function peerContradictions({ table, ein, counterpart }: PeerTable): Record<string, string> {
  const mutual = `${table} AS one LEFT JOIN ${table} AS other ON one.${ein} = other.peer_ein AND one.peer_ein = other.${ein}`;
  const size = (name: string, from: string, count: string) =>
    `(SELECT ${ein} AS peer_ein, ${count} AS ${name} FROM ${from} GROUP BY ${ein})`;
  return {
    [`rows of ${table} out of order`]: disorder(table, ein),
    [`peers missing from ${table}`]: `SELECT count(*) FROM ${mutual}
      LEFT JOIN ${size("peers", table, "count(*)")} AS sizes ON sizes.peer_ein = one.peer_ein
      WHERE other.peer_ein IS NULL AND coalesce(peers, 0) < ${maxPeers}`,
    [`peers of ${table} that the peer or the grants contradict`]: `SELECT count(*) FROM ${mutual}
      LEFT JOIN ${size("given", "by_recipient", `count(DISTINCT ${counterpart})`)} AS sizes ON sizes.peer_ein = one.peer_ein
      WHERE one.shared <> other.shared OR one.score <> other.score OR one.counterparts IS DISTINCT FROM given`,
  };
}

/** Finds contradictions in the index, which is the connection's current database, and with the number of records. */
export async function findContradictions(connection: DuckDBConnection, records: number): Promise<string[]> {
  const problems: string[] = [];
  for (const [problem, sql] of Object.entries(contradictions)) {
    const values = sql.includes("$total") ? { total: records } : undefined;
    const result = await connection.runAndReadAll(`SELECT (${sql})::DOUBLE`, values);
    const count = Number(result.getRows()[0]?.[0]);
    if (count !== 0) problems.push(`${parts.index}: ${count} ${problem}`);
  }
  return problems;
}

/** Compares the manifest's totals of what the index has. */
export async function findTotalsProblems(
  connection: DuckDBConnection,
  { totals }: Pick<Manifest, "totals">,
): Promise<string[]> {
  const read =
    await connection.runAndReadAll(`SELECT count(*)::DOUBLE AS records, count(DISTINCT funder_ein)::DOUBLE AS funders,
    count(DISTINCT recipient_ein)::DOUBLE AS recipients, min(transaction_year) AS first_year, max(transaction_year) AS last_year,
    sum(amount_cents) AS amount FROM by_funder`);
  return Object.entries(read.getRowObjects()[0] ?? {}).flatMap(([name, value]) => {
    const found = typeof value === "bigint" ? formatCents(value) : value;
    const sealed = totals[name as keyof Totals];
    return found === sealed ? [] : [`${parts.index} has ${name} ${found}, the manifest says ${sealed}`];
  });
}

/** EINs of funders or recipients whose state is not that of their line in `organizations`. */
const misplacedSql = (state: string) => `(
  SELECT DISTINCT ${state.replace("_state", "_ein")} AS ein, ${state} AS id FROM by_funder) AS placed
LEFT JOIN states USING (id)
LEFT JOIN (
  SELECT ein::UINTEGER AS ein, CASE WHEN regexp_full_match(state, '[A-Za-z]{2}') THEN upper(state) END AS state
  FROM read_json($path, format = 'newline_delimited', columns = {ein: 'VARCHAR', state: 'VARCHAR'})
) AS listed USING (ein)
WHERE text IS DISTINCT FROM state`;

/** Finds grants whose states are not those of the organizations, or more or fewer than the manifest says. */
export async function findPlaceProblems(
  connection: DuckDBConnection,
  folder: string,
  { places }: Manifest,
): Promise<string[]> {
  const problems: string[] = [];
  const path = literalPath(join(folder, parts.organizations));
  for (const state of Object.values(placeFilters)) {
    const { source, unknown } = places[state];
    const found = await countRows(connection, `by_funder WHERE ${state} IS NULL`);
    if (found !== unknown)
      problems.push(`${parts.index}: ${found} grants have no ${state}, the manifest says ${unknown}`);
    const count = source === "organizations" ? await countRows(connection, misplacedSql(state), { path }) : 0;
    if (count > 0)
      problems.push(`${parts.index}: ${count} EINs have another ${state} than in the organizations`);
  }
  return problems;
}
