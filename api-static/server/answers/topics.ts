// Answers with one grant and its return, with the peers of a funder or a recipient, and with the recipients that several funders share.
import type { DuckDBValue } from "@duckdb/node-api";
import { lineEnd } from "../../contract/answers/envelope.ts";
import { peerOrderSql, scoreUnit } from "../../contract/answers/peers.ts";
import type { GrantRecord } from "../../contract/answers/record.ts";
import { formatEin } from "../../contract/ein.ts";
import type { GrantRequest, SharedRequest, TopicRequest } from "../../contract/operations/topics.ts";
import { stringify } from "../../contract/text/amount.ts";
import { findFunderRow, idsPerReturn, peerTables } from "../../release/layout.ts";
import type { AdmitSearch } from "../../search/answer.ts";
import { keySql, type ReadRows, type Rows } from "../../search/indexDatabase.ts";
import type { Release } from "../../search/release.ts";
import { prepareError, type Reply } from "../http/reply.ts";
import { type Asked, prepareFound } from "./asked.ts";
import { addUp, formatSizeRows, formatSum, readName, sizesSql } from "./summary.ts";

const positionSql = `SELECT position FROM ids WHERE id = ${keySql}`;

const returnSql = `SELECT irs_return FROM returns WHERE first_id = ${keySql} - ${keySql} % ${idsPerReturn} AND ${keySql} >= 0`;

/** How an import names a return: OBJECT_ID, form, end of the period, source. */
const returnText = /^(\d{18}) (\S+) (\d{4}-\d{2}) (.+)$/;

export async function answerGrant({ exchange, release, admit }: Asked, { id }: GrantRequest): Promise<Reply> {
  const { search, records, facts } = release;
  const found = await search.query(
    BigInt(id),
    async (read) => {
      const [position] = (await read(positionSql))[0] ?? [];
      return position === undefined ? undefined : { position, named: (await read(returnSql))[0]?.[0] };
    },
    admit(),
  );
  if (found === undefined) {
    const message = `release ${facts.release} has no grant ${id}`;
    return prepareError(exchange, { code: "grant_not_found", message });
  }
  const line = records
    .readLines([Number(found.position)])
    .toString()
    .slice(0, -lineEnd.length);
  const source = formatSource(String(found.named ?? ""), id);
  const body = `{"success":true,"data":${line},"source":${JSON.stringify(source)}}\n`;
  return prepareFound(exchange, Buffer.from(body));
}

