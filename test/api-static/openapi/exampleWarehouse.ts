// Writes the grants and organizations of the examples into a warehouse: invented ones, in the form of real filings.
import { join } from "node:path";
import { close, openSmallDatabase } from "../../pipeline/warehouse/warehouse.fixture.ts";

/** Ids are those of two returns, which have 262,144 each. */
const grantsSql = `
SELECT id::BIGINT AS id, funder_ein::BIGINT AS funder_ein, transaction_year, recipient_name, recipient_ein, 'Schedule I' AS type, amount::DECIMAL(18,2) AS amount,
  non_cash_amount::DECIMAL(18,2) AS non_cash_amount, non_cash_description, purpose, TIMESTAMP '2024-11-19 04:00:00' AS created_at,
  'Austin' AS recipient_city, 'TX' AS recipient_state, '78701' AS recipient_zip,
  CASE transaction_year WHEN 2023 THEN '202403329349100200 990 2023-12 2024_TEOS_XML_11A.zip'
    ELSE '202313189349303636 990 2022-12 2023_TEOS_XML_11A.zip' END AS irs_return
FROM (VALUES
  (39583744, 131635294, 2023, 'GRACE VALLEY HEALTH CLINIC INC', '530196605', 172968, NULL, NULL, 'FOOD ASSISTANCE PROGRAM'),
  (39583745, 131635294, 2023, 'LAKESIDE CHILDREN''S CLINIC', '511102418', 12000, NULL, NULL, 'PEDIATRIC NURSES'),
  (39583746, 131635294, 2023, 'Harbor Street Food Bank', NULL, 0, 15250.50, 'CANNED FOOD', NULL),
  (8912896, 200253310, 2022, 'GRACE VALLEY HEALTH CLINIC INC', '530196605', 25000, NULL, NULL, 'GENERAL SUPPORT'),
  (8912897, 200253310, 2022, 'LAKESIDE CHILDREN''S CLINIC', '511102418', 8000, NULL, NULL, 'GENERAL SUPPORT'),
  (8912898, 200253310, 2022, 'Grace Valley Health Clinic', NULL, 5000, NULL, NULL, 'GENERAL SUPPORT')
) AS grants(id, funder_ein, transaction_year, recipient_name, recipient_ein, amount, non_cash_amount, non_cash_description, purpose)`;

const listSql = `
FROM (VALUES
  ('131635294', 'HARBOR STREET FOUNDATION', 'NEW YORK', 'NY', '10016'),
  ('200253310', 'CEDAR HILL FUND', 'CHICAGO', 'IL', '60601'),
  ('511102418', 'LAKESIDE CHILDREN''S CLINIC', 'AUSTIN', 'TX', '78701'),
  ('530196605', 'GRACE VALLEY HEALTH CLINIC INC', 'AUSTIN', 'TX', '78701')
) AS organizations(ein, name, city, state, zip)`;

/** Adds the grants to the warehouse. @returns the path of a list that adds the organizations to the warehouse's */
export async function addExamples(warehouse: string): Promise<string> {
  const list = join(warehouse, "_organizations.parquet");
  const database = await openSmallDatabase();
  const write = (sql: string, path: string) =>
    database.connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  try {
    await write(grantsSql, join(warehouse, "examples.parquet"));
    await write(`${listSql} UNION ALL BY NAME FROM '${join(warehouse, "organizations.parquet")}'`, list);
  } finally {
    close(database);
  }
  return list;
}
