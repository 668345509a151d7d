// Builds the SQL of the synthetic finances: returns of most organizations on the list, by tax year, and what they say about applications.

const sql = String.raw;

/**
 * Writes the finances of the organizations in the file of variable `organizations` as Parquet to the path in variable `path`. Nine in
 * ten have returns, of up to eight years; sums grow or shrink from year to year, and a few are not stated. Private foundations mostly select
 * whom they give to; some take applications, and a few do not say it. Few of the others have donor-advised funds.
 */
export const writeFinancesSql = sql`
COPY (
  WITH listed AS (
    SELECT ein, key_of(getvariable('seed'), 'finances', ein::BIGINT) AS key, max(city) AS city
    FROM read_parquet(getvariable('organizations')) WHERE ein <> '000000000' GROUP BY ein
  ), filers AS (
    SELECT ein, key, city, 100 + dollars(chance(key, 'size')) AS size, item(['990', '990', '990EZ', '990PF'], key, 'form') AS form,
      unnest(range(1 + pick(key, 'years', 8))) AS age
    FROM listed WHERE chance(key, 'has returns') < 0.9
  ), returns AS (
    SELECT *, 2024 - age AS tax_year, key_of(key, 'year', age) AS year_key, size * pow(0.93, age) AS scale FROM filers
  )
  SELECT ein, tax_year::SMALLINT AS tax_year, make_date(tax_year, 12, 31) AS period_end, form,
    (tax_year + 1)::VARCHAR || lpad(pick(year_key, 'return', 100000000000000)::VARCHAR, 14, '0') AS return_id,
    CASE WHEN chance(year_key, 'states revenue') < 0.98 THEN round(scale * 20 * (0.8 + 0.4 * chance(year_key, 'revenue'))) END::DECIMAL(18, 2) AS revenue,
    round(scale * 20 * (0.75 + 0.4 * chance(year_key, 'expenses')))::DECIMAL(18, 2) AS expenses,
    round(scale * 90 * (0.9 + 0.2 * chance(year_key, 'assets')))::DECIMAL(18, 2) AS assets,
    CASE WHEN form <> '990EZ' THEN round(scale * 8 * (0.5 + chance(year_key, 'grants'))) END::DECIMAL(18, 2) AS grants_paid,
    CASE WHEN form <> '990PF' AND chance(key, 'has mission') < 0.9 THEN
      item(['TO SERVE THE PEOPLE OF ', 'EDUCATION AND RESEARCH IN ', 'TO RELIEVE HUNGER AND POVERTY IN ', 'THE ARTS IN '], key, 'mission')
      || coalesce(upper(city), 'THE UNITED STATES') END AS mission,
    CASE WHEN form = '990PF' AND chance(year_key, 'says whether to apply') < 0.9 THEN if(chance(key, 'takes applications') < 0.4, 'yes', 'no') END AS accepts,
    CASE WHEN accepts = 'yes' THEN item(['NONE', 'MARCH 1', 'JUNE 30 AND DECEMBER 31', 'SEE WEBSITE'], key, 'deadlines') END AS deadlines,
    CASE WHEN accepts = 'yes' THEN item(['LETTER', 'WRITTEN PROPOSAL WITH A BUDGET', 'SEE WEBSITE'], key, 'application form') END AS application_form,
    CASE WHEN accepts = 'yes' AND chance(key, 'is restricted') < 0.7 THEN
      item(['501(C)(3) ORGANIZATIONS ONLY', 'NO GRANTS TO INDIVIDUALS', 'NONE'], key, 'restrictions') END AS restrictions,
    CASE WHEN form = '990' THEN chance(key, 'has donor-advised funds') < 0.05 END AS donor_advised
  FROM returns ORDER BY ein, tax_year
) TO (getvariable('path')) (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880,
  KV_METADATA {made_by: 'make sample'}, USE_TMP_FILE false)`;