/** The return that a text names; null if the text has another form. */
function formatSource(text: string, id: string) {
  const [, object_id, form, period, source = ""] = returnText.exec(text) ?? [];
  if (object_id === undefined) return null;
  const zip = source.endsWith(".zip") ? source : null; // else it was read from loose files
  return {
    object_id,
    form: form === "990PF" ? "990-PF" : form,
    period,
    zip,
    row: Number(BigInt(id) % BigInt(idsPerReturn)),
  };
}

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
  const rows = await release.search.query(ein, (read) => readPeers(read, of), admit?.());
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
async function readPeers(read: ReadRows, of: TopicRequest["of"]): Promise<Rows | undefined> {
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

/** The numbers of the statements' key; the EINs of the funders follow. */
const [limitSql, offsetSql, minYearSql, maxYearSql] = [1, 2, 3, 4].map((place) => `${keySql}[${place}]`);
const firstFunder = 5;

/** Bounds beyond all years. */
const [anyMinYear, anyMaxYear] = [0, 9999];

/** SQL of one funder's grants in the years. */
const grantsSql = (funder: number) =>
  `by_funder WHERE funder_ein = ${keySql}[${firstFunder + funder}] AND transaction_year BETWEEN ${minYearSql} AND ${maxYearSql}`;

const columns = "position, recipient_ein, recipient_name, amount_cents";

/** SQL of `shared`: the recipients of at least two funders, matched by EIN. */
const sharedSql = (funders: number) => `
WITH granted AS (
  ${Array.from({ length: funders }, (_, funder) => `SELECT ${funder} AS funder, ${columns} FROM ${grantsSql(funder)}`).join(" UNION ALL ")}
), sums AS (
  SELECT recipient_ein, funder, count(*) AS records, sum(amount_cents) AS cents
  FROM granted WHERE recipient_ein IS NOT NULL GROUP BY recipient_ein, funder
), shared AS (
  SELECT recipient_ein, count(*) AS funders, sum(cents) AS cents FROM sums GROUP BY recipient_ein HAVING funders > 1
)`;

/**
 * The shared recipients of the page, a row for each of their funders, with the first position of the name that most grants have.
 * Each row also has the number of all shared recipients; an empty page has one row with that number alone.
 */
const pageSql = (funders: number) => `${sharedSql(funders)}, page AS (
  SELECT *, row_number() OVER (ORDER BY funders DESC, cents DESC, recipient_ein) AS place FROM shared
  ORDER BY place LIMIT ${limitSql} OFFSET ${offsetSql}
), names AS (
  SELECT recipient_ein, count(*) AS records, min(position) AS first_position
  FROM granted SEMI JOIN page USING (recipient_ein) WHERE recipient_name IS NOT NULL
  GROUP BY recipient_ein, recipient_name
), named AS (
  SELECT recipient_ein, first(first_position ORDER BY records DESC, first_position) AS named FROM names GROUP BY recipient_ein
), listed AS (
  SELECT recipient_ein, sums.records::DOUBLE AS records, sums.cents::VARCHAR AS cents, funder, named, place
  FROM page JOIN sums USING (recipient_ein) LEFT JOIN named USING (recipient_ein)
)
SELECT listed.* EXCLUDE (place), total
FROM (SELECT count(*)::DOUBLE AS total FROM shared) LEFT JOIN listed ON true ORDER BY place, funder`;

export async function answerShared(
  { exchange, release, admit }: Asked,
  { funders, minYear = anyMinYear, maxYear = anyMaxYear, limit, offset }: SharedRequest,
): Promise<Reply> {
  const key = [limit, offset, minYear, maxYear, ...funders].map(BigInt);
  const { sizes, total, rows } = await release.search.query(
    key,
    (read) => readShared(read, funders.length),
    admit(),
  );
  const names = await readNames(release, rows);
  const data = [...Map.groupBy(rows, ([recipient]) => Number(recipient))].map(([recipient, ofRecipient]) => ({
    recipient_ein: formatEin(recipient),
    recipient_name: names.get(ofRecipient[0]?.[4]) ?? null,
    funders: ofRecipient.map((row) => ({ funder_ein: funders[Number(row[3])], ...formatSum(row) })),
  }));
  const compared = funders.map((funder_ein, funder) => {
    const bands = sizes[funder] ?? [];
    return { funder_ein, ...addUp(bands), sizes: formatSizeRows(bands) };
  });
  const body = `${stringify({ success: true, data, total, limit, offset, funders: compared })}\n`;
  return prepareFound(exchange, Buffer.from(body));
}

/** The names as filed in the records of the rows, by position. There are up to a thousand, so they are read in turns. */
async function readNames(
  { records }: Release,
  rows: Rows,
): Promise<ReadonlyMap<DuckDBValue | undefined, string | null>> {
  const positions = [...new Set(rows.map((row) => row[4] ?? null))].filter((position) => position !== null);
  const lines = (await records.readLinesInTurns(positions.map(Number))).toString().split(lineEnd);
  return new Map(
    positions.map((position, index) => [
      position,
      (JSON.parse(lines[index] ?? "") as GrantRecord).recipient_name,
    ]),
  );
}

async function readShared(read: ReadRows, funders: number) {
  const sizes = [];
  for (let funder = 0; funder < funders; funder += 1) sizes.push(await read(sizesSql(grantsSql(funder))));
  const found = await read(pageSql(funders));
  const rows = found.filter(([recipient]) => recipient !== null);
  return { sizes, total: Number(found[0]?.[5]), rows };
}
