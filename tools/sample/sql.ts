// Builds the SQL of the synthetic warehouse. Every value comes from a hash of the seed and of the thing it belongs to (funder, filing,
// row, recipient, purpose), never from random(), so that it does not depend on threads or on the division into files.

import { filedEin, recipientEin, recipientKeys, recipientName } from "./recipients.ts";

const sql = String.raw;

/** Variables, each bound to $value: the root of all keys, the counts, the list of organizations, the file to write. */
export const variablesSql = {
  seed: "SET VARIABLE seed = hash($value::BIGINT)",
  rows: "SET VARIABLE rows = $value::BIGINT",
  files: "SET VARIABLE files = $value::BIGINT",
  funders: "SET VARIABLE funders = $value::BIGINT",
  recipients: "SET VARIABLE recipients = $value::BIGINT",
  paragraphs: "SET VARIABLE paragraphs = $value::BIGINT",
  vocabulary: "SET VARIABLE vocabulary = $value",
  file: "SET VARIABLE file = $value::BIGINT",
  organizations: "SET VARIABLE organizations = $value::VARCHAR",
  path: "SET VARIABLE path = $value::VARCHAR",
} as const;

/**
 * Filings in order of arrival, each with its funder's habits, its place in the warehouse (`first_row`, `size`, `file`) and the time of
 * the previous filing. The sizes add up to exactly the requested number of rows: each filing has one row, and the rest is
 * distributed by weight along the running total.
 */
export const filingsSql = sql`
CREATE TABLE filings AS
WITH numbered AS (
  SELECT number, key_of(getvariable('seed'), 'funder', number) AS funder_key
  FROM range(getvariable('funders')) AS t(number)
), funders AS (
  SELECT *,
    -- Shares of the rows distributed by weight. Of all rows, the two giants then have about 5 % and 2 %.
    CASE number WHEN 0 THEN 0.054 WHEN 1 THEN 0.022 ELSE 0 END AS giant_share,
    number > 1 AND chance(funder_key, 'form') < 0.68 AS is_private_foundation,
    -- Otherwise the single purpose of a very large funder would be the most frequent of all.
    number > 1 AND chance(funder_key, 'one purpose') < 0.33 AND chance(funder_key, 'size') < 0.995 AS has_one_purpose,
    number > 1 AND chance(funder_key, 'goods') < 0.045 AS gives_goods,
    chance(funder_key, 'gives to persons') < 0.1 AS gives_to_persons, number > 1 AS has_taste,
    CASE WHEN number > 1 THEN 1 + pick(funder_key, 'years', 15) ELSE 15 END AS years
  FROM numbered
), filed AS (
  SELECT *, 2010 + pick(funder_key, 'first year', 16 - years) + unnest(range(years)) AS year FROM funders
), keyed AS (
  SELECT *, key_of(funder_key, 'filing', year) AS filing_key FROM filed
), counted AS (
  -- A small warehouse has fewer filings than its funders could file.
  SELECT * FROM keyed
  QUALIFY row_number() OVER (ORDER BY giant_share DESC, filing_key) <= greatest(1, getvariable('rows') // 3)
), regular AS (
  -- Whole numbers, since a sum of fractions depends on the order of its terms. At most a thousandth of all rows,
  -- since in a small warehouse one funder of the long tail would otherwise hold a third of them.
  SELECT *,
    CASE WHEN giant_share > 0 THEN 0
      ELSE greatest(0, round(100 * least(
        filing_size(chance(funder_key, 'size')) * (0.5 + chance(filing_key, 'growth')) - 1,
        getvariable('rows') / 1000)))
      END::BIGINT AS regular_weight
  FROM counted
), weighed AS (
  -- A giant grows from year to year: its 15 years count 8, 9 … 22, together 225.
  SELECT *,
    1 + regular_weight + round(giant_share / (1 - 0.054 - 0.022) * (year - 2002) / 225
      * (SELECT sum(regular_weight) FROM regular)::DOUBLE)::HUGEINT AS weight
  FROM regular
), arrived AS (
  SELECT *,
    make_timestamp(year + 1, 5, 1, 0, 0, 0.0) + to_seconds(pick(filing_key, 'second', 400 * 86400))
      + to_milliseconds(CASE WHEN chance(filing_key, 'has milliseconds') < 0.3
          THEN pick(filing_key, 'millisecond', 1000) ELSE 0 END) AS created_at
  FROM weighed
), placed AS (
  SELECT *,
    row_number() OVER arrival AS filing,
    lag(created_at) OVER arrival AS previous_created_at,
    sum(weight) OVER arrival AS weight_after,
    sum(weight) OVER () AS weight_of_all,
    getvariable('rows') - count(*) OVER () AS shared_rows
  FROM arrived
  WINDOW arrival AS (ORDER BY created_at, filing_key ROWS UNBOUNDED PRECEDING)
), bounded AS (
  SELECT *,
    filing - 1 + (weight_after - weight) * shared_rows // weight_of_all AS first_row,
    filing + weight_after * shared_rows // weight_of_all AS end_row
  FROM placed
)
SELECT
  funder_key, filing_key, ein_of(number, getvariable('seed') % 950000000) AS funder_ein, year,
  is_private_foundation, has_one_purpose, gives_goods, has_taste, is_private_foundation AND gives_to_persons AS gives_to_persons, created_at, previous_created_at,
  first_row::BIGINT AS first_row, (end_row - first_row)::BIGINT AS size,
  (first_row * getvariable('files') // getvariable('rows'))::BIGINT AS file
FROM bounded`;

