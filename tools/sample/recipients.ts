// Builds the SQL of the synthetic recipients: the true name and place of each in a year, and how returns misname them.

const sql = String.raw;

/** Macros of what recipients are. One in twelve changed once: most of them their name, the others their place, a few both. */
const recipients = sql`
CREATE MACRO change_of(recipient_key) AS chance(recipient_key, 'changed');
CREATE MACRO changed_in(recipient_key) AS 2011 + pick(recipient_key, 'changed in', 14);
-- Chapters often share name and place with another one.
CREATE MACRO is_chapter(recipient, recipient_key) AS
  chance(recipient_key, 'has sort name') < CASE WHEN recipient % 30 < 2 THEN 0.5 ELSE 0.03 END;
CREATE MACRO chapter_of(recipient_key) AS 'Chapter ' || (1 + pick(recipient_key, 'chapter', 400));
`;

/** Causes, by the NTEE codes of recipients, and regions, each a share of the places. The number of a recipient decides on both. */
const ntee = ["A20", "A68", "B20", "B60", "E20", "P20", "X20"];
const regions = 11;
const tastes = ntee.length * regions;

/**
 * Macros of what funders like: a cause in a region. Of any so many recipients in a row, one is to a funder's taste: the given one's
 * neighbor, so that popular recipients stay popular.
 */
const tastesSql = sql`
CREATE MACRO ntee_of(recipient) AS ['${ntee.join("', '")}'][1 + recipient % ${ntee.length}];
CREATE MACRO region_of(recipient) AS recipient // ${ntee.length} % ${regions};
CREATE MACRO place_in(region, key) AS
  region + ${regions} * pick(key, 'place', (len(getvariable('vocabulary').places) - 1 - region) // ${regions} + 1);
CREATE MACRO taste_of(funder_key) AS pick(funder_key, 'taste', ${tastes});
CREATE MACRO to_taste(recipient, taste) AS CASE WHEN recipient - recipient % ${tastes} + taste < getvariable('recipients')
  THEN recipient - recipient % ${tastes} + taste ELSE recipient END;
`;

/** Macros of how returns misspell and mistake. `key` is that of a funder and recipient: a funder repeats what it wrote. */
const mistakes = sql`
CREATE MACRO mistyped(text, key, place) AS CASE pick(key, 'typo', 4)
  WHEN 0 THEN left(text, place - 1) || substr(text, place + 1)
  WHEN 1 THEN left(text, place - 1) || text[place + 1] || text[place] || substr(text, place + 2)
  WHEN 2 THEN left(text, place) || substr(text, place)
  ELSE left(text, place - 1) || chr((97 + pick(key, 'letter', 26))::INTEGER) || substr(text, place + 1) END;
CREATE MACRO abbreviated(name) AS
  replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name,
    'Foundation', 'Fdn'), 'Association', 'Assn'), 'Center', 'Ctr'), 'University', 'Univ'), 'Saint ', 'St '), 'Hospital', 'Hosp'),
    'Society', 'Soc'), 'Institute', 'Inst'), 'National', 'Natl'), 'School', 'Sch'), 'Services', 'Svcs');
CREATE MACRO with_second_name(name, key, other) AS CASE pick(key, 'second name', 4)
  WHEN 0 THEN name || ' dba ' || other
  WHEN 1 THEN other || ' d/b/a ' || name
  ELSE name || ' (' || other || ')' END;
CREATE MACRO varied(name, key, variant, recipient, recipient_key) AS CASE
  WHEN variant >= 0.19 THEN name
  WHEN variant < 0.02 THEN mistyped(name, key, 1 + pick(key, 'typo at', length(name) - 1))
  WHEN variant < 0.025 THEN array_to_string(string_split(name, ' ')[-1:] || string_split(name, ' ')[:-2], ' ')
  WHEN variant < 0.035 THEN with_second_name(name, key, split_part(name, ' ', 1) || item([' House', ' Works', ' Partners'], key, 'other name'))
  WHEN variant < 0.04 THEN left(name, greatest(9, length(name) * 2 // 3))
  WHEN variant < 0.06 THEN CASE WHEN starts_with(name, 'The ') THEN substr(name, 5) ELSE 'The ' || name END
  WHEN variant < 0.08 THEN CASE WHEN contains(name, ' & ') THEN replace(name, ' & ', ' and ') ELSE replace(name, ' and ', ' & ') END
  WHEN variant < 0.14 THEN abbreviated(name)
  WHEN variant < 0.15 THEN regexp_replace(name, ' ', '-')
  WHEN is_chapter(recipient, recipient_key) THEN name || ' ' || chapter_of(recipient_key)
  ELSE name END;
CREATE MACRO respelled(city, key) AS CASE pick(key, 'city', 200)
  WHEN 0 THEN replace(city, 'St ', 'Saint ')
  WHEN 1 THEN city || ' City'
  WHEN 2 THEN left(city, 4)
  WHEN 3 THEN left(city, 2) || substr(city, 2)
  ELSE city END;
CREATE MACRO neighboring(zip, key) AS CASE pick(key, 'city', 200)
  WHEN 4 THEN left(zip, 4) || (zip[5]::INTEGER + 1) % 10
  WHEN 5 THEN left(zip, 4) || (zip[5]::INTEGER + 9) % 10
  ELSE zip END;
CREATE MACRO with_other_digit(ein, key, place) AS
  left(ein, place - 1) || (ein[place]::INTEGER + 1 + pick(key, 'digit', 9)) % 10 || substr(ein, place + 1);
`;

