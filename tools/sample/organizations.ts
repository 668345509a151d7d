// Builds the SQL of the synthetic organizations (names and places of funders and recipients, in the form of the IRS's list), and
// recognizes a file of them.
import type { DuckDBConnection } from "@duckdb/node-api";
import { literalPath } from "../../pipeline/base/database.ts";
import { recipientEin, recipientKeys, recipientName } from "./recipients.ts";

const sql = String.raw;

const funders = sql`
funders AS (
  SELECT funder_key AS key, funder_ein AS ein, is_private_foundation, chance(funder_key, 'has place') < 0.99 AS is_placed,
    CASE
      WHEN NOT is_private_foundation THEN
        place_word.text || ' ' || item(['Community Foundation', 'Charitable Fund', 'United Fund Inc'], funder_key, 'fund')
      WHEN chance(funder_key, 'is shared') < 0.3 THEN family_word.text || ' and ' || place_word.text || ' Foundation'
      ELSE item(['The ', '', ''], funder_key, 'article') || family_word.text
        || item([' Family Foundation', ' Foundation', ' Charitable Trust', ' Foundation Inc'], funder_key, 'foundation')
    END AS name,
    CASE WHEN is_private_foundation THEN ['T20', 'T22', 'T23'] ELSE ['T31', 'T70', 'S20'] END AS ntee_codes
  FROM (SELECT DISTINCT funder_key, funder_ein, is_private_foundation FROM filings)
  JOIN words AS family_word ON family_word.number = pick(funder_key, 'family name', getvariable('words'))
  JOIN words AS place_word ON place_word.number = pick(funder_key, 'place name', getvariable('words'))
)`;

/**
 * Recipients, as the list spells them: those that changed also with their earlier name and place, which the year 0 draws. Those abroad
 * are not on the list, nor those that share an EIN with a funder. In place of a few is an organization of the same name and place with
 * another EIN, which was founded after most grants.
 */
const recipients = sql`
numbered AS (
  SELECT recipient, 9999 AS year FROM range(getvariable('recipients')) AS t(recipient)
  UNION ALL SELECT recipient, 0 FROM range(getvariable('recipients')) AS t(recipient)
  WHERE change_of(key_of(getvariable('seed'), 'recipient', recipient)) < 0.08
), keyed AS (
  SELECT *, ${recipientKeys} FROM numbered
), phrased AS (
  SELECT *, item(getvariable('vocabulary').institutions, name_key, 'institution') AS institution,
    chance(recipient_key, 'is replaced') < 0.005 AS is_replaced
  FROM keyed WHERE chance(recipient_key, 'is abroad') >= 0.005
), recipients AS (
  SELECT recipient_key AS key, CASE WHEN is_replaced THEN ein_of(recipient + 400000000, 77777777) ELSE ${recipientEin} END AS ein,
    false AS is_private_foundation, true AS is_placed,
    listed_name(${recipientName.value}, recipient_key) AS name,
    [ntee_of(recipient)] AS ntee_codes,
    true_city AS city, true_state AS state, true_zip AS zip,
    CASE WHEN is_replaced THEN 2024 + pick(recipient_key, 'founded', 3) ELSE 1940 + pick(recipient_key, 'ruling year', 70) END AS ruling_year,
    CASE WHEN is_chapter(recipient, recipient_key) THEN upper(chapter_of(recipient_key)) END AS sort_name,
    CASE WHEN is_replaced THEN ruling_year || '-12' -- the list has nobody before it was founded
      WHEN year > 0 AND change_of(recipient_key) < 0.08 THEN changed_in(recipient_key) || '-12' ELSE '2010-12' END AS first_period,
    CASE WHEN is_replaced THEN ruling_year || '-12'
      WHEN year = 0 THEN changed_in(recipient_key) - 1 || '-12' ELSE '2024-12' END AS period
  FROM phrased ${recipientName.joins} JOIN localities USING (locality)
  WHERE ${recipientEin} NOT IN (SELECT ein FROM funders) AND NOT (is_replaced AND year = 0)
)`;

/**
 * As the IRS writes names: without punctuation, some without their article or with abbreviations. A third of legal forms differ from
 * those that returns give.
 */
const listedNameSql = sql`
CREATE MACRO listed_name(name, key) AS
  CASE WHEN starts_with(name, 'The ') AND chance(key, 'listed article') < 0.5 THEN substr(name, 5)
    WHEN chance(key, 'is shortened') < 0.05 THEN abbreviated(name) ELSE name END
  || CASE WHEN chance(key, 'has other form') < 0.45 THEN item([' Inc', ' Inc', ' Corp', '', ''], key, 'form')
    ELSE item([' Inc', '', ''], key, 'spelling') END;
`;

/** Writes most funders of `filings` and most recipients as Parquet to the path in variable `path`: a few are not on the list. */
export const writeOrganizationsSql = sql`
${listedNameSql}
COPY (
  WITH ${funders}, ${recipients}, placed_funders AS (
    SELECT funders.*, getvariable('vocabulary').places[place][:-4] AS city, getvariable('vocabulary').places[place][-2:] AS state,
      getvariable('vocabulary').zipAreas[place] || lpad(pick(key, 'zip', 100)::VARCHAR, 2, '0') AS zip,
      1940 + pick(key, 'ruling year', 70) AS ruling_year,
      CASE WHEN NOT is_private_foundation AND chance(key, 'has sort name') < 0.03
        THEN 'CHAPTER ' || (1 + pick(key, 'chapter', 400)) END AS sort_name,
      '2010-12' AS first_period, '2024-12' AS period
    FROM (SELECT *, 1 + place_in(region_of(taste_of(key)), key) AS place FROM funders) AS funders
  ), listed AS (
    SELECT * FROM (FROM placed_funders UNION ALL BY NAME FROM recipients) WHERE chance(key, 'is listed') < 0.97
  )
  SELECT ein, translate(upper(name), '''’.,', '') AS name,
    CASE WHEN is_placed THEN upper(city) END AS city, CASE WHEN is_placed THEN state END AS state, CASE WHEN is_placed THEN zip END AS zip,
    NULL::VARCHAR AS country,
    CASE WHEN chance(key, 'has ntee') < 0.9 THEN item(ntee_codes, key, 'ntee') END AS ntee_code,
    '03' AS subsection, ruling_year::SMALLINT AS ruling_year, sort_name, first_period, period
  FROM listed ORDER BY ein, period, name, city
) TO (getvariable('path')) (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880,
  KV_METADATA {made_by: 'make sample'}, USE_TMP_FILE false)`;

/** True if `make sample` wrote the file of organizations or finances. False for any other file, Parquet or not. */
export async function isSampleList(connection: DuckDBConnection, path: string): Promise<boolean> {
  try {
    const found = await connection.runAndReadAll(
      "SELECT count(*) > 0 FROM parquet_kv_metadata($path) WHERE key = 'made_by'::BLOB AND value = 'make sample'::BLOB",
      { path: literalPath(path) },
    );
    return found.getRows()[0]?.[0] === true;
  } catch {
    return false; // it is not Parquet, or cannot be read
  }
}
