// Verifies that the tables of the index agree: every projection has the same records in its own order, ids are in order, and peers list each
// other; and that they agree with the organizations and the manifest.
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { coveredFilters } from "../../api-static/contract/filters/attributes.ts";
import { attributes, distinctTexts, markColumns, textsOf } from "../../api-static/release/attributes.ts";
import { type PeerTable, parts, peerTables } from "../../api-static/release/layout.ts";
import { literalPath } from "../base/database.ts";
import { rowHashSql } from "../releases/funderDigests.ts";
import type { Manifest } from "../releases/manifest.ts";

const keys = `position, funder_ein, recipient_ein, ${markColumns}, transaction_year, amount_cents, purpose, recipient_name`;

/** SQL of an aggregate that is equal for equal sets of rows, in any order. */
export const hashSumSql = (columns: string) =>
  `(coalesce(sum(${rowHashSql(columns)}::HUGEINT), 0) + count(*))`;

const differs = (columns: string, one: string, other: string) =>
  `SELECT ((SELECT ${hashSumSql(columns)} FROM ${one}) <> (SELECT ${hashSumSql(columns)} FROM ${other}))::INTEGER`;

/** SQL that counts rows whose key is less than the previous one (with `<=`, also equal to it). A window without an order reads
 * the rows as they are stored. */
export const disorder = (table: string, key: string, sign = "<") => `SELECT count(*) FROM (
  SELECT (${key}) AS key, lag(key) OVER () AS before FROM ${table}) WHERE key ${sign} before`;

/** Counts that must be zero. Their values are those of the manifest. */
const contradictions: Readonly<Record<string, string>> = {
  "records missing from by_funder": "SELECT abs($records - count(*)) FROM by_funder WHERE position = rowid",
  "recipients more or less than the manifest says":
    "SELECT abs($recipients - count(DISTINCT recipient_ein)) FROM by_funder",
  "cents more or less than the manifest says":
    "SELECT abs(($amount::DECIMAL(38,2) * 100)::HUGEINT - sum(amount_cents)) FROM by_funder",
  ...Object.fromEntries(
    coveredFilters.map(({ name }) => [
      `grants without a ${name} more or less than the manifest says`,
      `SELECT abs($${name} - count(*)) FROM by_funder WHERE ${name} IS NULL`,
    ]),
  ),
  "grants that were passed on, or not, without being marked so":
    "SELECT count(*) FROM by_funder WHERE is_passed_on <> (recipient_ein IS NOT NULL AND recipient_ein IN (SELECT funder_ein FROM by_funder))",
  "grants to sponsors of donor-advised funds, or others, without being marked so":
    "SELECT count(*) FROM by_funder LEFT JOIN stated ON ein = recipient_ein WHERE is_donor_advised <> coalesce(is_sponsor, false)",
  "funders take applications, or not, other than stated": `SELECT count(*) FROM (SELECT DISTINCT funder_ein AS ein, accepts AS id FROM by_funder)
    LEFT JOIN acceptances USING (id) LEFT JOIN stated USING (ein) WHERE text IS DISTINCT FROM coalesce(accepts, 'unstated')`,
  "rows of stated out of order": disorder("stated", "ein", "<="),
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
    ["purposes", "recipient_names", ...distinctTexts.map(({ table }) => table)].map((texts) => [
      `ids of ${texts} out of order`,
      `SELECT count(*) FROM ${texts} WHERE id <> rowid`,
    ]),
  ),
  ...Object.assign({}, ...distinctTexts.map(({ table }) => textContradictions(table))),
  "states that are not two letters":
    "SELECT count(*) FROM states WHERE NOT regexp_full_match(text, '[A-Z]{2}')",
  ...peerContradictions(peerTables.funder),
  ...peerContradictions(peerTables.recipient),
};

/** Few texts must be in order, and be those of the grants. */
function textContradictions(table: string): Record<string, string> {
  const names = attributes.filter(({ texts }) => texts === table).map(({ name }) => name);
  const used = names.map((name) => `SELECT ${name} FROM by_funder WHERE ${name} IS NOT NULL`);
  return {
    [`${table} out of order`]: disorder(table, "text", "<="),
    [`grants with ${table} that are not in ${table}`]: `SELECT count(*) FROM by_funder, (SELECT count(*) AS n FROM ${table})
      WHERE ${names.map((name) => `${name} >= n`).join(" OR ")}`,
    [`${table} that no grant has`]: `SELECT count(*) FROM ${table} WHERE id NOT IN (${used.join(" UNION ")})`,
  };
}

