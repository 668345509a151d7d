// Tests that a sample warehouse is reproducible, has the shape of the real one and every fault a sync must reject.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../pipeline/base/database.ts";
import { InputError } from "../../../pipeline/base/failure.ts";
import { checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { planSample, writeSample } from "../../../tools/sample/sample.ts";
import { trueEinsSql } from "../../../tools/sample/sql.ts";

/** More rows than DuckDB gives one thread at a time: it splits work by 122,880 rows of a file. */
const dividedRows = 250_000;

let root: string;
let database: { instance: DuckDBInstance; connection: DuckDBConnection };

const machine = () => ({ memory: "1GB", threads: 1, spillFolder: join(root, "spill") });
const sample = (name: string, rows: number, more: { seed?: number; threads?: number } = {}) =>
  writeSample({ ...machine(), rows, seed: 1, folder: join(root, name), ...more });

async function query(sql: string, name: string): Promise<Record<string, unknown>[]> {
  const reader = await database.connection.runAndReadAll(sql, {
    grants: join(root, name, "grants-*.parquet"),
  });
  return reader.getRowObjectsJson();
}

/** The only row of a result whose columns are all numbers. */
async function measure(sql: string, name: string): Promise<Record<string, number>> {
  const [row = {}] = await query(sql, name);
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, Number(value)]));
}

function expectWithin(shares: Record<string, number>, bounds: Readonly<Record<string, readonly number[]>>) {
  for (const [share, [low = 0, high = 0]] of Object.entries(bounds)) {
    expect(shares[share], share).toBeGreaterThanOrEqual(low);
    expect(shares[share], share).toBeLessThanOrEqual(high);
  }
}