/** The rows of the file that the variable `file` names. They are a table because a few filings alone would keep only one thread busy. */
export const rowsOfFileSql = sql`
CREATE OR REPLACE TABLE rows_of_file AS
SELECT * EXCLUDE (first_row, file), first_row + position AS row_number
FROM (SELECT *, unnest(range(size)) AS position FROM filings WHERE file = getvariable('file'))`;

/** The keys of every row. A grant that is listed twice has the `row_key` of the previous row. */
const keys = sql`
keyed AS (
  SELECT *,
    key_of(filing_key, 'row', CASE
      WHEN position > 0 AND chance(hash(row_number), 'listed twice') < 0.004 THEN position - 1
      ELSE position END) AS row_key,
    -- Rows to be rejected: every kind within the first 1,000 rows, and again in every 10,000.
    CASE WHEN row_number % 90 = 50 AND row_number % 10000 < 1000 THEN [
      'id', 'id_later', 'ein_short', 'ein_letters', 'ein_zeros', 'ein_null',
      'year_early', 'year_late', 'year_null', 'amount', 'created_at'][1 + row_number % 10000 // 90] END AS fault
  FROM rows_of_file
), related AS (
  SELECT *,
    -- Half of the grants go to recipients of the same funder in other years.
    CASE WHEN chance(row_key, 'loyal') < 0.5 THEN key_of(funder_key, 'loyal', pick(row_key, 'loyal to', 1 + size))
      ELSE row_key END AS choice_key,
    CASE WHEN has_one_purpose THEN key_of(funder_key, 'purpose', 0)
      ELSE key_of(filing_key, 'purpose', pick(row_key, 'purpose', 1 + size * 6 // 5)) END AS purpose_key
  FROM keyed
), chosen AS (
  SELECT *,
    -- Of 20 million rows the most popular recipient gets 3 in 1,000.
    floor(getvariable('recipients') * pow(chance(choice_key, 'recipient'), 2.5))::BIGINT AS drawn,
    CASE WHEN has_taste AND chance(choice_key, 'to taste') < 0.6 THEN to_taste(drawn, taste_of(funder_key)) ELSE drawn END AS recipient,
    pick(purpose_key, 'class', 1000) AS purpose_class
  FROM related
), named AS (
  SELECT *,
    ${recipientKeys},
    key_of(funder_key, 'habit', recipient) AS pair_key,
    gives_to_persons AND chance(row_key, 'is person') < 0.1 AS is_person
  FROM chosen
)`;

