// Tests that likely recipients are written in order, however many are sorted at once.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { indexMatches, writeMatches } from "../../../../pipeline/parts/matches/matches.ts";
import { close, openSmallDatabase, useFolder } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** 500 grants; 70 organizations have the matches of three in four of them, and two texts each. */
const tablesSql = `
CREATE TABLE grants AS
  SELECT (n * 7919) % 10007 AS id, 2020 + n % 3 AS transaction_year, n::DECIMAL(18, 2) AS amount, n % 5 AS funder_ein FROM range(500) t(n);
CREATE TABLE matches AS
  SELECT n::UINTEGER AS position, (100 + n * 31 % 70)::UINTEGER AS ein, (n * 31 % 70 * 2 + n % 2)::INTEGER AS text
  FROM range(500) t(n) WHERE n % 4 > 0;
CREATE TABLE match_texts AS
  SELECT n::INTEGER AS id, (100 + n // 2)::UINTEGER AS ein, 'history' AS rule, 0.991::DECIMAL(4, 3) AS score, 'Text ' || n AS evidence
  FROM range(140) t(n)`;

it("writes the same bytes, in order of EIN and id, whether it sorts all matches at once or parts", async () => {
  const database = await openSmallDatabase();
  const { connection } = database;
  await connection.run(`${tablesSql}; ATTACH ':memory:' AS index`);
  await indexMatches(connection);
  const write = async (atOnce: number) => {
    await writeMatches(connection, folder.home, "20261120T040000Z", () => {}, atOnce);
    return readFile(join(folder.home, "matches.parquet"));
  };
  const whole = await write(1_000);
  for (const atOnce of [1, 40, 374]) expect((await write(atOnce)).equals(whole)).toBe(true);
  const rows = `SELECT id, matched_ein, match_evidence FROM '${join(folder.home, "matches.parquet")}'`;
  const expected = `SELECT grants.id, printf('%09d', matches.ein), evidence
    FROM matches JOIN match_texts ON match_texts.id = text JOIN grants ON grants.rowid = position ORDER BY matches.ein, grants.id`;
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  expect(await read(rows)).toEqual(await read(expected));
  close(database);
});

it("adds the rows to the index in order of EIN and id", async () => {
  const database = await openSmallDatabase();
  const { connection } = database;
  await connection.run(`${tablesSql}; ATTACH ':memory:' AS index`);
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  await indexMatches(connection);
  expect(await read("SELECT matched_ein, id, transaction_year, position, text FROM index.by_match")).toEqual(
    await read(`SELECT matches.ein, id, transaction_year, position, text
      FROM matches JOIN grants ON grants.rowid = position ORDER BY matches.ein, id`),
  );
  close(database);
});
