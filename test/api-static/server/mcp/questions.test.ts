// Tests that the tools answer questions that people ask, with the numbers that DuckDB finds in the records.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldSchemas } from "../../../../api-static/contract/answers/record.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { openDatabase, sqlText } from "../../../../pipeline/base/database.ts";
import { isRealTested, realWarehouse } from "../../../realWarehouse.ts";
import { type Served, useRelease } from "../release.fixture.ts";
import { serveAgents, valuesOf } from "./agents.fixture.ts";
import { type Call, questions, type Subject } from "./questions.ts";

type Row = Record<string, unknown>;

const columns = Object.entries(fieldSchemas).map(([name, { type }]) => {
  if (name === "id") return "id: 'BIGINT'";
  if (type === "number") return `${name}: 'DECIMAL(18,2)'`;
  return `${name}: '${type === "integer" ? "INTEGER" : "VARCHAR"}'`;
});

/** Decimal text as the number that JSON has. */
const plain = (value: unknown) =>
  typeof value === "string" && /^-?\d+(?:\.\d\d)?$/.test(value) && !/^\d{9}$/.test(value)
    ? Number(value)
    : value;

/** The records and the list of organizations in DuckDB. */
async function openRecords({ folder, lines }: Served) {
  const { instance, connection } = await openDatabase({
    memory: "1GB",
    threads: 1,
    spillFolder: join(folder, "spill"),
  });
  const file = join(folder, "..", "..", "lines.json");
  const exact = lines.map((line) => line.replaceAll(/"((?:non_cash_)?amount)":(-?[\d.]+)/g, '"$1":"$2"')); // DuckDB reads numbers as doubles
  await writeFile(file, exact.join("\n"));
  await connection.run(
    `CREATE TABLE grants AS FROM read_json('${sqlText(file)}', format = 'newline_delimited', columns = {${columns}})`,
  );
  await connection.run(`CREATE TABLE organizations AS FROM read_json('${sqlText(join(folder, parts.organizations))}',
    format = 'newline_delimited', columns = {ein: 'VARCHAR', name: 'VARCHAR', city: 'VARCHAR', state: 'VARCHAR'})`);
  const ask = (sql: string, subject: Row = {}) => readRows(connection, sql, subject);
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  return { ask, close };
}

async function readRows(connection: DuckDBConnection, sql: string, subject: Row): Promise<Row[]> {
  const used = Object.entries(subject).filter(([name]) => sql.includes(`$${name}`));
  const read = await connection.runAndReadAll(sql, Object.fromEntries(used) as never);
  return read
    .getRowObjectsJson()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

/** The recipient of most funders, two of its funders, and words and values that are frequent. */
const subjectSql = (listed: string) => `
WITH ofRecipient AS (SELECT recipient_ein AS recipient FROM grants ${listed.replace("KEY", "recipient_ein")}
  WHERE recipient_ein IS NOT NULL GROUP BY ALL ORDER BY count(DISTINCT funder_ein) DESC, recipient LIMIT 1),
ofFunder AS (SELECT funder_ein, count(*) FILTER (recipient_ein = recipient) AS shared, count(*) AS records
  FROM grants ${listed.replace("KEY", "funder_ein")}, ofRecipient GROUP BY ALL),
ordered AS (SELECT list(funder_ein ORDER BY shared > 0 DESC, records DESC, funder_ein) AS funders FROM ofFunder),
words AS (SELECT unnest(regexp_extract_all(lower(recipient_name), '[a-z]{5,}')) AS word FROM grants)
SELECT recipient, funders[1] AS funder, funders[2] AS second,
  (SELECT mode(transaction_year) FROM grants WHERE funder_ein = funders[1]) AS year,
  (SELECT mode(word) FROM (SELECT unnest(regexp_extract_all(lower(purpose), '[a-z]{5,}')) AS word FROM grants
    WHERE transaction_year = (SELECT mode(transaction_year) FROM grants WHERE funder_ein = funders[1]))) AS word,
  (SELECT word FROM words GROUP BY word ORDER BY count(*) DESC, word LIMIT 1) AS nameWord,
  (SELECT word FROM words GROUP BY word ORDER BY count(*) DESC, word LIMIT 1 OFFSET 1) AS otherWord,
  (SELECT mode(type) FROM grants) AS type FROM ordered, ofRecipient`;

/** Names the questions before the data are read. */
const someone: Subject = {
  ...{ funder: "a funder", second: "another", recipient: "a recipient", type: "a type", year: 2020 },
  ...{ word: "music", nameWord: "bank", otherWord: "food", state: "a state" },
  ...{ funder_name: "funder X", recipient_name: "the food bank", recipient_city: "Houston" },
};

const namesSql = `
SELECT f.name AS funder_name, f.state AS state, r.name AS recipient_name, r.city AS recipient_city
FROM organizations f, organizations r WHERE f.ein = $funder AND r.ein = $recipient`;

function answerQuestions(served: () => Served, hasNames: boolean): void {
  let agents: Awaited<ReturnType<typeof serveAgents>>;
  let agent: Awaited<ReturnType<typeof agents.connect>>;
  let records: Awaited<ReturnType<typeof openRecords>>;
  let subject: Subject & Row;
  beforeAll(async () => {
    agents = await serveAgents(served().app);
    agent = await agents.connect("2026-07-28");
    records = await openRecords(served());
    const [chosen = {}] = await records.ask(subjectSql(hasNames ? "JOIN organizations ON ein = KEY" : ""));
    const [names = {}] = hasNames ? await records.ask(namesSql, chosen) : [];
    subject = { ...chosen, ...names } as Subject & Row;
  });
  afterAll(async () => {
    await agent.close();
    await agents.close();
    records.close();
  });

  const asked = questions.filter(({ isOfNames = false }) => hasNames || !isOfNames);
  it.each(asked.map((question) => [question.ask(someone), question] as const))(
    "%s",
    async (_, { ask, answer, sql }) => {
      const call: Call = async (tool, args) => valuesOf(await agent.call(tool, args));
      const right = await records.ask(sql, subject);
      expect(right.length, ask(subject)).toBeGreaterThan(0);
      expect(await answer(call, subject), ask(subject)).toEqual(right);
    },
  );
}

describe("questions about a sample", () => {
  answerQuestions(useRelease({ sampleRows: 1_000 }), true);
});

describe.skipIf(!isRealTested("questions"))("questions about real filings", () => {
  answerQuestions(useRelease({ warehouse: realWarehouse }), false);
});
