// Finds peers: for each funder, the funders of the same recipients; for each recipient, other recipients of its funders.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  maxLinks,
  maxPeers,
  minShared,
  peerOrderSql,
  scoreUnit,
  weightUnit,
} from "../../../api-static/contract/peers.ts";
import { type PeerTable, peerTables } from "../../../api-static/release/layout.ts";

const linksSql =
  "CREATE TABLE links AS SELECT DISTINCT funder_ein, recipient_ein FROM grants WHERE recipient_ein IS NOT NULL";

/**
 * SQL that makes two tables from the table `links`. `lists` has the number of counterparts of each EIN, and the sum of
 * their weights. `ties` has the links by which peers can be found, with their weights.
 */
const listsSql = ({ ein, counterpart }: PeerTable) => `
CREATE TABLE weights AS
  SELECT ${counterpart}, count(*) AS links,
    CASE WHEN count(*) <= ${maxLinks} THEN ${weightUnit} // count(*) ELSE 0 END::UINTEGER AS weight
  FROM links GROUP BY ${counterpart};
CREATE TABLE lists AS
  SELECT ${ein} AS ein, count(*)::UINTEGER AS counterparts, sum(weight)::UBIGINT AS weight
  FROM links JOIN weights USING (${counterpart}) GROUP BY ${ein};
CREATE TABLE ties AS
  SELECT ${ein} AS ein, ${counterpart} AS counterpart, weight
  FROM links JOIN weights USING (${counterpart})
  WHERE links BETWEEN 2 AND ${maxLinks}
  QUALIFY count(*) OVER (PARTITION BY ${ein}) >= ${minShared};
CREATE TABLE pairs (ein UINTEGER, peer_ein UINTEGER, shared UINTEGER, weight UBIGINT);
`;

/** SQL that adds the pairs of EINs that share enough, each pair once. DuckDB spills those that it is counting, in partitions. */
const pairsSql = `
INSERT INTO pairs
  SELECT one.ein, other.ein, count(*)::UINTEGER AS shared, sum(one.weight)::UBIGINT AS weight
  FROM ties AS one JOIN ties AS other USING (counterpart)
  WHERE one.ein < other.ein
  GROUP BY one.ein, other.ein HAVING count(*) >= ${minShared}`;

/**
 * SQL that adds a table of peers to the index. Doubles appear after all sums, so a score is the same every time. Rows lie by
 * EIN, so that a request reads few of them.
 */
const peersSql = ({ table, ein }: PeerTable) => `
CREATE TABLE index.${table} AS
  WITH both_ways AS (
    FROM pairs UNION ALL SELECT peer_ein AS ein, ein AS peer_ein, shared, weight FROM pairs
  ), scored AS (
    SELECT both_ways.ein, peer_ein, shared, others.counterparts,
      round(${scoreUnit} * both_ways.weight::DOUBLE / sqrt(ones.weight::DOUBLE * others.weight::DOUBLE))::UINTEGER AS score
    FROM both_ways JOIN lists AS ones ON ones.ein = both_ways.ein JOIN lists AS others ON others.ein = peer_ein
  )
  SELECT ein AS ${ein}, * EXCLUDE (ein) FROM scored
  QUALIFY row_number() OVER (PARTITION BY ein ORDER BY ${peerOrderSql}) <= ${maxPeers}
  ORDER BY ein, ${peerOrderSql};
DROP TABLE weights; DROP TABLE lists; DROP TABLE ties; DROP TABLE pairs`;

/**
 * Adds the tables of peers to the attached index, from the table `grants`. The work is bounded for any grants: at most `maxLinks`
 * pairs for each link between a funder and a recipient.
 * @param onProgress called with the fraction of the work that is done
 */
export async function writePeers(
  connection: DuckDBConnection,
  onProgress: (fraction: number) => void,
): Promise<void> {
  await connection.run(linksSql);
  const tables = Object.values(peerTables);
  for (const [index, table] of tables.entries()) {
    await connection.run(listsSql(table));
    await connection.run(pairsSql);
    onProgress((index + 0.9) / tables.length);
    await connection.run(peersSql(table));
    onProgress((index + 1) / tables.length);
  }
  await connection.run("DROP TABLE links");
}
