// Writes a small warehouse in which two rules are proven and find likely recipients, one of them an organization that no grant names.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { close, openSmallDatabase } from "./warehouse/warehouse.fixture.ts";

/** The rules that give matches there. */
export const provenRules = ["history", "name_and_place"] as const;

/** A recipient of matches that no grant names, one that grants name too, and one without matches. */
export const recipients = { unfiled: "200000240", both: "200000003", filed: "200000030" } as const;

const words = (list: string, index: string) => `(['${list.split(" ").join("', '")}'])[1 + ${index}]`;
const nameSql = `${words("Harbor Maple Cedar Summit Willow Prairie Juniper Granite Falcon Heron Bison Otter Lupine Sierra Mesa Delta", "k % 16")}
  || ' ' || ${words("Academy Clinic Library Museum Theater Orchestra Shelter Hospice Pantry Gallery Nursery Seminary Aquarium Institute Hospital Observatory", "k // 16")}`;
const einSql = "(200000000 + k)::VARCHAR";
const placeSql = "'Houston' AS recipient_city, 'TX' AS recipient_state, '77002' AS recipient_zip";

/**
 * Thirty recipients of thirty funders each, a third of the grants without an EIN; 210 of two funders each, which prove the list; and
 * grants without an EIN to 16 that are only in the list. Most of the list have a cause.
 */
const grantsSql = `
SELECT i AS id, funder AS funder_ein, 2015 + i % 7 AS transaction_year, ${nameSql} AS recipient_name,
  CASE WHEN has_ein THEN ${einSql} END AS recipient_ein, '990-PF' AS type, (i * 37 % 1000 + 0.25)::DECIMAL(18,2) AS amount,
  'PURPOSE ' || i % 13 AS purpose, TIMESTAMP '2026-11-20 04:00:00' AS created_at, ${placeSql}
FROM (
  SELECT i, 100000000 + i // 30 AS funder, i % 30 AS k, (i + i // 30) % 3 > 0 AS has_ein FROM range(900) t(i)
  UNION ALL SELECT i, 100000000 + k % 15 * 2 + i % 2, k, true FROM (SELECT i, 30 + (i - 900) // 2 AS k FROM range(900, 1320) t(i))
  UNION ALL SELECT i, 100000000 + i % 7, 240 + i % 16, false FROM range(1320, 1400) t(i)
)`;

const listSql = `SELECT ${einSql} AS ein, ${nameSql} AS name, 'Houston' AS city, 'TX' AS state, '77002' AS zip,
  ['A20', 'A68', 'B', NULL, 'P200'][1 + k % 5] AS ntee_code FROM range(30, 256) t(k)`;

/** Writes the warehouse into a folder. */
export async function writeMatchable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const database = await openSmallDatabase();
  const write = (sql: string, name: string) =>
    database.connection.run(`COPY (${sql}) TO '${join(folder, name)}' (FORMAT parquet)`);
  try {
    await write(grantsSql, "grants.parquet");
    await write(listSql, "organizations.parquet");
  } finally {
    close(database);
  }
}