/** Texts in mixed case. Of 1,000 classes of purposes, the first are generic, those from 725 rare, from 975 blank, the rest common. */
const texts = sql`
phrased AS (
  SELECT *,
    item(getvariable('vocabulary').institutions, name_key, 'institution') AS institution,
    item(getvariable('vocabulary').openings, purpose_key, 'opening') AS opening,
    item(getvariable('vocabulary').fields, purpose_key, 'field') AS field,
    item(getvariable('vocabulary').fields, purpose_key, 'second field') AS second_field,
    item(getvariable('vocabulary').endings, purpose_key, 'ending') AS ending
  FROM named
), composed AS (
  SELECT phrased.*,
    ${recipientName.value} AS name,
    CASE WHEN is_person THEN item(getvariable('vocabulary').givenNames, row_key, 'given name') || ' ' || family_word.text END AS person,
    CASE
      WHEN purpose_class < len(getvariable('vocabulary').genericPurposes) THEN getvariable('vocabulary').genericPurposes[1 + purpose_class]
      WHEN purpose_class < 725 THEN opening || ' ' || field
      WHEN purpose_class < 975 THEN
        CASE WHEN chance(purpose_key, 'has opening') < 0.6 THEN opening || ' ' ELSE '' END
        || purpose_word.text || ' ' || field
        || CASE WHEN chance(purpose_key, 'has place') < 0.7 THEN ' ' || place_word.text ELSE '' END || ' ' || ending
        || CASE WHEN chance(purpose_key, 'has second field') < 0.2 THEN ' and ' || second_field ELSE '' END
        || CASE pick(purpose_key, 'number', 8)
          WHEN 0 THEN ' ' || year
          WHEN 1 THEN ' #' || (1000 + pick(purpose_key, 'case', 4000))
          WHEN 2 THEN ' FY' || (year % 100)
          ELSE '' END
        || CASE WHEN chance(purpose_key, 'is long') < 0.05 THEN '; ' || paragraphs.text ELSE '' END
      ELSE item(['', NULL, '   '], purpose_key, 'blank') END AS written_purpose
  FROM phrased
  ${recipientName.joins}
  JOIN words AS purpose_word ON purpose_word.number = rank_of(purpose_key, 'purpose word', getvariable('words'))
  JOIN words AS place_word ON place_word.number = rank_of(purpose_key, 'place word', getvariable('words'))
  JOIN paragraphs ON paragraphs.number = pick(purpose_key, 'paragraph', getvariable('paragraphs'))
), spelled AS (
  SELECT *, chance(pair_key, 'variant') AS variant,
    CASE WHEN is_person THEN person
      ELSE varied(name, pair_key, variant, recipient, recipient_key) || CASE
        WHEN variant BETWEEN 0.035 AND 0.04 THEN '' -- is truncated
        WHEN chance(recipient_key, 'has spellings') < 0.1
          THEN item([' Inc', ' Inc.', ', Inc.', ' Incorporated', ''], filing_key, 'spelling')
        ELSE item([' Inc', '', ''], recipient_key, 'spelling') END END AS spelled_name,
    CASE WHEN purpose_class BETWEEN 725 AND 974 THEN mangled(written_purpose, purpose_key)
      ELSE written_purpose END AS mangled_purpose,
    item(['lower', 'mixed', 'mixed', 'mixed'], filing_key, 'letters') AS unusual_letters
  FROM composed
)`;

/** The other values: amounts, goods, the case of a filing's letters. */
const values = sql`
priced AS (
  SELECT *,
    -- Most grants of a funder lie in one of the four ranges that hold a quarter of all amounts each.
    CASE WHEN chance(row_key, 'usual amount') < 0.6
      THEN (pick(funder_key, 'usual amounts', 4) + chance(row_key, 'amount')) / 4 ELSE chance(row_key, 'amount') END AS amount_rank,
    rounded(dollars(amount_rank), chance(row_key, 'rounding')) AS cash,
    chance(row_key, 'goods') < CASE WHEN gives_goods THEN 0.8 ELSE 0.003 END AS is_goods,
    chance(row_key, 'goods alone') < 0.8 AS is_goods_alone,
    CASE WHEN chance(filing_key, 'unusual letters') < 0.1 THEN unusual_letters ELSE 'upper' END AS letters,
    chance(filing_key, 'hyphens') < 0.02 AS has_hyphens,
    CASE WHEN NOT is_private_foundation THEN chance(pair_key, 'wrong ein') END AS wrong_ein,
    ${filedEin} AS ein_of_recipient
  FROM spelled
)`;

/** A recipient's address, nearly always the same; foundations also write its status and relationship. */
const addresses = sql`
located AS (
  SELECT *,
    chance(row_key, 'no address') < 0.01 AS is_unlocated,
    CASE WHEN chance(recipient_key, 'is abroad') < 0.005
      THEN item(getvariable('vocabulary').foreignPlaces, recipient_key, 'foreign place') END AS foreign_place,
    lpad(pick(recipient_key, 'block', 10000)::VARCHAR, 4, '0') AS block
  FROM priced JOIN localities USING (locality)
), addressed AS (
  SELECT *,
    CASE WHEN is_unlocated THEN NULL ELSE lettered(
      respelled(coalesce(split_part(foreign_place, '/', 1), true_city), row_key), letters) END AS city,
    CASE WHEN NOT is_unlocated AND foreign_place IS NULL THEN true_state END AS state,
    CASE WHEN is_unlocated THEN NULL ELSE coalesce(split_part(foreign_place, '/', 3),
      neighboring(true_zip, row_key) || CASE WHEN chance(filing_key, 'long zips') < 0.1 THEN block ELSE '' END) END AS postal_code,
    CASE WHEN NOT is_unlocated THEN split_part(foreign_place, '/', 2) END AS country,
    CASE WHEN is_person THEN 'I' WHEN is_private_foundation AND chance(row_key, 'no status') >= 0.01
      THEN item(getvariable('vocabulary').statuses, recipient_key, 'status') END AS status,
    CASE WHEN is_private_foundation AND chance(filing_key, 'no relationship') >= 0.1
      THEN lettered(item(['None', 'None', 'None', 'None', 'N/A'], filing_key, 'relationship'), letters) END AS relationship
  FROM located
)`;

