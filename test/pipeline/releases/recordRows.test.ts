// Tests that records read back are the grants they were written from, with any texts and numbers.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { recordFields } from "../../../api-static/contract/answers/record.ts";
import { formatCents } from "../../../api-static/contract/text/amount.ts";
import { countRecords, parts } from "../../../api-static/release/layout.ts";
import { writeFunders, writeLines, writeOffsets } from "../../../pipeline/parts/records/records.ts";
import { readRecords } from "../../../pipeline/releases/recordRows.ts";
import { text } from "../../api-static/contract/arbitraries.ts";
import { proofs } from "../../proofs.ts";
import { itWhole } from "../../whole.ts";
import { type Database, openSmallDatabase, useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
let database: Database;

beforeAll(async () => {
  database = await openSmallDatabase();
});

const textSql = (value: string | null) =>
  value === null
    ? "NULL::VARCHAR"
    : `decode('${Buffer.from(value).toString("hex").replace(/../g, "\\x$&")}'::BLOB)`;

const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 4 });
const texts = nullable(text).map(textSql);
const centsUpTo = (max: bigint) => fc.bigInt({ min: -max, max });
const amount = fc
  .oneof(centsUpTo(10n ** 9n), centsUpTo(2n * 10n ** 14n), centsUpTo(10n ** 18n - 1n))
  .map((cents) => `'${formatCents(cents)}'::DECIMAL(18,2)`);

/** SQL of a grant's values, in the order of a record's fields. */
const grant = fc
  .record({
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((id) => `'${id}'::BIGINT`),
    funder_ein: fc.integer({ min: 1, max: 999_999_999 }).map((ein) => `${ein}::UINTEGER`),
    transaction_year: fc.integer({ min: 1900, max: 2027 }).map((year) => `${year}::USMALLINT`),
    recipient_name: texts,
    recipient_ein: nullable(fc.integer({ min: 1, max: 999_999_999 })).map((ein) => `${ein}::UINTEGER`),
    type: texts,
    amount,
    non_cash_amount: nullable(amount).map((value) => `${value}::DECIMAL(18,2)`),
    non_cash_description: texts,
    purpose: texts,
    created_at: fc
      .date({
        min: new Date("0001-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59Z"),
        noInvalidDate: true,
      })
      .map((date) => `make_timestamp_ms(${date.getTime()})`),
  })
  .map((row) => `(${recordFields.map((field) => row[field]).join(", ")})`);

/** Writes records into a folder of this name, reads them back, and counts the rows that differ from the grants. */
async function countDifferent(name: string, grantsSql: string): Promise<number> {
  const { connection } = database;
  const release = join(folder.home, name);
  await mkdir(release, { recursive: true });
  await connection.run(`CREATE OR REPLACE TABLE grants AS ${grantsSql}`);
  const { funders } = await writeFunders(connection, release);
  await writeLines(connection, join(release, parts.records));
  await writeOffsets(release, countRecords(funders), () => {});
  const { from, values } = await readRecords(release);
  await connection.run(`CREATE OR REPLACE TABLE again AS FROM ${from}`, values);
  await rm(release, { recursive: true });
  const compared = await connection.runAndReadAll(
    "SELECT count(*)::DOUBLE FROM ((FROM grants EXCEPT ALL FROM again) UNION ALL (FROM again EXCEPT ALL FROM grants))",
  );
  return Number(compared.getRows()[0]?.[0]);
}

const plain = `SELECT 1::BIGINT AS id, 131635294::UINTEGER AS funder_ein, 2020::USMALLINT AS transaction_year,
  'School' AS recipient_name, NULL::UINTEGER AS recipient_ein, NULL::VARCHAR AS type, 5::DECIMAL(18,2) AS amount,
  NULL::DECIMAL(18,2) AS non_cash_amount, NULL::VARCHAR AS non_cash_description, 'Books' AS purpose,
  TIMESTAMP '2026-11-20 04:00:00' AS created_at`;

describe("records read again", () => {
  it("are the grants they were written from", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(grant, { minLength: 1, maxLength: 40 }), async (rows) => {
        const sql = `FROM (VALUES ${rows.join(", ")}) rows(${recordFields.join(", ")})`;
        expect(await countDifferent("release", sql)).toBe(0);
      }),
      { numRuns: proofs.anyRecordRows },
    );
  });

  itWhole("are the same if a text is longer than DuckDB's line buffer", async () => {
    const long = `${plain.replace("'Books'", "repeat('a \"quoted\" {book}, ', 2_000_000)")}`;
    expect(await countDifferent("release", `(${plain}) UNION ALL (${long})`)).toBe(0);
  });

  it.each(["year=2020", "a [b] *.?", "%41 'quoted'"])(
    "are the same below a folder named %j",
    async (name) => {
      expect(await countDifferent(name, plain)).toBe(0);
    },
  );
});
