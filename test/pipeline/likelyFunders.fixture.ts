// Builds SQL of grants by which likely funders are found: funders that each give to one circle of recipients, of one cause in one state.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { close, openSmallDatabase } from "./warehouse/warehouse.fixture.ts";

/** Circles of funders and recipients, two or three of them in each state, two of each cause. */
export const circles = {
  count: 10,
  funders: 12,
  recipients: 12,
  states: ["OH", "TX", "VT", "WA"],
  causes: ["A68", "B20", "E32", "P20", "X20"],
};

const listOf = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(", ")}]`;

export const circleFunder = (circle: number, number: number) => 710000000 + circle * 1000 + number;
export const circleRecipient = (circle: number, number: number) => 720000000 + circle * 1000 + number;

/**
 * SQL of the grants: each recipient got one from six funders of its circle, and more than a year later from a seventh one.
 * @param id of the first one @param newest the time of the newest filings, e.g., "2024-11-19 04:00:00"
 */
export const circleGrantsSql = (id: number, newest: string) => `
SELECT ${id} + circle * 1000 + recipient * 10 + gift AS id, (710000000 + circle * 1000 + (recipient + CASE gift WHEN 6 THEN 8 ELSE gift END) % ${circles.funders})::BIGINT AS funder_ein,
  2021 AS transaction_year, 'CIRCLE ' || circle || ' FRIENDS ' || recipient AS recipient_name,
  (720000000 + circle * 1000 + recipient)::VARCHAR AS recipient_ein, 'Schedule I' AS type,
  (10 * (1 + (recipient * 7 + gift) % 20))::DECIMAL(18,2) AS amount, 'GENERAL SUPPORT' AS purpose,
  TIMESTAMP '${newest}' - CASE gift WHEN 6 THEN INTERVAL 1 DAY ELSE INTERVAL 500 DAY END AS created_at,
  'Springfield' AS recipient_city, ${listOf(circles.states)}[1 + circle % 4] AS recipient_state
FROM range(${circles.count}) AS circles(circle), range(${circles.recipients}) AS recipients(recipient), range(7) AS gifts(gift)`;

/** SQL of the list of these recipients. */
export const circleListSql = `
SELECT (720000000 + circle * 1000 + recipient)::VARCHAR AS ein, 'CIRCLE ' || circle || ' FRIENDS ' || recipient AS name,
  'SPRINGFIELD' AS city, ${listOf(circles.states)}[1 + circle % 4] AS state,
  ${listOf(circles.causes)}[1 + circle % 5] AS ntee_code
FROM range(${circles.count}) AS circles(circle), range(${circles.recipients}) AS recipients(recipient)`;

/** Organizations without grants: one in a state and of a cause of circles, and one of which neither is known. */
export const ungiven = { placed: "730000001", unplaced: "730000002" } as const;

/** Grants to recipients of all circles from funders without a taste, some of which gave long ago. */
const strayGrantsSql = `
SELECT 90000 + i AS id, (740000000 + i * i % 37)::BIGINT AS funder_ein, 2021 + i % 3 AS transaction_year,
  'CIRCLE ' || i % 10 || ' FRIENDS ' || i * 5 % 12 AS recipient_name, (720000000 + i % 10 * 1000 + i * 5 % 12)::VARCHAR AS recipient_ein,
  'Schedule I' AS type, (25 + i * 13 % 400)::DECIMAL(18,2) AS amount, 'GENERAL SUPPORT' AS purpose,
  TIMESTAMP '2026-11-20 04:00:00' - to_days((i * 31 % 1500)::INTEGER) AS created_at, 'Springfield' AS recipient_city,
  ${listOf(circles.states)}[1 + i % 10 % 4] AS recipient_state
FROM range(400) AS stray(i)`;

/** Writes a warehouse with the circles, stray grants, and a list of the recipients. */
export async function writeCircles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const database = await openSmallDatabase();
  const write = (sql: string, name: string) =>
    database.connection.run(`COPY (${sql}) TO '${join(folder, name)}' (FORMAT parquet)`);
  try {
    await write(`${circleGrantsSql(1, "2026-11-20 04:00:00")} UNION ALL ${strayGrantsSql}`, "grants.parquet");
    await write(
      `${circleListSql} UNION ALL VALUES ('${ungiven.placed}', 'NEW FRIENDS', 'SPRINGFIELD', 'TX', 'B20'), ('${ungiven.unplaced}', 'FRIENDS', NULL, NULL, NULL)`,
      "organizations.parquet",
    );
  } finally {
    close(database);
  }
}

/** A warehouse with circles for a test file, as a source of its release. */
export function useCircles(): { readonly name: string; readonly warehouse: string } {
  let warehouse = "";
  beforeAll(async () => {
    warehouse = await mkdtemp(join(tmpdir(), "circles-"));
    await writeCircles(warehouse);
  });
  afterAll(() => rm(warehouse, { recursive: true, force: true }));
  return {
    name: "circles",
    get warehouse() {
      return warehouse;
    },
  };
}