/** Where recipients are: each area has 100 ZIP codes of its city, and 100 towns. */
const localities = sql`
CREATE TABLE localities AS
SELECT number AS locality, right(place, 2) AS true_state, getvariable('vocabulary').zipAreas[1 + number // 200] || lpad((number % 100)::VARCHAR, 2, '0') AS true_zip,
  CASE WHEN number % 200 < 100 THEN place[:-4]
    ELSE item(getvariable('vocabulary').heads, hash(number), 'town') || item(getvariable('vocabulary').tails, hash(number), 'town') END AS true_city
FROM (SELECT number, getvariable('vocabulary').places[1 + number // 200] AS place
  FROM range(200 * len(getvariable('vocabulary').places)) AS t(number));
`;

/** All macros of this file, and the table of places. They use the macros of `draws.ts` and the vocabulary. */
export const recipientMacrosSql = recipients + tastesSql + mistakes + localities;

/**
 * The keys of a recipient's draws, by its number and the year. Of 60 recipients, four share name and city with another one, six
 * name and state, and two a name.
 */
export const recipientKeys = sql`
    key_of(getvariable('seed'), 'recipient', recipient) AS recipient_key,
    CASE WHEN change_of(recipient_key) < 0.08 AND year < changed_in(recipient_key) THEN change_of(recipient_key) END AS change,
    CASE WHEN change < 0.06 THEN key_of(getvariable('seed'), 'old name', recipient)
      ELSE key_of(getvariable('seed'), 'name', recipient - CASE WHEN recipient % 30 IN (1, 3, 5) THEN 1 ELSE 0 END) END AS name_key,
    recipient - CASE WHEN recipient % 30 IN (1, 3) OR recipient % 60 = 5 THEN 1 ELSE 0 END AS area,
    key_of(getvariable('seed'), 'recipient', area) AS area_key,
    CASE WHEN change >= 0.05 THEN key_of(getvariable('seed'), 'old place', recipient)
      WHEN recipient % 30 = 1 THEN area_key ELSE recipient_key END AS town_key,
    200 * place_in(region_of(area), area_key) + pick(town_key, 'zip', 200) AS locality`;

/** A recipient's name in mixed case, without a legal form. */
export const recipientName = {
  joins: sql`JOIN words AS name_word ON name_word.number = rank_of(name_key, 'name word', getvariable('words'))
  JOIN words AS family_word ON family_word.number = pick(name_key, 'family word', getvariable('words'))`,
  value: sql`CASE pick(name_key, 'shape', 10)
      WHEN 0 THEN name_word.text || ' ' || institution
      WHEN 1 THEN 'Friends of ' || family_word.text || ' ' || institution
      WHEN 2 THEN 'The ' || name_word.text || ' and ' || family_word.text || ' ' || institution
      WHEN 3 THEN institution || ' of ' || name_word.text || ' ' || family_word.text
      ELSE name_word.text || ' ' || family_word.text || ' ' || institution END`,
};

export const recipientEin = "ein_of(recipient, 77777777)";

/** The EIN as filed: 23 in 1,000 are wrong, namely mistyped, that of another recipient, or that of the first one of 30, its parent. */
export const filedEin = sql`CASE
      WHEN wrong_ein >= 0.023 THEN ${recipientEin}
      WHEN wrong_ein < 0.006 THEN with_other_digit(${recipientEin}, pair_key, 1 + pick(pair_key, 'place', 9))
      WHEN wrong_ein < 0.015
        THEN ein_of((recipient + 1 + pick(pair_key, 'other', getvariable('recipients') - 1)) % getvariable('recipients'), 77777777)
      ELSE ein_of(recipient - recipient % 30, 77777777) END`;
