// Tests a record's JSON as DuckDB writes it: keys, exact amounts, times, and text of every kind.
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type GrantRecord,
  recordFields,
  recordJsonSql,
  resultOrderSql,
} from "../../../../api-static/contract/answers/record.ts";
import { text } from "../arbitraries.ts";

/** A row of the pipeline's table: numbers as decimal text, times in milliseconds, text unchanged. */
type Row = {
  id: string;
  funder_ein: number;
  transaction_year: number;
  recipient_name: string | null;
  recipient_ein: number | null;
  type: string | null;
  amount: string;
  non_cash_amount: string | null;
  non_cash_description: string | null;
  purpose: string | null;
  created_at: number;
};

const plainRow: Row = {
  id: "1",
  funder_ein: 131_635_294,
  transaction_year: 2023,
  recipient_name: "Library",
  recipient_ein: 530_196_605,
  type: "Cash",
  amount: "50000.00",
  non_cash_amount: "12.50",
  non_cash_description: "Books",
  purpose: "General support",
  created_at: Date.UTC(2024, 10, 15, 8, 30, 59),
};

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(":memory:")).connect();
});

const textSql = (value: string | null) =>
  value === null ? "NULL::VARCHAR" : `decode('${blob(value)}'::BLOB)`;
const blob = (value: string) => Buffer.from(value).toString("hex").replace(/../g, "\\x$&");

function rowSql(row: Row): string {
  return `(${[
    `${row.id}::BIGINT`,
    `${row.funder_ein}::UINTEGER`,
    `${row.transaction_year}::USMALLINT`,
    textSql(row.recipient_name),
    `${row.recipient_ein ?? "NULL"}::UINTEGER`,
    textSql(row.type),
    `'${row.amount}'::DECIMAL(18,2)`,
    `${row.non_cash_amount === null ? "NULL" : `'${row.non_cash_amount}'`}::DECIMAL(18,2)`,
    textSql(row.non_cash_description),
    textSql(row.purpose),
    `make_timestamp_ms(${row.created_at})`,
  ].join(", ")})`;
}

/** The JSON text of each row, in order. */
async function writeJson(rows: readonly Row[]): Promise<string[]> {
  const reader = await connection.runAndReadAll(
    `SELECT hex(encode((${recordJsonSql})::VARCHAR)) FROM (VALUES ${rows.map(rowSql).join(", ")}) grants(${recordFields.join(", ")})`,
  );
  return reader.getRows().map(([hex]) => Buffer.from(String(hex), "hex").toString());
}

async function writeOne(changes: Partial<Row>): Promise<string> {
  return String((await writeJson([{ ...plainRow, ...changes }]))[0]);
}

/** True if a line has an unescaped control character: a line end would split it. */
const hasControls = (line: string) => [...line].some((letter) => letter < " ");

