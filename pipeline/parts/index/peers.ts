// Finds peers: for each funder, the funders of the same recipients; for each recipient, other recipients of its funders.
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  minShared,
  peerOrderSql,
  scoreUnit,
  weightUnit,
} from "../../../api-static/contract/answers/peers.ts";
import { type PeerTable, peerTables } from "../../../api-static/release/layout.ts";

const linksSql =
  "CREATE TABLE links AS SELECT DISTINCT funder_ein, recipient_ein FROM grants WHERE recipient_ein IS NOT NULL";

/**
 * SQL that makes two tables from the table `links`. `lists` has the number of counterparts of each EIN, and the sum of
 * their weights. `ties` has the links by which peers can be found, with their weights.
 */
const listsSql = ({ ein, counterpart, links }: PeerTable) => `
CREATE TABLE weights AS
  SELECT ${counterpart}, count(*) AS links,
    CASE WHEN count(*) <= ${links} THEN ${weightUnit} // count(*) ELSE 0 END::UINTEGER AS weight
  FROM links GROUP BY ${counterpart};
CREATE TABLE lists AS
  SELECT ${ein} AS ein, count(*)::UINTEGER AS counterparts, sum(weight)::UBIGINT AS weight
  FROM links JOIN weights USING (${counterpart}) GROUP BY ${ein};
CREATE TABLE ties AS
  SELECT ${ein} AS ein, ${counterpart} AS counterpart, weight
  FROM links JOIN weights USING (${counterpart})
  WHERE links BETWEEN 2 AND ${links}
  QUALIFY count(*) OVER (PARTITION BY ${ein}) >= ${minShared};
CREATE TABLE pairs (ein UINTEGER, peer_ein UINTEGER, shared UINTEGER, weight UBIGINT);
`;

/** SQL that adds the pairs of EINs that share enough. DuckDB spills those that it is counting, in partitions. */
const pairsSql = (condition: string) => `
INSERT INTO pairs
  SELECT one.ein, other.ein, count(*)::UINTEGER AS shared, sum(one.weight)::UBIGINT AS weight
  FROM ties AS one JOIN ties AS other USING (counterpart)
  WHERE ${condition}
  GROUP BY one.ein, other.ein HAVING count(*) >= ${minShared}`;

const bothWaysSql = "FROM pairs UNION ALL SELECT peer_ein AS ein, ein AS peer_ein, shared, weight FROM pairs";

/**
 * SQL that makes a table of peers. Doubles appear after all sums, so a score is the same every time. Rows lie by
 * EIN, so that a request reads few of them.
 */
const peersSql = ({ ein, most }: PeerTable, table: string, pairs: string) => `
CREATE TABLE ${table} AS
  WITH both_ways AS (${pairs}), scored AS (
    SELECT both_ways.ein, peer_ein, shared, others.counterparts,
      round(${scoreUnit} * both_ways.weight::DOUBLE / sqrt(ones.weight::DOUBLE * others.weight::DOUBLE))::UINTEGER AS score
    FROM both_ways JOIN lists AS ones ON ones.ein = both_ways.ein JOIN lists AS others ON others.ein = peer_ein
  )
  SELECT ein AS ${ein}, * EXCLUDE (ein) FROM scored
  QUALIFY row_number() OVER (PARTITION BY ein ORDER BY ${peerOrderSql}) <= ${most}
  ORDER BY ein, ${peerOrderSql};
DROP TABLE weights; DROP TABLE lists; DROP TABLE ties; DROP TABLE pairs`;

/** A table of peers to make. */
export type WantedPeers = PeerTable & {
  /** SQL of a table with the EINs whose peers are wanted; without it, those of all. */
  readonly of?: string;
  readonly schema?: string;
};

/**
 * Makes a table of peers from the table `links`. The work is bounded for any links: at most the table's `links` pairs for each.
 * @param onPairs called when the pairs are found, which is most of the work
 */
export async function findPeers(
  connection: DuckDBConnection,
  { of, schema = "index", ...table }: WantedPeers,
  onPairs: () => void = () => {},
): Promise<void> {
  await connection.run(listsSql(table));
  await connection.run(
    pairsSql(of === undefined ? "one.ein < other.ein" : `one.ein <> other.ein AND one.ein IN (FROM ${of})`),
  );
  onPairs();
  await connection.run(
    peersSql(table, `${schema}.${table.table}`, of === undefined ? bothWaysSql : "FROM pairs"),
  );
}

/**
 * Adds the tables of peers to the attached index, from the table `grants`.
 * @param onProgress called with the fraction of the work that is done
 */
export async function writePeers(
  connection: DuckDBConnection,
  onProgress: (fraction: number) => void,
): Promise<void> {
  await connection.run(linksSql);
  const tables = Object.values(peerTables);
  for (const [index, table] of tables.entries()) {
    await findPeers(connection, table, () => onProgress((index + 0.9) / tables.length));
    onProgress((index + 1) / tables.length);
  }
  await connection.run("DROP TABLE links");
}
