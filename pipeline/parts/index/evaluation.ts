// Measures likely funders: hides the filings of the newest year, ranks funders by the others, and looks how many new pairs it finds.
import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import {
  type Basis,
  type Evaluation,
  type LikelyFundersFacts,
  modelVersion,
} from "../../../api-static/contract/answers/likelyFunders.ts";
import { likelyFundersDefault } from "../../../api-static/contract/limits.ts";
import { popularSql, type Ranking, rankingSql } from "../../../api-static/search/likelyFunders.ts";
import { compare, meanOf } from "../../match/figures.ts";

/** Recipients that are drawn: enough for an interval of four hundredths. */
const drawnMax = 2_000;

/** With fewer recipients nothing is proven. */
const drawnMin = 100;

/** New pairs of recipients that had a funder before, and of these recipients at most `drawnMax`, drawn by their EIN. */
const drawnSql = `
CREATE TABLE drawn AS
  SELECT recipient_ein AS ein, coalesce(upper(any_value(listed.state)), max(giving.state)) AS state, any_value(giving.cause) AS cause
  FROM giving LEFT JOIN listed ON listed.ein = recipient_ein GROUP BY recipient_ein
  HAVING count(*) FILTER (first_at <= (SELECT hidden_after FROM times)) > 0 AND count(*) FILTER (first_at > (SELECT hidden_after FROM times)) > 0
  ORDER BY hash(recipient_ein), recipient_ein LIMIT ${drawnMax};
CREATE TABLE new_pairs AS
  SELECT recipient_ein AS ein, funder_ein FROM giving SEMI JOIN drawn ON ein = recipient_ein WHERE first_at > (SELECT hidden_after FROM times);
CREATE TABLE given AS
  SELECT recipient_ein AS ein, funder_ein FROM giving SEMI JOIN drawn ON ein = recipient_ein WHERE first_at <= (SELECT hidden_after FROM times);
CREATE TABLE givers AS SELECT DISTINCT funder_ein FROM given`;

/** The recipients and pairs, the recipients with a hit, the pairs found, and the sum of the reciprocals of first places and of their squares. */
const hitsSql = (ranked: string) => `
WITH places AS (SELECT ein, place FROM (${ranked}) SEMI JOIN new_pairs USING (ein, funder_ein)), firsts AS (
  SELECT ein, min(place) AS place, count(*) AS pairs FROM places GROUP BY ein
)
SELECT (SELECT count(*) FROM drawn)::DOUBLE, (SELECT count(*) FROM new_pairs)::DOUBLE, count(*)::DOUBLE, coalesce(sum(pairs), 0)::DOUBLE,
  coalesce(sum(1000000000 // place), 0)::DOUBLE / 1000000000, coalesce(sum(1000000000 // (place * place)), 0)::DOUBLE / 1000000000
FROM firsts`;

const factsSql = `
SELECT strftime((SELECT hidden_after FROM times), '%Y-%m-%dT%H:%M:%SZ'), count(*) FILTER (is_filed)::DOUBLE, count(*) FILTER (NOT is_filed)::DOUBLE
FROM giving`;

/**
 * The facts about likely funders, from the tables `giving`, `times` and `listed`.
 * @param makeTables makes the tables of likely funders in a schema, from the filings that are not hidden; similar funders only for those in a table
 */
export async function evaluate(
  connection: DuckDBConnection,
  makeTables: (schema: string, of: string) => Promise<void>,
): Promise<LikelyFundersFacts> {
  await connection.run("CREATE SCHEMA known_before");
  await connection.run(drawnSql);
  await makeTables("known_before", "givers");
  const ranking: Ranking = {
    targets: "FROM drawn",
    given: "FROM given",
    schema: "known_before",
    limit: String(likelyFundersDefault),
  };
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows()[0] ?? [];
  const hitsOf = (sql: string) => read(hitsSql(sql));
  const state = shareOf(await hitsOf(popularSql(ranking, "state")));
  const cause = shareOf(await hitsOf(popularSql(ranking, "cause[1]")));
  const rowOf = (basis: Basis) => hitsOf(rankingSql({ ...ranking, hasKin: basis === "grants" }));
  const figures = async (basis: Basis) => describe(await rowOf(basis), { state, cause });
  const [hidden, filed, likely] = await read(factsSql);
  return {
    version: modelVersion,
    hidden_after: hidden === null ? null : String(hidden),
    pairs: { filed: Number(filed), likely: Number(likely) },
    basis: { grants: await figures("grants"), organization: await figures("organization") },
  };
}

function shareOf([recipients, , hits]: readonly DuckDBValue[]): number | null {
  return compare(Number(recipients), Number(hits)).share;
}

function describe(
  row: readonly DuckDBValue[],
  baselines: Evaluation["baselines"],
): LikelyFundersFacts["basis"][Basis] {
  const [recipients = 0, pairs = 0, hits = 0, found = 0, sum = 0, squares = 0] = row.map(Number);
  const { share: hit_at_10, low, high } = compare(recipients, hits);
  const evaluated = {
    hit_at_10,
    low,
    high,
    recall_at_10: measured(compare(pairs, found)),
    mrr: measured(meanOf(recipients, sum, squares)),
    baselines,
    recipients,
    pairs,
  };
  return { why_not: whyNot(evaluated), evaluated };
}

const measured = ({ share, low, high }: ReturnType<typeof meanOf>) => ({ value: share, low, high });

/** Why lists as right as this are not served; null if they are: then they are surely better than the most frequent funders. */
function whyNot({ low, baselines, recipients }: Evaluation): string | null {
  if (recipients < drawnMin)
    return `Too few recipients got a new funder in the newest year to measure it: ${recipients}, and ${drawnMin} are needed.`;
  const best = Math.max(baselines.state ?? 0, baselines.cause ?? 0);
  if (low !== null && low > best) return null;
  return `It is not proven to be better than the most frequent funders of the state or the cause: ${low} at least, and they have ${best}.`;
}
