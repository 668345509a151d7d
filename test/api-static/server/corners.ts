// Lists handmade grants with ties, type limits and difficult texts, and the record line that each must become.

import type { DuckDBConnection } from "@duckdb/node-api";
import { LIST, listValue, VARCHAR } from "@duckdb/node-api";
import { type GrantRecord, recordFields } from "../../../api-static/contract/answers/record.ts";
import { sqlText } from "../../../pipeline/base/database.ts";
import { columnTypes } from "../../warehouseColumns.ts";

/** Texts that are difficult to match or to escape. */
export const cornerTexts: readonly (string | null)[] = [
  "GENERAL SUPPORT",
  "General support for the general fund",
  "100% of costs",
  "100 of costs",
  "snake_case and under score",
  "snakeXcase",
  "st*r * glob?",
  'say "hello"',
  "back\\slash \\ path \\n",
  "İstanbul okulu",
  "ISTANBUL OKULU",
  "ıssız ada",
  "Straße",
  "STRAẞE",
  "STRASSE",
  "Café résumé",
  "CAFE\u0301 RE\u0301SUME\u0301",
  "x",
  "line\nbreak\tand tab",
  "O'Neill; DROP TABLE grants; --",
  "\u{1D49C}stral 👩‍🌾",
  "ÅNGSTRÖM",
  "\u212BNGSTRO\u0308M",
  "ΟΔΟΣ ΣΙΣΥΦΟΣ",
  "οδος σισυφος",
  `${"lorem ipsum ".repeat(30)}end`,
  null,
  "",
  "   ",
];

const amounts = ["-134710.00", "0.00", "0.01", "5000.00", "5000.00", "50000.00", "123456789.10"];
const wideAmounts = ["9999999999999999.99", "-9999999999999999.99", "90071992547409.93"];
const moments = ["2024-06-04T05:51:34Z", "2024-06-04T05:51:34.007Z", "2024-06-04T05:51:34.120Z"];

/** Records of each handmade funder: just below, at and above the boundaries of both page sizes. */
export const cornerFunders = {
  "131635294": 2345,
  "010211513": 100,
  "000000019": 1,
  "990000101": 101,
  "990001000": 1000,
  "990001001": 1001,
} as const;

/** A record whose amounts are exact decimal text. */
export type CornerGrant = Omit<GrantRecord, "amount" | "non_cash_amount"> & {
  readonly amount: string;
  readonly non_cash_amount: string | null;
};

/** Every handmade grant, in another order than the contract's. */
export function cornerGrants(): CornerGrant[] {
  const grants: CornerGrant[] = [];
  for (const [funder, records] of Object.entries(cornerFunders)) {
    for (let index = 0; index < records; index++)
      grants.push(cornerGrant(funder, index, 20_000_000 - grants.length));
  }
  return grants;
}

function cornerGrant(funder: string, index: number, id: number): CornerGrant {
  const isWide = index % 97 === 0;
  return {
    id,
    funder_ein: funder,
    transaction_year: 2019 + ((index * 7) % 5),
    recipient_name: pick(cornerTexts, index * 5),
    recipient_ein: pick(["012345678", "12-3456789", null, "000000000", "990000101"], index),
    type: pick(["education", null, " "], index),
    amount: isWide ? pick(wideAmounts, index) : pick(amounts, index),
    non_cash_amount: pick([null, null, "12.50", "0.00"], index),
    non_cash_description: pick([null, "N/A", "", 'books "used"'], index),
    purpose: pick(cornerTexts, index),
    created_at: pick(moments, index),
  };
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}

/** The line that a grant must become according to the contract. */
export function cornerLine(grant: CornerGrant): string {
  const ein = grant.recipient_ein?.replace("-", "") ?? null;
  const fields: [string, string][] = [
    ["id", String(grant.id)],
    ["funder_ein", quoted(grant.funder_ein)],
    ["transaction_year", String(grant.transaction_year)],
    ["recipient_name", quoted(grant.recipient_name)],
    ["recipient_ein", quoted(ein === "000000000" ? null : ein)],
    ["type", quoted(grant.type)],
    ["amount", grant.amount],
    ["non_cash_amount", grant.non_cash_amount ?? "null"],
    ["non_cash_description", quoted(grant.non_cash_description)],
    ["purpose", quoted(grant.purpose)],
    ["created_at", quoted(grant.created_at)],
  ];
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
}

function quoted(text: string | null): string {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? "null" : JSON.stringify(trimmed);
}

/** Writes grants as Parquet in the warehouse's column types. */
export async function writeGrants(
  connection: DuckDBConnection,
  grants: readonly CornerGrant[],
  path: string,
): Promise<void> {
  const values = Object.fromEntries(
    recordFields.map((name) => [
      name,
      listValue(grants.map((grant) => (grant[name] === null ? null : String(grant[name])))),
    ]),
  );
  const types = Object.fromEntries(recordFields.map((name) => [name, LIST(VARCHAR)])); // a list's type is else that of its first item
  const select = recordFields.map((name) => `unnest($${name})::${columnTypes[name]} AS ${name}`).join(", ");
  await connection.run(`CREATE OR REPLACE TABLE handmade AS SELECT ${select}`, values, types);
  await connection.run(`COPY handmade TO '${sqlText(path)}' (FORMAT parquet)`);
}
