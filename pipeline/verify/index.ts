// Verifies that the tables of the index are consistent: every projection has the same records in its own order, and the ids of every
// dictionary are in order.
import type { DuckDBConnection } from "@duckdb/node-api";
import { formatCents } from "../../api-static/contract/amount.ts";
import { type Dictionary, dictionaries, parts } from "../../api-static/release/layout.ts";
import { rowHashSql } from "../releases/funderDigests.ts";
import type { Manifest } from "../releases/manifest.ts";
import type { Totals } from "../releases/totals.ts";

const filterColumns = "transaction_year, amount_cents, purpose, recipient_name";

/** SQL of an aggregate that is equal for equal sets of rows, in any order. */
export const hashSumSql = (columns: string) =>
  `(coalesce(sum(${rowHashSql(columns)}::HUGEINT), 0) + count(*))`;

const sumOf = (columns: string, from: string) => `(SELECT ${hashSumSql(columns)} FROM ${from})`;

const differs = (one: string, other: string) => `SELECT (${one} <> ${other})::INTEGER`;

/** SQL that counts rows whose key is less than the previous one (with `<=`, also equal to it). A window without an order reads
 * the rows as they are stored. */
export const disorder = (table: string, key: string, sign = "<") => `SELECT count(*) FROM (
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
    sumOf(`position, funder_ein, recipient_ein, has_non_cash, ${filterColumns}`, "by_recipient"),
    sumOf(
      `position, funder_ein, recipient_ein, has_non_cash, ${filterColumns}`,
      "by_funder WHERE recipient_ein IS NOT NULL",
    ),
  ),
  "rows of ids out of order": disorder("ids", "id", "<="), // nor does an id occur twice
  "difference between ids and by_funder": differs(
    sumOf("position, id", "ids"),
    sumOf("position, id", "by_funder"),
  ),
  "rows of repeated out of order": disorder("repeated", "funder_ein, -transaction_year::INTEGER", "<="),
  "rows of repeated that the grants do not give": `SELECT count(*) FROM repeated ANTI JOIN (
    SELECT funder_ein, transaction_year, count(*) AS grants FROM by_funder GROUP BY ALL
  ) AS filed ON filed.funder_ein = repeated.funder_ein AND filed.transaction_year = repeated.transaction_year
    AND repeated.filings > 1 AND repeated.records >= repeated.filings - 1 AND repeated.records < grants`,
  "rows of returns out of order": disorder("returns", "first_id", "<="),
  ...idsOutOfOrder(dictionaries.purpose),
  ...idsOutOfOrder(dictionaries.recipientName),
  ...idsOutOfOrder({ texts: "types" }),
  "types out of order": disorder("types", "text", "<="),
  ...idsOutOfOrder({ texts: "states" }),
  "states out of order": disorder("states", "text", "<="),
  "states that are not two letters":
    "SELECT count(*) FROM states WHERE NOT regexp_full_match(text, '[A-Z]{2}')",
  "grants with states that are not in states": `SELECT count(*) FROM by_funder, (SELECT count(*) AS n FROM states)
    WHERE funder_state >= n OR recipient_state >= n`,
  "states that no grant has": `SELECT count(*) FROM states WHERE id NOT IN (
    SELECT funder_state FROM by_funder WHERE funder_state IS NOT NULL
    UNION SELECT recipient_state FROM by_funder WHERE recipient_state IS NOT NULL)`,
};

/** The counts of the texts are compared with `index.columns`, whose rows are. */
function idsOutOfOrder({ texts }: Pick<Dictionary, "texts">): Record<string, string> {
  return { [`ids of ${texts} out of order`]: `SELECT count(*) FROM ${texts} WHERE id <> rowid` };
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
