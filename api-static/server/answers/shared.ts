// Answers with the recipients that several funders share, counted over all of their grants.
import type { DuckDBValue } from "@duckdb/node-api";
import { stringify } from "../../contract/amount.ts";
import { formatEin } from "../../contract/ein.ts";
import { lineEnd } from "../../contract/envelope.ts";
import type { SharedRequest } from "../../contract/operations/topics.ts";
import type { GrantRecord } from "../../contract/record.ts";
import { keySql, type ReadRows, type Rows } from "../../search/indexDatabase.ts";
import type { Release } from "../../search/release.ts";
import type { Reply } from "../http/reply.ts";
import { type Asked, prepareFound } from "./asked.ts";
import { addUp, formatSizeRows, formatSum, sizesSql } from "./summary.ts";

/** The numbers of the statements' key; the EINs of the funders follow. */
const [limitSql, offsetSql, minYearSql, maxYearSql] = [1, 2, 3, 4].map((place) => `${keySql}[${place}]`);
const firstFunder = 5;

/** Bounds beyond all years. */
const [anyMinYear, anyMaxYear] = [0, 9999];

/** SQL of one funder's grants. */
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
    (read) => readRows(read, funders.length),
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

async function readRows(read: ReadRows, funders: number) {
  const sizes = [];
  for (let funder = 0; funder < funders; funder += 1) sizes.push(await read(sizesSql(grantsSql(funder))));
  const found = await read(pageSql(funders));
  const rows = found.filter(([recipient]) => recipient !== null);
  return { sizes, total: Number(found[0]?.[5]), rows };
}
