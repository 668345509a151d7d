// Verifies the tables of peers: finds the peers of some funders and recipients again, from the grants.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  maxLinks,
  maxPeers,
  minShared,
  peerOrderSql,
  scoreUnit,
  weightUnit,
} from "../../api-static/contract/peers.ts";
import { type PeerTable, parts, peerTables } from "../../api-static/release/layout.ts";

/** Funders, and recipients, whose peers are found again, evenly spread. Small releases have fewer, so all are. */
const peerSamples = 1_000;

const linksSql = `
CREATE OR REPLACE TEMP TABLE links AS SELECT DISTINCT funder_ein, recipient_ein FROM by_funder WHERE recipient_ein IS NOT NULL`;

/** The EINs whose peers are found again. A table may only list peers of EINs that have counterparts. */
const sampledSql = ({ ein, counterpart }: PeerTable) => `
CREATE OR REPLACE TEMP TABLE weighed AS
  SELECT ${ein} AS ein, ${counterpart} AS counterpart, count(*) OVER (PARTITION BY ${counterpart}) AS links FROM links;
CREATE OR REPLACE TEMP TABLE sums AS
  SELECT ein, count(*) AS counterparts, sum(${weightUnit} // links) FILTER (links <= ${maxLinks}) AS weight
  FROM weighed GROUP BY ein;
CREATE OR REPLACE TEMP TABLE sampled AS
  SELECT ein FROM (SELECT ein, row_number() OVER (ORDER BY ein) AS number, count(*) OVER () AS eins FROM sums)
  WHERE number % greatest(1, eins // ${peerSamples}) = 0`;

/** Their peers, from all pairs of an EIN of the sample and another with the same counterpart. */
const expectedSql = `
SELECT ein, peer_ein, shared, counterparts, score FROM (
  SELECT shared.ein, peer_ein, shared, theirs.counterparts,
    round(${scoreUnit} * shared.weight::DOUBLE / sqrt(own.weight::DOUBLE * theirs.weight::DOUBLE)) AS score
  FROM (
    SELECT own.ein, theirs.ein AS peer_ein, count(*) AS shared, sum(${weightUnit} // own.links) AS weight
    FROM weighed AS own JOIN weighed AS theirs USING (counterpart)
    WHERE own.ein IN (FROM sampled) AND own.links <= ${maxLinks} AND own.ein <> theirs.ein
    GROUP BY own.ein, theirs.ein
  ) AS shared JOIN sums AS own ON own.ein = shared.ein JOIN sums AS theirs ON theirs.ein = peer_ein
  WHERE shared >= ${minShared}
) QUALIFY row_number() OVER (PARTITION BY ein ORDER BY ${peerOrderSql}) <= ${maxPeers}`;

/** Counts what differs between the peers found again and those listed, and rows that a request would not find in order. */
const differencesSql = ({ table, ein }: PeerTable) => `
WITH expected AS (${expectedSql}), listed AS (
  SELECT ${ein} AS ein, peer_ein, shared, counterparts, score FROM ${table}
  WHERE ${ein} IN (FROM sampled) OR ${ein} NOT IN (SELECT ein FROM sums)
)
SELECT (SELECT count(*) FROM (FROM expected EXCEPT ALL FROM listed))::DOUBLE,
  (SELECT count(*) FROM (FROM listed EXCEPT ALL FROM expected))::DOUBLE,
  (SELECT count(*) FROM (SELECT ${ein} AS ein, lag(${ein}) OVER () AS before FROM ${table}) WHERE ein < before)::DOUBLE`;

/** Finds contradictions between the tables of peers and the grants in the index, which is the current database. */
export async function findPeerProblems(connection: DuckDBConnection): Promise<string[]> {
  const problems: string[] = [];
  await connection.run(linksSql);
  for (const table of Object.values(peerTables)) {
    await connection.run(sampledSql(table));
    const rows = (await connection.runAndReadAll(differencesSql(table))).getRows();
    const [missing, wrong, disordered] = (rows[0] ?? []).map(Number);
    if (missing !== 0) problems.push(`${parts.index}: ${missing} peers missing from ${table.table}`);
    if (wrong !== 0)
      problems.push(`${parts.index}: ${wrong} peers of ${table.table} that the grants do not give`);
    if (disordered !== 0) problems.push(`${parts.index}: ${disordered} rows of ${table.table} out of order`);
  }
  await connection.run("DROP TABLE links; DROP TABLE weighed; DROP TABLE sums; DROP TABLE sampled");
  return problems;
}
