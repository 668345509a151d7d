// Answers with the peers of a funder or a recipient, from the tables of the index.
import { formatEin } from "../../contract/ein.ts";
import type { TopicRequest } from "../../contract/operations/topics.ts";
import { peerOrderSql, scoreUnit } from "../../contract/peers.ts";
import { findFunderRow, peerTables } from "../../release/layout.ts";
import type { AdmitSearch } from "../../search/answer.ts";
import { keySql, type ReadRows, type Rows } from "../../search/indexDatabase.ts";
import type { Release } from "../../search/release.ts";
import { readName } from "./summary.ts";

/**
 * The body of an answer with peers; undefined if the release has no grant by the funder, or to the recipient.
 * @param admit called before the index is searched, but not if the funder table shows that a funder has no grants
 */
export async function answerPeers(
  release: Release,
  { of, ein }: TopicRequest,
  admit?: AdmitSearch,
): Promise<Buffer | undefined> {
  if (of === "funder" && findFunderRow(release.funders, Number(ein)) === undefined) return undefined;
  const rows = await release.search.query(ein, (read) => readRows(read, of), admit?.());
  if (rows === undefined) return undefined;
  const peers = rows.map(([peer, shared, counterparts, score, named]) => {
    const similarity = { score: Number(score) / scoreUnit };
    return of === "funder"
      ? {
          funder_ein: formatEin(Number(peer)),
          shared_recipients: Number(shared),
          recipients: Number(counterparts),
          ...similarity,
        }
      : {
          recipient_ein: formatEin(Number(peer)),
          recipient_name: readName(release, named),
          shared_funders: Number(shared),
          funders: Number(counterparts),
          ...similarity,
        };
  });
  const data = of === "funder" ? { funder_ein: ein, peers } : { recipient_ein: ein, peers };
  return Buffer.from(`${JSON.stringify({ success: true, data })}\n`);
}

/** Reads the rows of peers; undefined if a recipient has no grants. */
async function readRows(read: ReadRows, of: TopicRequest["of"]): Promise<Rows | undefined> {
  if (of === "funder") return read(peersSql.funder);
  const rows = await read(peersSql.recipient);
  return rows.length > 0 || (await read(knownRecipientSql)).length > 0 ? rows : undefined;
}

const listedSql = (of: TopicRequest["of"]) => `
SELECT peer_ein, shared, counterparts, score FROM ${peerTables[of].table}
WHERE ${peerTables[of].ein} = ${keySql}`;

const knownRecipientSql = `SELECT 1 FROM by_recipient WHERE recipient_ein = ${keySql} LIMIT 1`;

/** With each recipient, the newest record with the name that most grants to it have, as in its summary. */
const namedSql = `
SELECT recipient_ein AS peer_ein, first(named ORDER BY records DESC, newest) AS named
FROM (
  SELECT recipient_ein, count(*) AS records, min(rowid) AS newest, arg_min(position, rowid) AS named
  FROM by_recipient WHERE recipient_ein IN (SELECT peer_ein FROM listed) AND recipient_name IS NOT NULL
  GROUP BY recipient_ein, recipient_name
) GROUP BY recipient_ein`;

const peersSql = {
  funder: `${listedSql("funder")} ORDER BY ${peerOrderSql}`,
  recipient: `
WITH listed AS (${listedSql("recipient")}), named AS (${namedSql})
SELECT listed.*, named FROM listed LEFT JOIN named USING (peer_ein) ORDER BY ${peerOrderSql}`,
} as const;