describe("recordJsonSql", () => {
  it("writes the eleven keys in their order, without white space", async () => {
    expect(await writeOne({})).toBe(
      '{"id":1,"funder_ein":"131635294","transaction_year":2023,"recipient_name":"Library",' +
        '"recipient_ein":"530196605","type":"Cash","amount":50000.00,"non_cash_amount":12.50,' +
        '"non_cash_description":"Books","purpose":"General support","created_at":"2024-11-15T08:30:59Z"}',
    );
  });

  it("writes every key of a record whose nullable fields are all null", async () => {
    const json = await writeOne({
      recipient_name: null,
      recipient_ein: null,
      type: null,
      non_cash_amount: null,
      non_cash_description: null,
      purpose: null,
    });
    expect(json).toBe(
      '{"id":1,"funder_ein":"131635294","transaction_year":2023,"recipient_name":null,"recipient_ein":null,' +
        '"type":null,"amount":50000.00,"non_cash_amount":null,"non_cash_description":null,"purpose":null,' +
        '"created_at":"2024-11-15T08:30:59Z"}',
    );
  });

  it("pads EINs to nine digits", async () => {
    const json = await writeOne({ funder_ein: 10_211_513, recipient_ein: 1 });
    expect(JSON.parse(json)).toMatchObject({ funder_ein: "010211513", recipient_ein: "000000001" });
  });

  it.each([
    ["0", "0.00"],
    ["0.01", "0.01"],
    ["-0.01", "-0.01"],
    ["-1234.5", "-1234.50"],
    ["0.1", "0.10"],
    ["1000000", "1000000.00"],
    ["90071992547409.93", "90071992547409.93"],
    ["9999999999999999.99", "9999999999999999.99"],
    ["-9999999999999999.99", "-9999999999999999.99"],
  ])("writes the amount %s as %s", async (amount, written) => {
    const json = await writeOne({ amount, non_cash_amount: amount });
    expect(json).toContain(`"amount":${written},"non_cash_amount":${written},`);
  });

  it("writes every amount to the cent", async () => {
    const most = 10n ** 18n - 1n;
    const cents = fc.oneof(fc.bigInt({ min: -most, max: most }), fc.bigInt({ min: -1000n, max: 1000n }));
    const property = fc.asyncProperty(fc.array(cents, { minLength: 1, maxLength: 100 }), async (amounts) => {
      const written = amounts.map((amount) => {
        const digits = String(amount < 0n ? -amount : amount).padStart(3, "0");
        return `${amount < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
      });
      const json = await writeJson(written.map((amount) => ({ ...plainRow, amount })));
      expect(json.map((line) => /"amount":([^,]*),/.exec(line)?.[1])).toStrictEqual(written);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it("writes the largest id in full", async () => {
    expect(await writeOne({ id: "9223372036854775807" })).toMatch(/^\{"id":9223372036854775807,/);
  });

  it.each([
    ["no milliseconds if they are zero", "2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00Z"],
    ["three digits of milliseconds otherwise", "2024-02-29T23:59:59.040Z", "2024-02-29T23:59:59.040Z"],
    ["milliseconds before 1970", "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
    ["years before 1000 with four digits", "0987-06-05T04:03:02.000Z", "0987-06-05T04:03:02Z"],
  ])("writes a time with %s", async (_what, time, written) => {
    const json = await writeOne({ created_at: Date.parse(time) });
    expect(JSON.parse(json)).toHaveProperty("created_at", written);
  });

  it("writes every time to the millisecond", async () => {
    const time = fc.oneof(
      fc.integer({ min: Date.parse("0001-01-01T00:00:00Z"), max: Date.parse("9999-12-31T23:59:59.999Z") }),
      fc.integer({ min: -100_000, max: 3_000_000 }).map((seconds) => seconds * 1000),
    );
    const property = fc.asyncProperty(fc.array(time, { minLength: 1, maxLength: 100 }), async (times) => {
      const json = await writeJson(times.map((created_at) => ({ ...plainRow, created_at })));
      const written = times.map((time) => new Date(time).toISOString().replace(".000Z", "Z"));
      expect(json.map((line) => (JSON.parse(line) as GrantRecord).created_at)).toStrictEqual(written);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it.each([
    ["quotes and backslashes", 'the "best" \\ C:\\new \\u0041 \\"'],
    ["line ends and tabs", "a\nb\r\nc\td"],
    ["control characters", String.fromCharCode(...Array(32).keys(), 127)],
    ["NUL at either end", "\0a\0"],
    ["line separators", "a\u2028b\u2029c\u0085d"],
    ["letters outside the basic plane", "👩‍🌾🌱 𝒜 İ"],
    ["a byte order mark", "\uFEFFa"],
    ["text that looks like JSON", '"},\n{"id":2'],
    ["text that looks like CSV", "a,b;'c'\u0001"],
    ["an empty text", ""],
  ])("keeps %s unchanged and on one line", async (_what, value) => {
    const json = await writeOne({
      purpose: value,
      recipient_name: value,
      type: value,
      non_cash_description: value,
    });
    expect(hasControls(json)).toBe(false);
    expect(JSON.parse(json)).toMatchObject({
      purpose: value,
      recipient_name: value,
      type: value,
      non_cash_description: value,
    });
  });

  it("preserves any text, on one line without control characters", async () => {
    const property = fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 50 }), async (purposes) => {
      const json = await writeJson(purposes.map((purpose) => ({ ...plainRow, purpose })));
      expect(json.map((line) => (JSON.parse(line) as GrantRecord).purpose)).toStrictEqual(purposes);
      expect(json.filter(hasControls)).toStrictEqual([]);
    });
    await fc.assert(property);
  });
});

describe("resultOrderSql", () => {
  it("orders by newest year, then largest amount, then lowest id", async () => {
    const reader = await connection.runAndReadAll(
      `SELECT id FROM (VALUES (1, 2021, 9.00), (2, 2023, -1.00), (4, 2023, 5.00), (3, 2023, 5.00), (5, 2022, 7.00))
       grants(id, transaction_year, amount) ORDER BY ${resultOrderSql}`,
    );
    expect(reader.getRows().map(([id]) => id)).toStrictEqual([3, 4, 2, 5, 1]);
  });
});
