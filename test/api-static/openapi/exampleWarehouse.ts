// Writes the grants, organizations and finances of the examples into a warehouse: invented ones, in the form of real filings.
import { join } from "node:path";
import { circleGrantsSql, circleListSql } from "../../pipeline/likelyFunders.fixture.ts";
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
  (39583747, 131635294, 2023, 'CIRCLE 1 FRIENDS 1', '720001001', 3000, NULL, NULL, 'GENERAL SUPPORT'),
  (39583748, 131635294, 2023, 'CIRCLE 1 FRIENDS 2', '720001002', 2000, NULL, NULL, 'GENERAL SUPPORT'),
  (39583746, 131635294, 2023, 'Harbor Street Food Bank', NULL, 0, 15250.50, 'CANNED FOOD', NULL),
  (8912896, 200253310, 2022, 'GRACE VALLEY HEALTH CLINIC INC', '530196605', 25000, NULL, NULL, 'GENERAL SUPPORT'),
  (8912897, 200253310, 2022, 'LAKESIDE CHILDREN''S CLINIC', '511102418', 8000, NULL, NULL, 'GENERAL SUPPORT'),
  (8912898, 200253310, 2022, 'Grace Valley Health Clinic', NULL, 5000, NULL, NULL, 'GENERAL SUPPORT')
) AS grants(id, funder_ein, transaction_year, recipient_name, recipient_ein, amount, non_cash_amount, non_cash_description, purpose)`;

const listSql = `
FROM (VALUES
  ('131635294', 'HARBOR STREET FOUNDATION', 'NEW YORK', 'NY', '10016', 'T31', '03', 1955::SMALLINT, '2020-12', '2023-12'),
  ('131635294', 'HARBOR STREET RELIEF FUND', 'NEW YORK', 'NY', '10016', 'T31', '03', 1955, '2012-12', '2019-12'),
  ('200253310', 'CEDAR HILL FUND', 'CHICAGO', 'IL', '60601', NULL, NULL, NULL, NULL, NULL),
  ('511102418', 'LAKESIDE CHILDREN''S CLINIC', 'AUSTIN', 'TX', '78701', NULL, NULL, NULL, NULL, NULL),
  ('530196605', 'GRACE VALLEY HEALTH CLINIC INC', 'AUSTIN', 'TX', '78701', 'E32', NULL, NULL, NULL, NULL)
) AS organizations(ein, name, city, state, zip, ntee_code, subsection, ruling_year, first_period, period)`;

const financesSql = `
FROM (VALUES
  ('131635294', 2023, DATE '2023-12-31', '990', '202403329349100200', 912500.00, 803217.50, 2450100.25, 200222.50,
    'TO RELIEVE HUNGER AND ILLNESS IN THE CITIES WHERE OUR DONORS LIVE.', NULL, NULL, NULL, NULL),
  ('131635294', 2022, DATE '2022-12-31', '990PF', '202303189349101234', 875000, 790114, 2340817.75, 195000, NULL,
    'yes', 'MARCH 1 AND SEPTEMBER 1', 'A LETTER OF UP TO TWO PAGES', '501(C)(3) ORGANIZATIONS ONLY')
) AS finances(ein, tax_year, period_end, form, return_id, revenue, expenses, assets, grants_paid, mission,
  accepts, deadlines, application_form, restrictions)`;

/** Adds the grants and finances to the warehouse. @returns the path of a list that adds the organizations to the warehouse's */
export async function addExamples(warehouse: string): Promise<string> {
  const list = join(warehouse, "_organizations.parquet");
  const database = await openSmallDatabase();
  const write = (sql: string, path: string) =>
    database.connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  try {
    await write(
      `${grantsSql} UNION ALL BY NAME (${circleGrantsSql(50_000_000, "2026-11-20 04:00:00")})`,
      join(warehouse, "examples.parquet"),
    );
    await write(financesSql, join(warehouse, "finances.parquet"));
    await write(
      `${listSql} UNION ALL BY NAME (${circleListSql}) UNION ALL BY NAME FROM '${join(warehouse, "organizations.parquet")}'`,
      list,
    );
  } finally {
    close(database);
  }
  return list;
}
