// Makes a few hundred grants with awkward texts, and answers any request about them by brute force.
import { join } from "node:path";
import { resultOrderSql } from "../../../api-static/contract/answers/record.ts";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { canonicalText, canonicalTextSql } from "../../../api-static/contract/text/text.ts";
import { openDatabase, sqlText } from "../../../pipeline/base/database.ts";
import { acceptedColumns, acceptedNames } from "../../../tools/bench/peers/columns.ts";
import type { Answer, Grants } from "../../../tools/bench/peers/peer.ts";

/** Texts with characters that SQL, LIKE, FTS5, CSV or Unicode treat specially. */
export const awkwardTexts = [
  "General Support",
  "TO SUPPORT THE MUSIC PROGRAM",
  "100% of_everything",
  "C:\\grants\\2020",
  'the "Buddy" fund',
  "O'Brien; DROP TABLE grants --",
  "line\none\\.\nline two, comma",
  "\\.",
  "Québec für Zürich",
  "QUE\u0301BEC",
  "東京 library",
  "İstanbul",
  "a",
  "x\u0001y",
];

export type FixtureGrant = {
  readonly id: number;
  readonly funder: number;
  readonly year: number;
  readonly name: string | null;
  readonly recipient: number | null;
  readonly cents: number;
  readonly purpose: string | null;
};

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** Grants whose texts are unique. */
const rare = 5;

/** 400 grants: every pair of texts, some null fields, tied amounts and years. */
export const fixtureGrants: readonly FixtureGrant[] = Array.from({ length: 400 }, (_, index) => ({
  id: 1_000 + ((index * 7) % 400),
  funder: pick([131_635_294, 10_211_513, 131_635_294, 200_253_310, 131_635_294, 10_211_513], index),
  year: 2015 + (index % 5),
  name:
    index === rare
      ? "Kesdeny Quire of Old Fairhaven"
      : index % 11 === 0
        ? null
        : `${pick(awkwardTexts, index * 3)} library of number ${index % 40}`,
  recipient: index !== rare && index % 3 === 0 ? null : 462_353_712 + (index % 9),
  cents: ((index % 13) + 1) * 100_050 - 200_000,
  purpose:
    index === rare ? "For the zymurgy of Smithville" : index % 17 === 0 ? null : pick(awkwardTexts, index),
}));

/** Writes the grants in the form of `exportAccepted`. */
export async function writeFixture(folder: string): Promise<Grants> {
  const parquet = join(folder, "accepted.parquet");
  const { connection, instance } = await openDatabase({
    memory: "500MB",
    threads: 1,
    spillFolder: join(folder, "spill"),
  });
  await connection.run(
    `CREATE TABLE sorted AS SELECT id, funder AS funder_ein, year AS transaction_year, name AS recipient_name,
       recipient AS recipient_ein, 'paid' AS type, cents AS amount, NULL AS non_cash, purpose
     FROM (SELECT unnest(from_json($grants::JSON, '[{"id":"BIGINT","funder":"INTEGER","year":"SMALLINT","name":"VARCHAR",
       "recipient":"INTEGER","cents":"BIGINT","purpose":"VARCHAR"}]'), recursive := true))
     ORDER BY ${resultOrderSql}`,
    { grants: JSON.stringify(fixtureGrants) },
  );
  const made: Record<string, string> = {
    place: "rowid",
    amount_cents: "amount",
    non_cash_amount_cents: "non_cash",
    non_cash_description: "NULL",
    created_at: "'2020-01-01T04:00:00Z'",
    purpose_text: canonicalTextSql("purpose"),
    recipient_name_text: canonicalTextSql("recipient_name"),
  };
  const columns = acceptedNames.map((name) => `(${made[name] ?? name})::${acceptedColumns[name]} AS ${name}`);
  await connection.run(
    `COPY (SELECT ${columns.join(", ")} FROM sorted) TO '${sqlText(parquet)}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  return { parquet, rows: fixtureGrants.length, release: "" };
}

/** Checks every grant, in the contract's order. */
export function findByHand({ filters, limit, offset }: HistoryRequest): Answer {
  const has = (field: string | null, text: string | undefined) =>
    text === undefined || (field !== null && canonicalText(field).includes(text));
  const found = fixtureGrants
    .filter(
      (grant) =>
        (filters.funderEin === undefined || grant.funder === Number(filters.funderEin)) &&
        (filters.recipientEin === undefined || grant.recipient === Number(filters.recipientEin)) &&
        (filters.transactionYear === undefined || grant.year === filters.transactionYear) &&
        (filters.minAmountCents === undefined || BigInt(grant.cents) >= filters.minAmountCents) &&
        has(grant.purpose, filters.purpose) &&
        has(grant.name, filters.recipientName),
    )
    .sort((a, b) => b.year - a.year || b.cents - a.cents || a.id - b.id)
    .map(({ id }) => id);
  return { total: found.length, ids: found.slice(offset, offset + limit) };
}
