// Tests the warehouse contract row by row: how each value of each type is normalized, or why it is rejected.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Progress } from "../../../pipeline/base/progress.ts";
import { ingest } from "../../../pipeline/parts/ingest.ts";
import { findKind } from "../../../pipeline/warehouse/columns.ts";
import { checkWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import {
  close,
  type grant,
  openSmallDatabase,
  patchFooter,
  useFolder,
  useParquet,
} from "./warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

/** The result of a row: the column's value as text or null, or the reason for its rejection. */
type Fate = string | null | { readonly rejected: string };

/** Ingests a file with a row for each value of the column, after one valid row that is not returned. */
async function findFates(
  column: keyof typeof grant,
  type: string,
  values: readonly string[],
  others: Record<string, string> = {},
  change: (path: string) => Promise<void> = async () => {},
): Promise<Fate[]> {
  const list = ["NULL", ...values].map((value, row) => `(${row}, CAST(${value} AS ${type}))`);
  const rest = column === "id" ? {} : { id: "1000 + row" };
  const value = `CASE row WHEN 0 THEN ${goodValue(column, type)} ELSE value END`;
  const names = { recipient_name: "'row ' || row", ...rest, ...others, [column]: value };
  await change(await put("a.parquet", names, `FROM (VALUES ${list}) t(row, value) ORDER BY row`));
  const build = join(folder.home, "build");
  await mkdir(build);
  const database = await openSmallDatabase();
  try {
    const warehouse = await checkWarehouse(database.connection, join(folder.home, "a.parquet"));
    const progress = new Progress({ write: () => true }, () => 0);
    await ingest({ connection: database.connection, warehouse, nextYear: 2027, progress }, build);
    const read = await database.connection.runAndReadAll(`
      SELECT CASE WHEN g.id IS NULL THEN r.reason END, g.${column}::VARCHAR
      FROM (SELECT file_row_number AS row, recipient_name AS name FROM '${join(folder.home, "a.parquet")}') s
      LEFT JOIN grants g ON g.recipient_name = s.name
      LEFT JOIN '${join(build, "rejects.parquet")}' r ON r.source_row = s.row
      WHERE s.row > 0 ORDER BY s.row`);
    return read
      .getRowsJson()
      .map(([reason, value]) => (reason === null ? (value as string | null) : { rejected: String(reason) }));
  } finally {
    close(database);
  }
}

/** A value that is accepted, of the type. */
function goodValue(column: keyof typeof grant, type: string): string {
  const good = {
    id: "7",
    transaction_year: "2000",
    created_at: "'2000-01-01'",
    funder_ein: "131635294",
  };
  const value = Object.hasOwn(good, column) ? good[column as keyof typeof good] : "'1'";
  return `CAST(${value} AS ${type})`;
}

/**
 * Column, type and sometimes another column's SQL; below them values in SQL with their results: the column's value as
 * DuckDB writes it (EINs are integers there), `null`, or the reason of the row's rejection.
 */
const rules = `
id TINYINT
  127 → 127 | -128 → -128 | NULL → id_missing
id INTEGER
  0 → 0 | 2147483647 → 2147483647
id BIGINT
  9223372036854775807 → 9223372036854775807 | -1 → -1
id UBIGINT
  9223372036854775807 → 9223372036854775807 | 9223372036854775808 → id_missing

funder_ein VARCHAR
  '131635294' → 131635294 | '13-1635294' → 131635294 | ' 0-1 0211513 ' → 10211513
  '000000000' → funder_ein_invalid | '00-0000000' → funder_ein_invalid | '10211513' → funder_ein_invalid
  chr(9) || '13-1635294' || chr(160) → 131635294 | '1316352940' → funder_ein_invalid | '13163529A' → funder_ein_invalid | '१३१६३५२९४' → funder_ein_invalid
  '' → funder_ein_invalid | NULL → funder_ein_invalid
funder_ein INTEGER
  131635294 → 131635294 | 10211513 → 10211513 | 1 → 1 | 0 → funder_ein_invalid
  -131635294 → funder_ein_invalid | 1000000000 → funder_ein_invalid | NULL → funder_ein_invalid
funder_ein UBIGINT
  999999999 → 999999999 | 18446744073709551615 → funder_ein_invalid
recipient_ein VARCHAR
  '131635294' → 131635294 | '13-1635294' → 131635294 | ' 0-1 0211513 ' → 10211513
  '000000000' → null | '10211513' → null | '1316352940' → null | '13163529A' → null | '' → null | NULL → null
recipient_ein INTEGER
  10211513 → 10211513 | 0 → null | -131635294 → null | 1000000000 → null | NULL → null
recipient_ein UBIGINT
  999999999 → 999999999 | 18446744073709551615 → null

transaction_year INTEGER
  1900 → 1900 | 2027 → 2027 | 1899 → transaction_year_invalid | 2028 → transaction_year_invalid
  -2019 → transaction_year_invalid | 67555 → transaction_year_invalid | NULL → transaction_year_invalid
transaction_year BIGINT
  2019 → 2019 | 9223372036854775807 → transaction_year_invalid
transaction_year VARCHAR
  '2019' → 2019 | ' 2019 ' → 2019 | '02019' → transaction_year_invalid | '19' → transaction_year_invalid
  '20l9' → transaction_year_invalid | '2019.0' → transaction_year_invalid | '2028' → transaction_year_invalid
  '' → transaction_year_invalid | NULL → transaction_year_invalid

amount DECIMAL(18,2)
  50000 → 50000.00 | -0.01 → -0.01 | 9999999999999999.99 → 9999999999999999.99 | NULL → amount_missing
amount DECIMAL(38,10)
  1.005 → 1.01 | -1.005 → -1.01 | 0.0049999999 → 0.00 | 12345678901234567 → amount_missing
amount DECIMAL(9,0)
  5000 → 5000.00
amount INTEGER
  5000 → 5000.00 | -3 → -3.00 | NULL → amount_missing
amount BIGINT
  9999999999999999 → 9999999999999999.00 | 10000000000000000 → amount_missing
amount DOUBLE
  0.1 → 0.10 | 0.125 → 0.13 | 1e300 → amount_missing | NULL → amount_missing
  'nan' → amount_missing | 'inf' → amount_missing | '-inf' → amount_missing
amount FLOAT
  2.5 → 2.50 | 0.1 → 0.10 | 'nan' → amount_missing
  5369000 → 5369000.00 | 1234567 → 1234567.00 | -662647936 → -662647936.00 | 10000000000 → 10000000000.00
amount VARCHAR
  '50000' → 50000.00 | ' 1.50 ' → 1.50 | '-2' → -2.00 | '' → amount_missing | ' ' → amount_missing
  'abc' → amount_missing | '1,000' → amount_missing | 'NaN' → amount_missing | NULL → amount_missing
amount DECIMAL(18,2), non_cash_amount 7.5
  NULL → 0.00 | 3 → 3.00
amount DOUBLE, non_cash_amount 7.5
  NULL → 0.00 | 'nan' → amount_missing | 'inf' → amount_missing
amount VARCHAR, non_cash_amount 7.5
  NULL → 0.00 | '' → 0.00 | ' ' → 0.00 | 'abc' → amount_missing
amount VARCHAR, non_cash_amount 0.0
  NULL → amount_missing | ' ' → amount_missing
amount DECIMAL(18,2), non_cash_amount -1.0
  NULL → amount_missing

non_cash_amount DECIMAL(18,2)
  0 → 0.00 | -1 → -1.00 | NULL → null
non_cash_amount DOUBLE
  2.25 → 2.25 | 'nan' → null | 'inf' → null | NULL → null
non_cash_amount BIGINT
  7 → 7.00
non_cash_amount VARCHAR
  '7' → 7.00 | '' → null | 'some' → null

purpose VARCHAR
  'TWO  words' → TWO  words | chr(9) || 'a' || chr(13) || chr(10) → a | chr(12288) || 'é' || chr(160) → é
  chr(8203) → ${"\u200B"} | 'e' || chr(769) → ${"e\u0301"} | '' → null | chr(8195) || ' ' → null | NULL → null
type VARCHAR
  ' grant' → grant | ' ' → null
non_cash_description VARCHAR
  'N/A ' → N/A | '' → null

created_at TIMESTAMP
  '2019-05-12 04:00:00' → 2019-05-12 04:00:00 | '2019-05-12 04:00:00.123999' → 2019-05-12 04:00:00.123
  '1969-12-31 23:59:59.9999' → 1969-12-31 23:59:59.999 | '9999-12-31 23:59:59.999999' → 9999-12-31 23:59:59.999
  '10000-01-01' → created_at_missing | '0044-03-15 (BC)' → created_at_missing
  'infinity' → created_at_missing | NULL → created_at_missing
created_at TIMESTAMP_S
  '2019-05-12 04:00:00' → 2019-05-12 04:00:00
created_at TIMESTAMP_MS
  '2019-05-12 04:00:00.007' → 2019-05-12 04:00:00.007
created_at TIMESTAMP_NS
  '2019-05-12 04:00:00.123456789' → 2019-05-12 04:00:00.123
created_at TIMESTAMPTZ
  '294247-01-10 04:00:54+00' → created_at_missing | '2019-05-12 06:00:00+02' → 2019-05-12 04:00:00 | '-infinity' → created_at_missing | NULL → created_at_missing
created_at DATE
  '5881580-07-10' → created_at_missing | '2019-05-12' → 2019-05-12 00:00:00 | 'infinity' → created_at_missing | NULL → created_at_missing
created_at VARCHAR
  '2019-05-12' → 2019-05-12 00:00:00 | '2019-05-12 04:00:00' → 2019-05-12 04:00:00
  '2019-05-12T04:00:00Z' → 2019-05-12 04:00:00 | ' 2019-05-12T04:00Z ' → 2019-05-12 04:00:00
  '2019-05-12T04:00' → 2019-05-12 04:00:00 | '2019-05-12T06:00:00+02:00' → 2019-05-12 04:00:00
  '2019-05-11T22:30-05:30' → 2019-05-12 04:00:00 | '2019-05-12T04:00:00.123456Z' → 2019-05-12 04:00:00.123
  '2019-05-12 04:00:00 UTC' → 2019-05-12 04:00:00 | '2019-05-12 00:00:00 America/New_York' → created_at_missing
  '2019-05-12 04:00:00' → 2019-05-12 04:00:00 | '2019-05-12 00:00:00 EST' → created_at_missing
  '2019-05-12T04:00:00+00' → 2019-05-12 04:00:00 | '2019-05-12 04:00:00.5 +0000' → 2019-05-12 04:00:00.5
  '20190512T040000Z' → 2019-05-12 04:00:00 | '20190512 060000.25+0200' → 2019-05-12 04:00:00.25
  '20190512' → 2019-05-12 00:00:00 | '20190512T04' → 2019-05-12 04:00:00 | '2019-05-12T0400Z' → 2019-05-12 04:00:00
  '2019-05-12t04:00:00z' → 2019-05-12 04:00:00 | '2019-05-12 04:00 utc' → 2019-05-12 04:00:00
  '2019-05-12 06:00:00 +02:00' → 2019-05-12 04:00:00 | '2019-05-12T04:00:00,5' → 2019-05-12 04:00:00.5
  '2019-05-12 09:30:15+05:30:15' → 2019-05-12 04:00:00 | '2019-5-2 4:00:00' → 2019-05-02 04:00:00
  '2019-05-12T24:00:00' → 2019-05-13 00:00:00 | '2016-12-31T23:59:60Z' → 2017-01-01 00:00:00
  '2019-05-12T04:00:00+18:00' → 2019-05-11 10:00:00 | '2019-05-12T04:00:00-18:01' → created_at_missing
  '2019-05-12T04:00:00+25:00' → created_at_missing | '2019-05-12T04:00:00+02:60' → created_at_missing
  '19-05-12' → created_at_missing | '190512' → created_at_missing | '12019-05-12' → created_at_missing
  '2019-132' → created_at_missing | '2019132' → created_at_missing | '1557633600' → created_at_missing
  '2019-05-12T24:00:01' → created_at_missing | '2019-05-12T04:60' → created_at_missing
  '2019-05-12T04:00:60' → created_at_missing | '2019-05-12 04:00:00Z UTC' → created_at_missing
  '2019-02-30' → created_at_missing | 'epoch' → created_at_missing | 'soon' → created_at_missing | 'infinity' → created_at_missing
  '' → created_at_missing | NULL → created_at_missing
`;

type Rule = {
  readonly column: keyof typeof grant;
  readonly type: string;
  readonly others: Record<string, string>;
  readonly values: readonly string[];
  readonly fates: readonly Fate[];
};

function parseRule(text: string): Rule {
  const [head = "", ...lines] = text.split("\n");
  const [own = "", other = ""] = head.split(", ");
  const [column, type = ""] = own.split(" ");
  const [otherColumn = "", otherValue = ""] = other.split(" ");
  const cases = lines.flatMap((line) => line.slice(2).split(" | ")).map((fate) => fate.split(" → "));
  return {
    column: column as Rule["column"],
    type,
    others: other === "" ? {} : { [otherColumn]: otherValue },
    values: cases.map(([value = ""]) => value),
    fates: cases.map(([, fate = ""]) => {
      if (fate === "null") return null;
      return /_(missing|invalid)$/.test(fate) ? { rejected: fate } : fate;
    }),
  };
}

const parsed = rules
  .trim()
  .split(/\n+(?=\w)/)
  .map(parseRule);

describe("the contract with the warehouse", () => {
  it.each(parsed)(
    "holds for $column of type $type, $others",
    async ({ column, type, others, values, fates }) => {
      const found = await findFates(column, type, values, others);
      expect(values.map((value, index) => [value, found[index]])).toEqual(
        values.map((value, index) => [value, fates[index]]),
      );
    },
  );

  it.each([
    ["TIMESTAMP", "\x12"],
    ["TIMESTAMPTZ", "\x11"],
  ])("rejects one row for a time in milliseconds beyond DuckDB's range: %s", async (type, zone) => {
    const raw = [
      "1557633600007",
      "253402300800000",
      "9223372036854775806",
      "-9223372036854775806",
      "1557633600000",
    ];
    const micros = raw.map((value) => `make_timestamp(${value})`);
    const fates = await findFates("created_at", "TIMESTAMP", micros, {}, async (path) => {
      const unit = (converted: string, bits: string) => `created_at\x25${converted}\x4c\x8c\x12\x1c${bits}\0`;
      await patchFooter(path, unit("\x14", "\x2c"), unit("\x12", "\x1c").replace("\x8c\x12", `\x8c${zone}`));
    });
    const rejected = { rejected: "created_at_missing" };
    expect([type, fates]).toEqual([
      type,
      ["2019-05-12 04:00:00.007", rejected, rejected, rejected, "2019-05-12 04:00:00"],
    ]);
  });

  it("has a rule for every column and kind", () => {
    const kinds = new Map<string, Set<string | undefined>>();
    for (const { column, type } of parsed) {
      const name = type === "TIMESTAMPTZ" ? "TIMESTAMP WITH TIME ZONE" : type;
      kinds.set(column, (kinds.get(column) ?? new Set()).add(findKind(name)));
    }
    const counts = Object.fromEntries([...kinds].map(([column, found]) => [column, found.size]));
    const money = { amount: 4, non_cash_amount: 4 };
    const words = { purpose: 1, type: 1, non_cash_description: 1 };
    expect(counts).toEqual({
      ...{ id: 1, funder_ein: 2, recipient_ein: 2, transaction_year: 2, created_at: 4, ...money, ...words },
    });
  });

  it.each([
    ["recipient_name", "VARCHAR"],
    ["recipient_ein", "UBIGINT"],
    ["purpose", "VARCHAR"],
    ["type", "VARCHAR"],
    ["non_cash_amount", "DOUBLE"],
  ] as const)("accepts a column that holds only nulls: %s", async (column, type) => {
    await put("a.parquet", { [column]: `NULL::${type}` });
    const database = await openSmallDatabase();
    try {
      await mkdir(join(folder.home, "build"));
      const warehouse = await checkWarehouse(database.connection, folder.home);
      const progress = new Progress({ write: () => true }, () => 0);
      await ingest(
        { connection: database.connection, warehouse, nextYear: 2027, progress },
        join(folder.home, "build"),
      );
      const read = await database.connection.runAndReadAll(`SELECT ${column} FROM grants`);
      expect(read.getRows()).toEqual([[null]]);
    } finally {
      close(database);
    }
  });
});