/** Writes the rows of `rows_of_file` as Parquet to the path in variable `path`, in the order of the warehouse. */
export const writeFileSql = sql`
COPY (
  WITH ${keys}, ${texts}, ${values}, ${addresses}
  SELECT
    10 + 2 * (row_number - CASE WHEN fault IN ('id', 'id_later') THEN 1 ELSE 0 END) AS id,
    CASE fault
      WHEN 'ein_short' THEN funder_ein[:7]
      WHEN 'ein_letters' THEN 'EIN' || funder_ein[4:]
      WHEN 'ein_zeros' THEN '000000000'
      WHEN 'ein_null' THEN NULL
      ELSE CASE WHEN has_hyphens THEN hyphened(funder_ein) ELSE funder_ein END END AS funder_ein,
    CASE fault
      WHEN 'year_early' THEN 201
      WHEN 'year_late' THEN 2999
      WHEN 'year_null' THEN NULL
      -- A fiscal year may start in the previous year.
      ELSE year - CASE WHEN chance(row_key, 'fiscal year') < 0.005 THEN 1 ELSE 0 END END::INTEGER AS transaction_year,
    CASE
      WHEN chance(row_key, 'no name') < 0.005 THEN item(['', NULL], row_key, 'blank name')
      WHEN chance(row_key, 'names nobody') < 0.003 OR (size < 4 AND chance(filing_key, 'names nobody') < 0.04)
        THEN lettered(item(getvariable('vocabulary').placeholderNames, row_key, 'placeholder'), letters)
      ELSE padded(lettered(spelled_name, letters), row_key) END AS recipient_name,
    CASE
      WHEN is_private_foundation THEN NULL
      WHEN chance(row_key, 'no ein') < 0.05 THEN item([NULL, NULL, NULL, ''], row_key, 'blank ein')
      WHEN chance(row_key, 'bad ein') < 0.001 THEN item(['N/A', '000000000', '12345'], row_key, 'which bad ein')
      WHEN has_hyphens THEN hyphened(ein_of_recipient)
      ELSE ein_of_recipient END AS recipient_ein,
    CASE
      WHEN chance(filing_key, 'no type') < 0.01 THEN item([NULL, '', ' '], filing_key, 'blank type')
      WHEN is_private_foundation THEN '990-PF' ELSE 'Schedule I' END AS type, -- as the import of returns writes them
    CASE
      WHEN fault = 'amount' THEN NULL
      WHEN is_goods AND is_goods_alone THEN item([NULL, 0, 0], row_key, 'no cash')
      WHEN chance(row_key, 'nothing') < 0.008 THEN 0
      WHEN chance(row_key, 'correction') < 0.0002 THEN -cash
      ELSE cash END::DECIMAL(18, 2) AS amount,
    CASE
      WHEN fault = 'amount' THEN NULL
      WHEN is_goods THEN rounded(dollars(chance(row_key, 'worth')), 0.98)
      WHEN is_private_foundation OR chance(filing_key, 'writes zeros') < 0.5 THEN NULL
      ELSE 0 END::DECIMAL(18, 2) AS non_cash_amount,
    CASE
      WHEN is_goods THEN lettered(item(getvariable('vocabulary').nonCashDescriptions, row_key, 'description'), letters)
      WHEN NOT is_private_foundation AND chance(filing_key, 'writes n/a') < 0.12 THEN lettered('N/A', letters)
      END AS non_cash_description,
    padded(left(lettered(mangled_purpose, letters), 990), row_key) AS purpose,
    CASE fault
      WHEN 'id' THEN CASE WHEN position > 0 THEN created_at ELSE previous_created_at END
      WHEN 'id_later' THEN created_at + INTERVAL 1 DAY
      WHEN 'created_at' THEN NULL
      ELSE created_at END AS created_at,
    city AS recipient_city, state AS recipient_state, postal_code AS recipient_zip, country AS recipient_country,
    status AS recipient_status, relationship AS recipient_relationship
  FROM addressed
  ORDER BY row_number
) TO (getvariable('path')) (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880,
  KV_METADATA {synthetic: 'true'}, USE_TMP_FILE false)`;

/**
 * The true EIN of each grant's recipient, by id, for judging matches; null if the recipient is a person. Without ids that occur twice.
 * It needs the tables and variables of a sample.
 */
export const trueEinsSql = sql`
WITH rows_of_file AS (
  SELECT *, first_row + position AS row_number FROM (SELECT *, unnest(range(size)) AS position FROM filings)
), ${keys}
SELECT 10 + 2 * row_number AS id, CASE WHEN NOT is_person THEN ${recipientEin} END AS ein
FROM (SELECT *, lead(fault) OVER (ORDER BY row_number) AS next_fault FROM named)
WHERE coalesce(fault NOT IN ('id', 'id_later'), true) AND coalesce(next_fault NOT IN ('id', 'id_later'), true)`;