/** The EIN whose value in the list each attribute has. A grant without an EIN has the cause of its likely recipient. */
const listedEins = {
  funder_state: { ein: "funder_ein" },
  recipient_state: { ein: "recipient_ein" },
  funder_cause: { ein: "funder_ein" },
  recipient_cause: {
    ein: "coalesce(recipient_ein, matched_ein)",
    join: "LEFT JOIN (SELECT position, matched_ein FROM by_match) USING (position)",
  },
};

/** The states and causes of the list. */
const listedSql = `CREATE OR REPLACE TEMP TABLE listed AS
  SELECT ein::UINTEGER AS ein, ntee AS cause, CASE WHEN regexp_full_match(state, '[A-Za-z]{2}') THEN upper(state) END AS state
  FROM read_json($path, format = 'newline_delimited', columns = {ein: 'VARCHAR', state: 'VARCHAR', ntee: 'VARCHAR'})`;

/** EINs of funders or recipients whose state or cause is not that of their line in `organizations`. */
const misplacedSql = (name: string, { ein, join }: { ein: string; join?: string }) => `SELECT count(*) FROM (
  SELECT DISTINCT ${ein} AS ein, ${name} AS id FROM by_funder ${join ?? ""}) AS placed
LEFT JOIN ${textsOf(name).table} USING (id)
LEFT JOIN listed USING (ein)
WHERE text IS DISTINCT FROM ${textsOf(name).column}`;

/**
 * Two that list each other must have the same score. Who is listed must list the other, too, or have as many peers as can be.
 * @param links a relation of both EINs @param compared of which peers the number of counterparts is compared
 */
export function peerContradictions(
  { table, ein, counterpart, most }: PeerTable,
  links = "by_recipient",
  compared = "true",
): Record<string, string> {
  const mutual = `${table} AS one LEFT JOIN ${table} AS other ON one.${ein} = other.peer_ein AND one.peer_ein = other.${ein}`;
  const size = (name: string, from: string, count: string) =>
    `(SELECT ${ein} AS peer_ein, ${count} AS ${name} FROM ${from} GROUP BY ${ein})`;
  return {
    [`rows of ${table} out of order`]: disorder(table, ein),
    [`peers missing from ${table}`]: `SELECT count(*) FROM ${mutual}
      LEFT JOIN ${size("peers", table, "count(*)")} AS sizes ON sizes.peer_ein = one.peer_ein
      WHERE other.peer_ein IS NULL AND coalesce(peers, 0) < ${most}`,
    [`peers of ${table} that the peer or the grants contradict`]: `SELECT count(*) FROM ${mutual}
      LEFT JOIN ${size("given", links, `count(DISTINCT ${counterpart})`)} AS sizes ON sizes.peer_ein = one.peer_ein
      WHERE one.shared <> other.shared OR one.score <> other.score OR (one.counterparts IS DISTINCT FROM given AND ${compared.replace(ein, "one.peer_ein")})`,
  };
}

/**
 * Finds contradictions in the index, which is the connection's current database, and with the manifest and the organizations.
 * @param folder of the release
 */
export async function findContradictions(
  connection: DuckDBConnection,
  folder: string,
  { totals, places, causes }: Manifest,
): Promise<string[]> {
  const all: Record<string, string> = { ...contradictions };
  for (const [name, of] of Object.entries(listedEins))
    if (name !== "recipient_state" || places.recipient_state.source !== "warehouse")
      all[`EINs have another ${name} than in the organizations`] = misplacedSql(name, of);
  await connection.run(listedSql, { path: literalPath(join(folder, parts.organizations)) });
  return countProblems(connection, parts.index, all, {
    records: totals.records,
    recipients: totals.recipients,
    amount: totals.amount,
    funder_state: places.funder_state.unknown,
    recipient_state: places.recipient_state.unknown,
    recipient_city: places.recipient_city.unknown,
    recipient_zip: places.recipient_zip.unknown,
    funder_cause: causes.funder_cause.unknown,
    recipient_cause: causes.recipient_cause.unknown.records,
  });
}

/**
 * Runs SQL of counts that must be zero.
 * @param part that has the problems
 * @param counts by problem
 * @param values of all parameters of the SQL
 */
export async function countProblems(
  connection: DuckDBConnection,
  part: string,
  counts: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string | number>>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [problem, sql] of Object.entries(counts)) {
    const used = Object.entries(values).filter(([name]) => sql.includes(`$${name}`));
    const result = await connection.runAndReadAll(`SELECT (${sql})::DOUBLE`, Object.fromEntries(used));
    const count = Number(result.getRows()[0]?.[0]);
    if (count !== 0) problems.push(`${part}: ${count} ${problem}`);
  }
  return problems;
}
