// Reads a warehouse in SQL by the rules of the contract, apart from the pipeline.
import { canonicalTextSql } from "../../api-static/contract/text/text.ts";

const trimmed = (column: string) => `nullif(regexp_replace(${column}, '^\\s+|\\s+$', '', 'g'), '')`;

/** The rules of the warehouse in SQL: EINs of nine digits, blank is null, the latest of equal ids. */
export const grantsOf = (files: string) => `
  CREATE TABLE grants AS
  WITH cleaned AS (
    SELECT id, created_at, transaction_year AS year,
      ${trimmed("purpose")} AS purpose, ${trimmed("recipient_name")} AS name, ${trimmed("type")} AS type, non_cash_description,
      regexp_replace(funder_ein, '[- ]', '', 'g') AS funder,
      CASE WHEN regexp_full_match(regexp_replace(recipient_ein, '[- ]', '', 'g'), '\\d{9}')
        AND recipient_ein NOT LIKE '000000000' THEN regexp_replace(recipient_ein, '[- ]', '', 'g') END AS recipient,
      ${trimmed("recipient_city")} AS city, ${trimmed("recipient_state")} AS state,
      CASE WHEN amount IS NULL AND non_cash_amount > 0 THEN 0 ELSE amount END AS amount, non_cash_amount
    FROM read_parquet('${files}'))
  SELECT *, ${canonicalTextSql("purpose")} AS for_what, ${canonicalTextSql("name")} AS to_whom,
    coalesce(recipient, ${canonicalTextSql("name")}) AS recipient_key
  FROM cleaned
  WHERE regexp_full_match(funder, '\\d{9}') AND funder <> '000000000' AND year BETWEEN 1900 AND 2027
    AND amount IS NOT NULL AND created_at IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY id ORDER BY created_at DESC,
    funder DESC, year DESC, name DESC NULLS LAST, recipient DESC NULLS LAST, type DESC NULLS LAST, amount DESC) = 1`;