/** Writes the true EINs of a sample of seed 1 beside its folder. */
async function writeTrueEins(name: string, rows: number): Promise<void> {
  const { instance, connection } = await openDatabase(machine());
  await planSample(connection, rows, 1);
  await connection.run(`COPY (${trueEinsSql}) TO '${join(root, name, "true.parquet")}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
}

/** Filed grants with the true EIN of the recipient, and the names of the list in order of age. */
const matchable = `
  truth AS (FROM read_parquet(replace($grants, 'grants/grants-*', 'true'))),
  filed AS (
    SELECT g.*, replace(recipient_ein, '-', '') AS filed_ein, truth.ein AS true_ein, recipient_zip[:5] AS zip,
      upper(recipient_city) AS city, upper(trim(recipient_name, chr(9) || chr(10) || ' ')) AS name
    FROM read_parquet($grants) AS g JOIN truth USING (id)
  ), listed AS (
    SELECT *, row_number() OVER (PARTITION BY ein ORDER BY period DESC) AS age
    FROM read_parquet(replace($grants, 'grants-*', 'organizations'))
  )`;

/** SQL of a name without its article, legal form and punctuation. */
const plain = (name: string) =>
  `regexp_replace(regexp_replace(${name}, '[''’.,]', '', 'g'), '^THE | INC$| CORP$| INCORPORATED$', '', 'g')`;

async function digests(files: readonly string[]): Promise<string[]> {
  return Promise.all(
    files.map(async (file) =>
      createHash("sha256")
        .update(await readFile(file))
        .digest("hex"),
    ),
  );
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sample-test-"));
  database = await openDatabase(machine());
  await sample("medium/grants", 100_000);
  await writeTrueEins("medium", 100_000);
  for (const seed of [1, 2]) await sample(`seed-${seed}`, 1_000, { seed });
});

afterAll(async () => {
  database.connection.closeSync();
  database.instance.closeSync();
  await rm(root, { recursive: true, force: true });
});

test("a sample is marked as synthetic", async () => {
  const { isSynthetic } = await checkWarehouse(database.connection, join(root, "seed-1"));
  expect(isSynthetic).toBe(true);
});

describe("reproducibility", () => {
  test(`the same rows and seed give the same bytes with one thread and with two: ${dividedRows} rows`, async () => {
    const [one, two] = [
      await sample("one/grants", dividedRows, { threads: 1 }),
      await sample("two/grants", dividedRows, { threads: 2 }),
    ];
    const digestsOf = ({ files }: typeof one, name: string) =>
      digests([
        ...files,
        ...["organizations", "finances"].map((list) => join(root, name, `grants/${list}.parquet`)),
      ]);
    expect(await digestsOf(one, "one")).toEqual(await digestsOf(two, "two"));
  });

  test("another seed gives other grants", async () => {
    const files = ["seed-1", "seed-2"].map((name) => join(root, name, "grants-0000.parquet"));
    const [first, second] = await digests(files);
    expect(first).not.toBe(second);
    const shared = await measure(
      `SELECT count(*) AS n FROM read_parquet($grants) AS first, read_parquet($grants) AS second
       WHERE first.filename LIKE '%seed-1/%' AND second.filename LIKE '%seed-2/%'
         AND first.funder_ein = second.funder_ein AND first.funder_ein <> '000000000'`, // a fault of both
      "seed-[12]",
    );
    expect(shared.n).toBe(0);
  });
});

describe("shape", () => {
  test("has the warehouse's columns and types", async () => {
    const columns = await query("DESCRIBE FROM read_parquet($grants)", "medium/grants");
    expect(columns.map((column) => `${column.column_name} ${column.column_type}`)).toEqual([
      "id BIGINT",
      "funder_ein VARCHAR",
      "transaction_year INTEGER",
      "recipient_name VARCHAR",
      "recipient_ein VARCHAR",
      "type VARCHAR",
      "amount DECIMAL(18,2)",
      "non_cash_amount DECIMAL(18,2)",
      "non_cash_description VARCHAR",
      "purpose VARCHAR",
      "created_at TIMESTAMP",
      ...["city", "state", "zip", "country", "status", "relationship"].map(
        (name) => `recipient_${name} VARCHAR`,
      ),
    ]);
  });

  test("ROWS=1 SEED=0 writes exactly one row", async () => {
    const { rows, bytes } = await sample("one-row", 1, { seed: 0 });
    expect(rows).toBe(1);
    expect(bytes).toBeGreaterThan(0);
    expect(await measure("SELECT count(*) AS n FROM read_parquet($grants)", "one-row")).toEqual({ n: 1 });
  });

  test("the rows of a filing are contiguous, and filings are in the order of arrival, not by funder", async () => {
    const order = await measure(
      `WITH lines AS (
         SELECT *, row_number() OVER (ORDER BY filename, file_row_number) AS line
         FROM read_parquet($grants, filename = true, file_row_number = true)
       ), neighbors AS (
         SELECT *, lag(created_at) OVER (ORDER BY line) AS time_before, lag(funder_ein) OVER (ORDER BY line) AS funder_before
         FROM lines
       )
       SELECT
         avg((created_at < time_before)::INTEGER) AS steps_back,
         count(*) FILTER (funder_ein <> funder_before) / count(DISTINCT (funder_ein, created_at)) AS runs_per_filing,
         count(*) FILTER (funder_ein < funder_before) / count(*) FILTER (funder_ein <> funder_before) AS funder_descents
       FROM neighbors`,
      "medium/grants",
    );
    expect(order.steps_back).toBeLessThan(0.001);
    expect(order.runs_per_filing).toBeLessThan(1.1);
    expect(order.funder_descents).toBeGreaterThan(0.4);
  });

  test("funders are skewed: one holds about 5 % of the rows, one about 2 %, half under 20 rows", async () => {
    const funders = await measure(
      `WITH funders AS (
         SELECT count(*) AS n, count(DISTINCT transaction_year) AS years
         FROM read_parquet($grants) GROUP BY replace(funder_ein, '-', '')
       )
       SELECT count(*) AS funders, median(n) AS median, max(n, 2)[1] AS largest, max(n, 2)[2] AS second,
         avg(years) AS years
       FROM funders`,
      "medium/grants",
    );
    expect(funders.funders).toBeGreaterThan(900);
    expect(funders.funders).toBeLessThan(1_300);
    expect(funders.median).toBeLessThan(20);
    expect(funders.largest).toBeGreaterThan(4_000);
    expect(funders.largest).toBeLessThan(6_500);
    expect(funders.second).toBeGreaterThan(1_500);
    expect(funders.second).toBeLessThan(3_500);
    expect(funders.years).toBeGreaterThan(5);
  });

  test("texts, identifiers and amounts are distributed as in real filings", async () => {
    const shares = await measure(
      `SELECT
         avg((coalesce(trim(recipient_ein), '') = '')::INTEGER) AS ein_missing,
         count(*) FILTER (type = '990-PF' AND recipient_ein IS NOT NULL) AS foundation_eins,
         count(*) FILTER (trim(type) NOT IN ('', 'Schedule I', '990-PF')) AS other_types,
         avg((funder_ein LIKE '0%')::INTEGER) AS leading_zero,
         avg((funder_ein LIKE '%-%')::INTEGER) AS hyphens,
         avg((purpose = upper(purpose))::INTEGER) AS capitals,
         count(DISTINCT purpose) / count(*) AS purposes,
         avg((lower(trim(purpose)) = 'general support')::INTEGER) AS general_support,
         median(length(purpose)) AS length, max(length(purpose)) AS longest,
         median(amount) AS amount, avg((amount = 0)::INTEGER) AS zero, avg((amount % 1000 = 0)::INTEGER) AS thousands,
         avg((coalesce(non_cash_amount, 0) > 0)::INTEGER) AS goods,
         avg((coalesce(amount, 0) = 0)::INTEGER) FILTER (non_cash_amount > 0) AS goods_alone
       FROM read_parquet($grants)`,
      "medium/grants",
    );
    const bounds = {
      ein_missing: [0.5, 0.8],
      other_types: [0, 0], // as in an import
      foundation_eins: [0, 0],
      leading_zero: [0.01, 0.12],
      hyphens: [0.001, 0.08],
      capitals: [0.8, 0.97],
      purposes: [0.1, 0.3],
      general_support: [0.15, 0.3],
      length: [15, 30],
      longest: [200, 1_000],
      amount: [10_000, 20_000],
      zero: [0.01, 0.08],
      thousands: [0.3, 0.5],
      goods: [0.005, 0.12],
      goods_alone: [0.7, 0.9],
    };
    expectWithin(shares, bounds);
  });

  test("five times the rows have more than four times the distinct purposes: 2 million of them at 20 million rows", async () => {
    await sample("few", 20_000);
    const distinct =
      "SELECT count(DISTINCT lower(nfc_normalize(trim(purpose)))) AS n FROM read_parquet($grants)";
    const few = await measure(distinct, "few");
    const many = await measure(distinct, "medium/grants");
    expect(many.n).toBeGreaterThan(4 * (few.n ?? Number.NaN));
  });

  test("a recipient has one state, and nearly always one place; few are abroad; foundations give status and relationship", async () => {
    const shares = await measure(
      `WITH ${matchable}, places AS (
         SELECT true_ein, max(n) / sum(n) AS share, count(DISTINCT state) AS states
         FROM (SELECT true_ein, city, recipient_state AS state, zip, count(*) AS n FROM filed
           WHERE true_ein IS NOT NULL AND recipient_city IS NOT NULL GROUP BY ALL)
         GROUP BY true_ein HAVING sum(n) > 20
       )
       SELECT avg((recipient_city IS NULL)::INTEGER) AS no_place, avg((recipient_country IS NOT NULL)::INTEGER) AS abroad,
         count(*) FILTER (recipient_country IS NOT NULL AND recipient_state IS NOT NULL) AS states_abroad,
         count(*) FILTER (recipient_country IS NULL AND NOT regexp_full_match(recipient_state, '[A-Z]{2}')) AS odd_states,
         count(*) FILTER (recipient_country IS NULL AND NOT regexp_full_match(recipient_zip, '[0-9]{5}([0-9]{4})?')) AS odd_zips,
         count(*) FILTER (type = 'Schedule I' AND (recipient_status IS NOT NULL OR recipient_relationship IS NOT NULL)) AS no_foundation,
         avg((recipient_status = 'PC')::INTEGER) FILTER (type = '990-PF') AS charities,
         avg((upper(recipient_relationship) = 'NONE')::INTEGER) FILTER (type = '990-PF') AS unrelated,
         (SELECT max(states) FROM places) AS states, (SELECT avg(share) FROM places) AS usual, (SELECT min(share) FROM places) AS rarest
       FROM read_parquet($grants)`,
      "medium/grants",
    );
    expect(shares).toMatchObject({
      states_abroad: 0,
      odd_states: 0,
      odd_zips: 0,
      no_foundation: 0,
      states: 1,
    });
    const bounds = {
      no_place: [0.005, 0.02],
      abroad: [0.001, 0.015],
      charities: [0.5, 0.75],
      unrelated: [0.6, 0.9],
      usual: [0.93, 0.99],
      rarest: [0.4, 0.8], // moved
    };
    expectWithin(shares, bounds);
  });

  test("awkward texts, corrections and grants listed twice occur", async () => {
    const counts = await measure(
      String.raw`SELECT
         count(*) FILTER (contains(purpose, '%')) AS percent, count(*) FILTER (contains(purpose, '_')) AS underscore,
         count(*) FILTER (contains(purpose, '\')) AS backslash, count(*) FILTER (contains(purpose, '"')) AS quote,
         count(*) FILTER (contains(trim(purpose), chr(9))) AS tab, count(*) FILTER (contains(trim(purpose), chr(10))) AS line_end,
         count(*) FILTER (length(purpose) < strlen(purpose)) AS non_ascii, count(*) FILTER (nfc_normalize(purpose) <> purpose) AS not_nfc,
         count(*) FILTER (contains(purpose, 'İ')) AS dotted_i, count(*) FILTER (purpose = '') AS empty,
         count(*) FILTER (purpose LIKE ' %') AS padded, count(*) FILTER (trim(purpose) = '' AND purpose <> '') AS blank,
         count(*) FILTER (recipient_name = 'VARIOUS') AS various, count(*) FILTER (amount < 0) AS negative,
         count(*) FILTER (amount IS NULL AND non_cash_amount > 0) AS goods_without_cash,
         count(*) FILTER (created_at <> date_trunc('second', created_at)) AS milliseconds,
         count(*) - count(DISTINCT (funder_ein, transaction_year, recipient_name, recipient_ein, amount, purpose, created_at)) AS twice
       FROM read_parquet($grants)`,
      "medium/grants",
    );
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(0);
    expect(counts.twice).toBeLessThan(1_000);
  });
});

describe("organizations", () => {
  test("name most funders and most with a place; some have an earlier row", async () => {
    const counts = await measure(
      `WITH ${matchable}, organizations AS (FROM listed WHERE age = 1),
         funders AS (SELECT DISTINCT replace(funder_ein, '-', '') AS ein FROM read_parquet($grants))
       SELECT count(*) AS n, count(DISTINCT ein) AS eins, avg((city IS NULL)::INTEGER) AS no_city,
         count(*) FILTER (regexp_full_match(ein, '[0-9]{9}') AND name <> '' AND name = upper(name)) AS formed,
         count(*) FILTER (city IS NOT NULL AND length(state) = 2 AND city = trim(city) AND length(zip) = 5) AS placed,
         count(*) FILTER (length(ntee_code) = 3 AND subsection = '03' AND ruling_year BETWEEN 1940 AND 2009) AS classified,
         (SELECT max(age) FROM listed) AS rows_of_one, (SELECT count(*) FROM listed WHERE age = 2 AND period < '2024-12') AS earlier,
         (SELECT count(*) FROM funders SEMI JOIN organizations USING (ein)) / (SELECT count(*) FROM funders) AS known
       FROM organizations`,
      "medium/grants",
    );
    expect([counts.eins, counts.formed]).toEqual([counts.n, counts.n]);
    expect(counts.rows_of_one).toBe(2);
    expect((counts.earlier ?? 0) / (counts.n ?? 1)).toBeGreaterThan(0.06);
    expect((counts.earlier ?? 0) / (counts.n ?? 1)).toBeLessThan(0.09);
    expect(counts.placed).toBe(Math.round((counts.n ?? 0) * (1 - (counts.no_city ?? 1))));
    expect(counts.no_city).toBeLessThan(0.03);
    expect((counts.classified ?? 0) / (counts.n ?? 1)).toBeGreaterThan(0.8);
    expect(counts.known).toBeGreaterThan(0.9);
    expect(counts.known).toBeLessThan(0.99);
  });
});

describe("recipients are found again as real ones are", () => {
  test("by name and place, but for variants, changes, and organizations that are not listed", async () => {
    const shares = await measure(
      `WITH ${matchable}, compared AS (
         SELECT filed.id, any_value(o.ein) IS NOT NULL AS is_listed, bool_or(o.name = filed.name) AS exact,
           bool_or(${plain("o.name")} = ${plain("filed.name")}) AS plain,
           bool_or(${plain("o.name")} = ${plain("filed.name")} AND age = 1) AS plain_now,
           bool_or(o.city = filed.city) AS city, bool_or(o.zip = filed.zip) AS zip,
           min(levenshtein(${plain("o.name")}, ${plain("filed.name")})) BETWEEN 1 AND 2 AS typo
         FROM filed LEFT JOIN listed AS o ON o.ein = true_ein
         WHERE true_ein IS NOT NULL AND recipient_country IS NULL AND recipient_city IS NOT NULL AND filed.name <> '' GROUP BY filed.id
       )
       SELECT avg(is_listed::INTEGER) AS listed, avg(exact::INTEGER) AS exact, avg(plain::INTEGER) AS plain,
         avg((plain AND NOT plain_now)::INTEGER) AS earlier, avg((NOT city)::INTEGER) AS other_city,
         avg((NOT zip)::INTEGER) AS other_zip, avg(typo::INTEGER) AS typo
       FROM compared`,
      "medium/grants",
    );
    const bounds = {
      ...{ listed: [0.95, 0.98], exact: [0.45, 0.65], plain: [0.85, 0.93], earlier: [0.01, 0.05] },
      ...{ other_city: [0.01, 0.025], other_zip: [0.005, 0.02], typo: [0.015, 0.05] },
    } as const;
    expectWithin(shares, bounds);
  });

  test("one in 43 EINs is wrong, one in 100 recipients of foundations is a person", async () => {
    const shares = await measure(
      `WITH ${matchable}
       SELECT avg((filed_ein <> true_ein)::INTEGER) FILTER (regexp_full_match(filed_ein, '[0-9]{9}') AND filed_ein <> '000000000') AS wrong,
         avg((recipient_status IS NOT DISTINCT FROM 'I')::INTEGER) FILTER (type = '990-PF') AS persons,
         count(*) FILTER ((recipient_status = 'I') <> (true_ein IS NULL)) AS unlike
       FROM filed`,
      "medium/grants",
    );
    expectWithin(shares, { wrong: [0.018, 0.028], persons: [0.005, 0.02], unlike: [0, 0] });
  });

  test("a fifth share their name, fewer in the state, and fewer in the city; chapters have sort names", async () => {
    const shares = await measure(
      `WITH ${matchable}, namesakes AS (
         SELECT sort_name, ruling_year, ${["nation", "state", "city"].map((area, index) => `count(*) OVER (PARTITION BY ${[plain("name"), "state", "city"].slice(0, index + 1)}) AS ${area}`)}
         FROM listed WHERE age = 1
       )
       SELECT avg((nation > 1)::INTEGER) AS nation, avg((state > 1)::INTEGER) AS state, avg((city > 1)::INTEGER) AS city, avg((sort_name IS NOT NULL)::INTEGER) AS sort_names,
         avg((ruling_year > 2020)::INTEGER) AS later
       FROM namesakes`,
      "medium/grants",
    );
    expectWithin(shares, {
      nation: [0.15, 0.25],
      state: [0.11, 0.19],
      city: [0.05, 0.09],
      sort_names: [0.03, 0.08],
      later: [0.002, 0.01],
    });
  });
});

describe("faults", () => {
  const faults = `
    WITH ids AS (SELECT count(*) AS n, count(DISTINCT created_at) AS times FROM read_parquet($grants) GROUP BY id)
    SELECT
      (SELECT count(*) FROM ids WHERE n > 1 AND times = 1) AS id,
      (SELECT count(*) FROM ids WHERE n > 1 AND times > 1) AS id_later,
      count(*) FILTER (length(funder_ein) < 9) AS ein_short,
      count(*) FILTER (funder_ein SIMILAR TO '.*[A-Z].*') AS ein_letters,
      count(*) FILTER (funder_ein = '000000000') AS ein_zeros,
      count(*) FILTER (funder_ein IS NULL) AS ein_null,
      count(*) FILTER (transaction_year < 1900) AS year_early,
      count(*) FILTER (transaction_year > 2100) AS year_late,
      count(*) FILTER (transaction_year IS NULL) AS year_null,
      count(*) FILTER (amount IS NULL AND coalesce(non_cash_amount, 0) <= 0) AS amount,
      count(*) FILTER (created_at IS NULL) AS created_at
    FROM read_parquet($grants)`;

  test.each([1, 2])("a thousand rows of seed %i hold every kind of fault once", async (seed) => {
    const counts = await measure(faults, `seed-${seed}`);
    expect(Object.keys(counts)).toHaveLength(11);
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBe(1);
  });

  test("far fewer than one row in a hundred has a fault", async () => {
    const counts = await measure(faults, "medium/grants");
    for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBe(10);
  });
});

describe("options", () => {
  test.each([0, -1, 1.5, Number.NaN, 200_000_001])("ROWS=%d is refused", async (rows) => {
    await expect(sample("refused", rows)).rejects.toThrow(
      new InputError(`ROWS must be an integer from 1 to 200000000, got "${rows}"`),
    );
  });

  test.each([-1, 0.5, 2 ** 53])("SEED=%d is refused", async (seed) => {
    await expect(sample("refused", 10, { seed })).rejects.toThrow(
      /^SEED must be an integer from 0 to .*, got "/,
    );
  });

  test("all files of an earlier sample are replaced, by one of the largest seed", async () => {
    expect((await sample("again", 10_001)).rows).toBe(10_001);
    expect(await readdir(join(root, "again"))).toHaveLength(4);
    const { files } = await sample("again", 50, { seed: Number.MAX_SAFE_INTEGER });
    expect(files).toEqual([join(root, "again", "grants-0000.parquet")]);
    expect((await readdir(join(root, "again"))).sort()).toEqual([
      "finances.parquet",
      "grants-0000.parquet",
      "organizations.parquet",
    ]);
    expect(await measure("SELECT count(*) AS n FROM read_parquet($grants)", "again")).toEqual({ n: 50 });
  });

  test("organizations of an earlier sample are replaced; any others are refused", async () => {
    const list = join(root, "listed/organizations.parquet");
    await sample("listed", 2_000);
    const [first] = await digests([list]);
    await sample("listed", 100);
    expect(await digests([list])).not.toEqual([first]);
    const foreign = [
      "COPY (SELECT 1 AS ein) TO '{}' (FORMAT parquet)",
      "COPY (SELECT 1) TO '{}' (FORMAT csv)",
    ];
    for (const sql of foreign) {
      await database.connection.run(sql.replace("{}", list));
      const kept = await digests([list]);
      const refused = sample("listed", 50);
      await expect(refused).rejects.toBeInstanceOf(InputError);
      await expect(refused).rejects.toThrow(
        /^OUT: ".*organizations.parquet" would be replaced, but .* did not write it/,
      );
      expect(await digests([list])).toEqual(kept);
      expect(await measure("SELECT count(*) AS n FROM read_parquet($grants)", "listed")).toEqual({
        n: 100,
      });
    }
  });

  test("a folder that holds anything else is refused and not changed", async () => {
    await sample("mixed", 10);
    await writeFile(join(root, "mixed", "notes.txt"), "mine");
    const refused = sample("mixed", 20);
    await expect(refused).rejects.toBeInstanceOf(InputError);
    await expect(refused).rejects.toThrow(/OUT must be .*; ".*mixed" contains "notes.txt"/);
    expect(await measure("SELECT count(*) AS n FROM read_parquet($grants)", "mixed")).toEqual({ n: 10 });
  });

  test("a file in place of the folder is refused", async () => {
    await writeFile(join(root, "file"), "");
    await expect(sample("file", 10)).rejects.toThrow(/^OUT must be a folder, got the file "/);
  });
});
