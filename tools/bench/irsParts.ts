// Writes parts of synthetic returns, as an import of many zips leaves them, to measure its last step alone.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { writeParquet } from "../../pipeline/irs/parquet.ts";
import { partFiles, partFolder } from "../../pipeline/irs/parts.ts";
import { grantColumns, returnColumns } from "../../pipeline/irs/rows.ts";
import type { Source } from "../../pipeline/irs/sources.ts";

/** Of the whole corpus: 20 million grants in 6.2 million returns and 90 zips. */
const grantsPerReturn = 20 / 6.2;
const returnsPerZip = 6_200_000 / 90;

/** One return in three lists grants; one in twenty is superseded, and one in twenty is in two zips. */
const returnsSql = `
SELECT {
  member: i, file: slot || '_public.xml', return_id: '2' || lpad(slot::VARCHAR, 17, '0'), slot: slot, crc32: slot % 4000000000, bytes: 40000,
  ein: lpad((100000000 + filer)::VARCHAR, 9, '0'), name: 'ORGANIZATION ' || filer, city: 'CITY ' || filer % 5000, state: 'FL',
  zip: '33601', country: NULL, revenue: slot % 900000, expenses: slot % 800000, assets: slot, grants_paid: slot % 70000,
  mission: 'MISSION ' || filer,   form: if(slot % 3 = 0, '990PF', '990'), return_type: '990', version: '2021v4.2', tax_year: 2010 + slot % 14,
  period_end: make_date(2010 + slot % 14, 12, 31), filed_at: TIMESTAMP '2011-05-01' + to_minutes(slot % 7000000),
  created_at: TIMESTAMP '2011-05-01' + to_minutes(slot % 7000000), is_amended: false, is_group: false,
  grants: if(slot % 3 = 0, $perReturn * 3, 0), individual_grants: 0, foreign_grants: 0, grant_dollars: 1000, paid_total: 1000, stated_total: 1000,
  future_rows: 0, empty_rows: 0, placeholders: 0, oddities: []::VARCHAR[]
} AS row
FROM (SELECT i, if(i % 20 = 0 AND $zip > 0, ($zip - 1) * $returns + i, $zip * $returns + i) AS slot, slot * 19 // 20 % 600000 AS filer FROM range($returns) t(i))`;

const grantsSql = `
SELECT {
  id: (row.slot << 18) + g, member: row.member, type: 'Schedule I', recipient_name: 'RECIPIENT NUMBER ' || hash(row.slot, g) % 3000000,
  recipient_ein: lpad((hash(row.slot, g) % 900000000 + 100000000)::VARCHAR, 9, '0'), amount: hash(g, row.slot) % 100000,
  non_cash_amount: NULL, non_cash_description: NULL, purpose: 'GENERAL SUPPORT OF PROGRAM ' || hash(row.slot) % 700000,
  recipient_city: 'CITY ' || hash(row.slot, g) % 5000, recipient_state: 'FL', recipient_zip: (10000 + hash(row.slot, g) % 90000)::VARCHAR,
  recipient_country: NULL, recipient_status: if(row.slot % 2 = 0, 'PC', NULL), recipient_relationship: NULL
} AS row
FROM (SELECT row, unnest(range(row.grants)) AS g FROM (${returnsSql}) WHERE row.grants > 0)`;

/** Writes parts with about this many grants in all; returns their sources. */
export async function writeParts(
  connection: DuckDBConnection,
  parts: string,
  grants: number,
): Promise<Source[]> {
  const zips = Math.max(1, Math.round(grants / grantsPerReturn / returnsPerZip));
  const returns = Math.round(grants / grantsPerReturn / zips);
  const sources: Source[] = [];
  for (let zip = 0; zip < zips; zip += 1) {
    const name = `${String(zip).padStart(3, "0")}.zip`;
    const source = { name, digest: name, bytes: 0, paths: [], isZip: true };
    const folder = partFolder(parts, source);
    await mkdir(folder, { recursive: true });
    const values = { zip, returns, perReturn: Math.round(grantsPerReturn) };
    await write(connection, join(folder, partFiles.returns), returnsSql, returnColumns, "member", values);
    await write(connection, join(folder, partFiles.grants), grantsSql, grantColumns, "id", values);
    sources.push(source);
  }
  return sources;
}

async function write(
  connection: DuckDBConnection,
  target: string,
  sql: string,
  columns: Readonly<Record<string, string>>,
  order: string,
  values: Record<string, number>,
): Promise<void> {
  const selected = Object.entries(columns).map(([name, type]) =>
    sql.includes(`${name}: `) ? `row.${name}::${type} AS ${name}` : `NULL::${type} AS ${name}`,
  );
  await writeParquet(
    connection,
    target,
    `SELECT ${selected.join(", ")} FROM (${sql}) ORDER BY ${order}`,
    values,
  );
}
