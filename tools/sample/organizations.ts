// Builds the SQL of the synthetic organizations (names and places of funders and recipients, in the form of the IRS's list), and
// recognizes a file of them.
import type { DuckDBConnection } from "@duckdb/node-api";
import { literalPath } from "../../pipeline/base/database.ts";
import { recipientEin, recipientKeys, recipientName } from "./sql.ts";

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

/** Recipients as most of their grants name them. Those abroad are not on the list, nor those that share an EIN with a funder. */
const recipients = sql`
numbered AS (
  SELECT recipient, ${recipientKeys} FROM range(getvariable('recipients')) AS t(recipient)
), phrased AS (
  SELECT *, ${recipientEin} AS ein, item(getvariable('vocabulary').institutions, name_key, 'institution') AS institution
  FROM numbered WHERE chance(recipient_key, 'is abroad') >= 0.005
), recipients AS (
  SELECT recipient_key AS key, ein, false AS is_private_foundation, true AS is_placed,
    ${recipientName.value} || item([' Inc', '', ''], recipient_key, 'spelling') AS name,
    ['A20', 'B20', 'B60', 'E20', 'P20', 'X20'] AS ntee_codes
  FROM phrased ${recipientName.joins} ANTI JOIN funders USING (ein)
)`;

/** Writes most funders of `filings` and most recipients as Parquet to the path in variable `path`: a few are not on the list. */
export const writeOrganizationsSql = sql`
COPY (
  WITH ${funders}, ${recipients}, listed AS (
    SELECT *, item(getvariable('vocabulary').places, key, 'place') AS place
    FROM (FROM funders UNION ALL FROM recipients) WHERE chance(key, 'is listed') < 0.97
  )
  SELECT ein, upper(name) AS name,
    CASE WHEN is_placed THEN upper(place[:-4]) END AS city,
    CASE WHEN is_placed THEN place[-2:] END AS state,
    CASE WHEN is_placed THEN item(getvariable('vocabulary').zipAreas, key, 'place')
      || lpad(pick(key, 'zip', 100)::VARCHAR, 2, '0') END AS zip,
    NULL::VARCHAR AS country,
    CASE WHEN chance(key, 'has ntee') < 0.9 THEN item(ntee_codes, key, 'ntee') END AS ntee_code,
    '03' AS subsection,
    (1940 + pick(key, 'ruling year', 70))::SMALLINT AS ruling_year,
    CASE WHEN NOT is_private_foundation AND chance(key, 'has sort name') < 0.03
      THEN 'CHAPTER ' || (1 + pick(key, 'chapter', 400)) END AS sort_name
  FROM listed ORDER BY ein
) TO (getvariable('path')) (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880,
  KV_METADATA {made_by: 'make sample'})`;

/** True if `make sample` wrote the file. False for any other file, Parquet or not. */
export async function isSampleOrganizations(connection: DuckDBConnection, path: string): Promise<boolean> {
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
