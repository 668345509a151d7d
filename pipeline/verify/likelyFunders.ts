// Verifies the tables of likely funders: they agree with the grants, and with one another.
import type { DuckDBConnection } from "@duckdb/node-api";
import { recipientsMax } from "../../api-static/contract/answers/likelyFunders.ts";
import { likelyFunderTables, parts } from "../../api-static/release/layout.ts";
import type { Manifest } from "../releases/manifest.ts";
import { turnOf } from "../releases/turns.ts";
import { countProblems, disorder, peerContradictions } from "./contradictions.ts";

const { kin, tastes, habits } = likelyFunderTables;

/** Releases with more records compare the funders of a part each night, in turn. */
const wholeMax = 2_000_000;
const partCount = 8;

/** Each funder in turn and its recipients, likely ones too, with the cents of the first grant; from the tables `by_funder`, `by_match` and `listed`. */
const givingSql = (state: string) => `CREATE OR REPLACE TEMP TABLE giving AS
  SELECT funder_ein, recipient_ein, first_cents, listed.cause, ${state} AS state FROM (
    SELECT funder_ein, coalesce(recipient_ein, matched_ein) AS recipient_ein, max(states.text) AS filed,
      arg_min(amount_cents, transaction_year::BIGINT * 4294967296 + position) AS first_cents
    FROM by_funder LEFT JOIN (SELECT position, matched_ein FROM by_match) USING (position)
    LEFT JOIN states ON states.id = recipient_state
    WHERE funder_ein % $count::UINTEGER = $part::UINTEGER AND coalesce(recipient_ein, matched_ein) <> funder_ein GROUP BY ALL
  ) LEFT JOIN listed ON listed.ein = recipient_ein`;

const inTurn = "funder_ein % $count::UINTEGER = $part::UINTEGER";

/** Counts that must be zero. The newest filing of a funder is not in the index, so that `recent` is compared with `recipients` alone. */
const contradictions: Readonly<Record<string, string>> = {
  ...peerContradictions(
    kin,
    `giving SEMI JOIN (
    SELECT funder_ein FROM giving GROUP BY funder_ein HAVING count(*) <= ${recipientsMax}) USING (funder_ein)`,
    inTurn,
  ),
  [`rows of ${habits.table} out of order`]: disorder(habits.table, "funder_ein", "<="),
  [`rows of ${habits.table} that the grants contradict`]: `SELECT count(*) FROM ${habits.table} AS one LEFT JOIN (
    SELECT funder_ein, count(*) AS recipients, quantile_disc(first_cents, 0.25) AS low, quantile_disc(first_cents, 0.5) AS middle,
      quantile_disc(first_cents, 0.75) AS high
    FROM giving GROUP BY funder_ein
  ) AS other USING (funder_ein)
  WHERE ${inTurn} AND (one.recipients IS DISTINCT FROM other.recipients OR one.recent NOT BETWEEN 1 AND one.recipients
    OR one.low <> other.low OR one.middle <> other.middle OR one.high <> other.high OR one.recipients > ${recipientsMax})`,
  [`rows of ${tastes.table} out of order`]: disorder(tastes.table, "taste, place", "<="),
  [`places in ${tastes.table} that its counts contradict`]: `SELECT count(*) FROM (
    SELECT place, row_number() OVER (PARTITION BY taste ORDER BY recipients DESC, funder_ein) AS counted FROM ${tastes.table}
  ) WHERE place <> counted`,
  [`counts of ${tastes.table} that the grants contradict`]: `SELECT count(*) FROM (SELECT * FROM ${tastes.table} WHERE ${inTurn}) AS one
  FULL JOIN (
    SELECT taste, funder_ein, count(*) AS recipients
    FROM (SELECT funder_ein, unnest(list_distinct([state, left(cause, 1), left(cause, 2)])) AS taste FROM giving SEMI JOIN ${habits.table} USING (funder_ein))
    WHERE taste IS NOT NULL GROUP BY ALL
  ) AS other ON one.taste = other.taste AND one.funder_ein = other.funder_ein
  WHERE one.recipients IS DISTINCT FROM other.recipients`,
};

/**
 * Finds contradictions in the tables of likely funders of the index, which is the connection's current database. The temporary table `listed`
 * has the states and causes of organizations.
 */
export async function findLikelyFunderProblems(
  connection: DuckDBConnection,
  { release, totals, places }: Manifest,
): Promise<string[]> {
  const count = totals.records > wholeMax ? partCount : 1;
  const turn = { count, part: turnOf(release, count) };
  const sources = { warehouse: "filed", organizations: "listed.state" };
  const { source } = places.recipient_state;
  await connection.run(givingSql(source === null ? "NULL::VARCHAR" : sources[source]), turn);
  const problems = await countProblems(connection, parts.index, contradictions, turn);
  await connection.run("DROP TABLE giving");
  return problems;
}
