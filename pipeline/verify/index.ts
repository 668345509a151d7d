// Verifies that the index is consistent: every projection has the same records in its own order, and every dictionary has their
// texts and words.
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Dictionary, dictionaries, parts } from "../../api-static/release/layout.ts";

/** Number of texts of a dictionary whose words are checked, evenly spread. */
const textSamples = 10_000;

const filterColumns = "transaction_year, amount_cents, purpose, recipient_name";

/**
 * SQL of an aggregate that is equal for equal sets of rows, in any order. It is a sum, not an XOR: DuckDB combines the hashes of
 * several columns by XOR, so an XOR over rows would not notice swapped values of the last column.
 */
export const hashSumSql = (columns: string) => `(coalesce(sum(hash(${columns})::HUGEINT), 0) + count(*))`;

const sumOf = (columns: string, from: string) => `(SELECT ${hashSumSql(columns)} FROM ${from})`;

const differs = (one: string, other: string) => `SELECT (${one} <> ${other})::INTEGER`;

/** SQL that counts rows whose key is less than the previous one (with `<=`, also equal to it). A window without an order reads
 * the rows as they are stored. */
const disorder = (table: string, key: string, sign = "<") => `SELECT count(*) FROM (
  SELECT (${key}) AS key, lag(key) OVER () AS before FROM ${table}) WHERE key ${sign} before`;

/** Counts that must be zero; `$total` is the number of records. */
const contradictions: Readonly<Record<string, string>> = {
  "ids that occur twice": "SELECT count(*) - count(DISTINCT id) FROM by_funder",
  "records missing from by_funder": "SELECT abs($total - count(*)) FROM by_funder WHERE position = rowid",
  "records missing from by_rank": "SELECT abs($total - count(*)) FROM by_rank WHERE rank = rowid",
  "records out of order": disorder(
    "by_funder",
    "funder_ein, -transaction_year::INTEGER, -amount_cents, id",
    "<=",
  ),
  "rows of by_rank out of order": disorder("by_rank", "-transaction_year::INTEGER, -amount_cents"),
  "rows of by_recipient out of order": disorder(
    "by_recipient",
    "recipient_ein, -transaction_year::INTEGER, -amount_cents",
  ),
  "difference between by_rank and by_funder": differs(
    sumOf(`position, ${filterColumns}`, "by_rank"),
    sumOf(`position, ${filterColumns}`, "by_funder"),
  ),
  "difference between by_recipient and by_funder": differs(
    sumOf(`position, funder_ein, recipient_ein, has_non_cash, ${filterColumns}`, "by_recipient"),
    sumOf(
      `position, funder_ein, recipient_ein, has_non_cash, ${filterColumns}`,
      "by_funder WHERE recipient_ein IS NOT NULL",
    ),
  ),
  ...contradictionsOf(dictionaries.purpose),
  ...contradictionsOf(dictionaries.recipientName),
};

function contradictionsOf(dictionary: Dictionary): Record<string, string> {
  const { column, texts, words, postings, projection } = dictionary;
  const isSampled = `% (SELECT greatest(1, count(*) // ${textSamples}) FROM ${texts}) = 0`;
  const spelled = `${postings} JOIN ${words} AS this ON this.id = ${postings}.word
    LEFT JOIN ${words} AS following ON following.id = ${postings}.next WHERE ${postings}.text ${isSampled}`;
  const pieces = `(SELECT id, unnest(pieces) AS word, unnest(list_append(pieces[2:], NULL)) AS next
    FROM (SELECT id, string_split(text, ' ') AS pieces FROM ${texts} WHERE id ${isSampled}))`;
  return {
    [`rows of ${projection} out of order`]: disorder(projection, `${column}, rank`, "<="),
    [`difference between ${projection} and by_rank`]: differs(
      sumOf(`rank, position, ${filterColumns}`, projection),
      sumOf(`rank, position, ${filterColumns}`, `by_rank WHERE ${column} IS NOT NULL`),
    ),
    [`counts of ${texts} that differ from ${projection}`]: `SELECT count(*) FROM ${texts} FULL JOIN (
      SELECT ${column} AS id, count(*) AS found FROM ${projection} GROUP BY ${column}) USING (id)
      WHERE records IS DISTINCT FROM found`,
    [`counts of ${words} that differ from ${postings}`]: `SELECT count(*) FROM ${words} FULL JOIN (
      SELECT word AS id, count(*) AS found FROM ${postings} GROUP BY ${postings}.word) USING (id)
      WHERE postings IS DISTINCT FROM found`,
    [`difference between ${postings} and ${texts}`]: differs(
      sumOf(`${postings}.text, this.word, following.word`, spelled),
      sumOf("id, word, next", pieces),
    ),
    [`ids of ${texts} or ${words} out of order`]: `SELECT (SELECT count(*) FROM ${texts} WHERE id <> rowid)
      + (SELECT count(*) FROM ${words} WHERE id <> rowid)`,
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
