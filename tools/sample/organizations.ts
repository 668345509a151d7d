// Builds the SQL of the synthetic organizations (names and places of the funders, in the form of the IRS's list), and
// recognizes a file of them.
import type { DuckDBConnection } from "@duckdb/node-api";
import { literalPath } from "../../pipeline/base/database.ts";

const sql = String.raw;

/** Writes most funders of `filings` as Parquet to the path in variable `path`: a few are not on the list. */
export const writeOrganizationsSql = sql`
COPY (
  WITH listed AS (
    SELECT DISTINCT funder_key, funder_ein, is_private_foundation FROM filings
    WHERE chance(funder_key, 'is listed') < 0.97
  ), named AS (
    SELECT listed.*, item(getvariable('vocabulary').places, funder_key, 'place') AS place,
      CASE
        WHEN NOT is_private_foundation THEN
          place_word.text || ' ' || item(['Community Foundation', 'Charitable Fund', 'United Fund Inc'], funder_key, 'fund')
        WHEN chance(funder_key, 'is shared') < 0.3 THEN family_word.text || ' and ' || place_word.text || ' Foundation'
        ELSE item(['The ', '', ''], funder_key, 'article') || family_word.text
          || item([' Family Foundation', ' Foundation', ' Charitable Trust', ' Foundation Inc'], funder_key, 'foundation')
      END AS name
    FROM listed
    JOIN words AS family_word ON family_word.number = pick(funder_key, 'family name', getvariable('words'))
    JOIN words AS place_word ON place_word.number = pick(funder_key, 'place name', getvariable('words'))
  )
  SELECT funder_ein AS ein, upper(name) AS name,
    CASE WHEN chance(funder_key, 'has place') < 0.99 THEN upper(place[:-4]) END AS city,
    CASE WHEN chance(funder_key, 'has place') < 0.99 THEN place[-2:] END AS state,
    CASE WHEN chance(funder_key, 'has place') < 0.99 THEN item(getvariable('vocabulary').zipAreas, funder_key, 'place')
      || lpad(pick(funder_key, 'zip', 100)::VARCHAR, 2, '0') END AS zip,
    NULL::VARCHAR AS country,
    CASE WHEN chance(funder_key, 'has ntee') < 0.9 THEN CASE WHEN is_private_foundation
      THEN item(['T20', 'T22', 'T23'], funder_key, 'ntee') ELSE item(['T31', 'T70', 'S20'], funder_key, 'ntee') END END AS ntee_code,
    '03' AS subsection,
    (1940 + pick(funder_key, 'ruling year', 70))::SMALLINT AS ruling_year
  FROM named ORDER BY funder_ein
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
