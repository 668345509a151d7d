// Defines the SQL macros of the synthetic warehouse: draws from hashes, distributions of real filings, oddities of texts.

const sql = String.raw;

/**
 * Draws. A key is 64 random-looking bits that identify a thing. A draw mixes the key with the name of the value and hashes again,
 * because `hash` of several arguments only combines their hashes, so that draws would depend on each other.
 */
const draws = sql`
CREATE MACRO key_of(parent, kind, number) AS hash(xor(xor(parent, hash(kind)), hash(number::BIGINT)));
CREATE MACRO dice(key, draw) AS hash(xor(key, hash(draw)));
-- Without the cast the remainder is computed in 128 bits, ten times slower.
CREATE MACRO pick(key, draw, choices) AS (dice(key, draw) % choices::UBIGINT)::BIGINT;
CREATE MACRO item(list, key, draw) AS list[1 + pick(key, draw, len(list))];
CREATE MACRO chance(key, draw) AS (dice(key, draw) >> 11)::DOUBLE / 9007199254740992;
-- Zipf's law with exponent 1: the word of rank r is drawn about 1/r as often as the first.
CREATE MACRO rank_of(key, draw, ranks) AS floor(pow(ranks::DOUBLE, chance(key, draw)))::BIGINT - 1;
-- Between two known quantiles a value grows geometrically.
CREATE MACRO between_quantiles(p, p0, p1, low, high) AS low * pow(high / low::DOUBLE, (p - p0) / (p1 - p0));
`;

/** Distributions of real filings, by their quantiles. */
const distributions = sql`
-- Grants of one filing: half have 1 or 2, p75 5, p90 21, p95 37, p99 129.
CREATE MACRO filing_size(p) AS CASE
  WHEN p < 0.35 THEN 1.0
  WHEN p < 0.50 THEN between_quantiles(p, 0.35, 0.50, 1, 2)
  WHEN p < 0.75 THEN between_quantiles(p, 0.50, 0.75, 2, 5)
  WHEN p < 0.90 THEN between_quantiles(p, 0.75, 0.90, 5, 21)
  WHEN p < 0.95 THEN between_quantiles(p, 0.90, 0.95, 21, 37)
  WHEN p < 0.99 THEN between_quantiles(p, 0.95, 0.99, 37, 129)
  WHEN p < 0.999 THEN between_quantiles(p, 0.99, 0.999, 129, 900)
  ELSE between_quantiles(p, 0.999, 1, 900, 6000) END;
CREATE MACRO dollars(p) AS CASE
  WHEN p < 0.03 THEN between_quantiles(p, 0, 0.03, 100, 2000)
  WHEN p < 0.23 THEN between_quantiles(p, 0.03, 0.23, 2000, 8000)
  WHEN p < 0.50 THEN between_quantiles(p, 0.23, 0.50, 8000, 15500)
  WHEN p < 0.75 THEN between_quantiles(p, 0.50, 0.75, 15500, 50000)
  WHEN p < 0.95 THEN between_quantiles(p, 0.75, 0.95, 50000, 360000)
  WHEN p < 0.99 THEN between_quantiles(p, 0.95, 0.99, 360000, 2100000)
  WHEN p < 0.9999 THEN between_quantiles(p, 0.99, 0.9999, 2100000, 60000000)
  ELSE between_quantiles(p, 0.9999, 1, 60000000, 660000000) END;
-- Most amounts are round: clusters at three amounts, four in ten are whole thousands, one in a hundred has cents.
CREATE MACRO rounded(value, habit) AS CASE
  WHEN habit < 0.14 AND value BETWEEN 3000 AND 7500 THEN 5000
  WHEN habit < 0.30 AND value BETWEEN 7500 AND 16000 THEN 10000
  WHEN habit < 0.40 AND value BETWEEN 16000 AND 40000 THEN 25000
  WHEN habit < 0.38 THEN greatest(1000, round(value / 1000) * 1000)
  WHEN habit < 0.55 THEN greatest(100, round(value / 100) * 100)
  WHEN habit < 0.99 THEN round(value)
  ELSE round(value, 2) END;
`;

/** Damage that texts and numbers may suffer before they reach a warehouse. */
const oddities = sql`
CREATE MACRO padded(text, key) AS CASE pick(key, 'padding', 300)
  WHEN 0 THEN ' ' || text
  WHEN 1 THEN text || '   '
  WHEN 2 THEN chr(9) || text || chr(10)
  ELSE text END;
CREATE MACRO mangled(text, key) AS CASE pick(key, 'oddity', 500)
  WHEN 0 THEN '"' || text || '"'
  WHEN 1 THEN '100% ' || text
  WHEN 2 THEN replace(text, ' ', '_')
  WHEN 3 THEN replace(text, ' ', chr(9))
  WHEN 4 THEN replace(text, ' ', chr(10))
  WHEN 5 THEN text || chr(13) || chr(10) || 'see Part IV'
  WHEN 6 THEN text || ' \ see statement 12'
  WHEN 7 THEN replace(text, ' ', chr(160))
  WHEN 8 THEN replace(text, 'e', 'e' || chr(769))
  WHEN 9 THEN replace(text, 'i', 'İ')
  WHEN 10 THEN replace(text, ' ', '  ')
  WHEN 11 THEN text || ' (' || chr(1) || ')'
  ELSE text END;
CREATE MACRO lettered(text, letters) AS CASE letters
  WHEN 'upper' THEN upper(text) WHEN 'lower' THEN lower(text) ELSE text END;
CREATE MACRO hyphened(ein) AS ein[:2] || '-' || ein[3:];
-- One number, one EIN: multiplication by a number prime to the modulus only permutes. One in twenty starts with 0.
CREATE MACRO ein_of(number, shift) AS lpad((50000000 + (number * 617283947 + shift) % 950000000)::VARCHAR, 9, '0');
`;

/** All macros, for the statements that use them. */
export const macrosSql = draws + distributions + oddities;
