// Tests what is read of a whole warehouse, and the messages for an invalid one.
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkWarehouse, readParquetList, sourceFileColumn } from "../../../pipeline/warehouse/warehouse.ts";
import { grant, patchFooter, useFolder, useParquet } from "./warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

describe("checkWarehouse", () => {
  it("returns files, rows and columns", async () => {
    const second = await put("b.parquet", { extra: "1", type: "" }, "FROM range(3)");
    const first = await put("a/x.parquet", { purpose: "NULL::VARCHAR" }, "FROM range(5) LIMIT 0");
    const fingerprint = {
      bytes: expect.any(Number),
      modifiedAt: expect.any(String),
      footer: expect.any(String),
    };
    expect(await checkWarehouse(connection(), folder.home)).toEqual({
      files: [
        { path: first, ...fingerprint, rows: 0 },
        { path: second, ...fingerprint, rows: 3 },
      ],
      rows: 3,
      columns: {
        id: "integer",
        funder_ein: "text",
        transaction_year: "integer",
        recipient_name: "text",
        recipient_ein: "text",
        type: "text",
        amount: "decimal",
        non_cash_amount: "decimal",
        non_cash_description: "text",
        purpose: "text",
        created_at: "timestamp",
      },
      unknownColumns: ["extra"],
      warnings: ["the warehouse has an unknown column extra"],
      isSynthetic: false,
    });
  });

  it("is synthetic if the metadata of a file has the mark", async () => {
    const [path] = [await put("a.parquet"), await put("b.parquet")];
    const mark = async (metadata: string) => {
      const copy = `COPY (FROM '${path}') TO '${path}.tmp' (FORMAT parquet, KV_METADATA ${metadata})`;
      await connection().run(copy);
      await rename(`${path}.tmp`, path);
      return (await checkWarehouse(connection(), folder.home)).isSynthetic;
    };
    expect(await mark("{synthetic: 'false', made_by: 'true'}")).toBe(false);
    expect(await mark("{made_by: 'hand', synthetic: 'true'}")).toBe(true);
  });

  it.each([
    ["id", "1::UTINYINT", "integer"],
    ["id", "1::UBIGINT", "integer"],
    ["funder_ein", "131635294", "integer"],
    ["transaction_year", "'2020'", "text"],
    ["amount", "1::DECIMAL(4,1)", "decimal"],
    ["amount", "1::DECIMAL(38,2)", "decimal"],
    ["amount", "1::FLOAT", "floating"],
    ["amount", "1::SMALLINT", "integer"],
    ["non_cash_amount", "1::DOUBLE", "floating"],
    ["non_cash_amount", "'1.00'", "text"],
    ["type", "'a'::ENUM('a', 'b')", "text"],
    ["created_at", "now()", "timestamptz"],
    ["created_at", "current_date", "date"],
    ["created_at", "'2026-11-20T04:00:00Z'", "text"],
    ["created_at", "now()::TIMESTAMP_NS", "timestamp"],
    ["created_at", "now()::TIMESTAMP_MS", "timestamp"],
  ] as const)("reads %s written as %s as %s", async (column, expression, kind) => {
    await put("a.parquet", { [column]: expression });
    expect((await checkWarehouse(connection(), folder.home)).columns[column]).toBe(kind);
  });

  it.each([
    ["id", "uuid()", "UUID"],
    ["id", "1::HUGEINT", "DOUBLE"],
    ["id", "1::DECIMAL(18,0)", "DECIMAL(18,0)"],
    ["funder_ein", "true", "BOOLEAN"],
    ["purpose", "'x'::BLOB", "BLOB (bytes not marked as UTF-8 text)"],
    ["purpose", "'{}'::JSON", "JSON"],
    ["purpose", "['x']", "LIST"],
    ["purpose", "{'id': 1, 'purpose': 'x'}", "STRUCT"],
    ["purpose", "MAP {'x': 1}", "MAP"],
    ["created_at", "TIME '04:00:00'", "TIME"],
  ])("refuses %s written as %s", async (column, expression, type) => {
    await put("a.parquet", { [column]: expression });
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toContain(
      `WAREHOUSE "": column "${column}" has type ${type} in "/a.parquet"; expected `,
    );
  });

  it("treats nested columns as unknown and ignores their fields", async () => {
    const nested = {
      a: "{'id': 'x', 'b': {'amount': [1], 'x': 2}}",
      b: "[{'id': 1}]",
      c: "MAP {'id': {'type': 1}}",
    };
    await put("a.parquet", { ...nested, type: "" });
    const { columns, unknownColumns } = await checkWarehouse(connection(), folder.home);
    expect(unknownColumns).toEqual(["a", "b", "c"]);
    expect([columns.id, columns.type, columns.created_at]).toEqual(["integer", undefined, "timestamp"]);
    await put("b.parquet", { ...nested, id: "" });
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toContain(
      '"id" are missing in "/b.parquet"',
    );
  });

  it("does not read columns from the names of folders", async () => {
    await put("purpose=x/transaction_year=1999/a.parquet", { purpose: "" });
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toContain(
      '"purpose" are missing',
    );
  });

  it("reads a column that was written without a type as in the other files, or omits it", async () => {
    const path = await put("a.parquet", { recipient_ein: "NULL::INTEGER" });
    // INT_32 becomes the logical type UNKNOWN, as pyarrow writes a column of nulls.
    await patchFooter(path, "recipient_ein\x25\x22", "recipient_ein\x6c\xbc\0\0");
    const alone = await checkWarehouse(connection(), folder.home);
    expect([alone.columns.recipient_ein, alone.columns.recipient_name]).toEqual([undefined, "text"]);
    await put("b.parquet");
    expect((await checkWarehouse(connection(), folder.home)).columns.recipient_ein).toBe("text");
  });

  it("refuses two columns that differ only in case", async () => {
    await patchFooter(await put("a.parquet", { xd: "2" }), "xd", "ID");
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toBe(
      'WAREHOUSE "": columns "id", "ID" differ only in case in "/a.parquet"; keep only one of them',
    );
  });

  it("names a column as the file does, even with an invisible character", async () => {
    await put("a.parquet", { id: "", "\uFEFFid": "1", "\uFEFFextra": "2" });
    const message = await folder.refusal(checkWarehouse(connection(), folder.home));
    expect(message).toMatch(
      /^WAREHOUSE "": required columns "id" are missing in "\/a.parquet"; .*"\\ufeffid", "\\ufeffextra"/,
    );
    expect(message).toMatch(/; rename "\\ufeffid": a name must be exact$/);
    await put("a.parquet", { "\uFEFFid": "1" });
    const { columns, unknownColumns } = await checkWarehouse(connection(), folder.home);
    expect([columns.id, unknownColumns]).toEqual(["integer", ["\uFEFFid"]]);
  });

  it("lists every problem of the columns in one message", async () => {
    await put("a.parquet", { purpose: "", amount: "1.5::DOUBLE" });
    await put("b.parquet", { type: "1" });
    const message = await folder.refusal(checkWarehouse(connection(), join(folder.home, "*.parquet")));
    expect(message.split("\n")).toEqual([
      'WAREHOUSE "/*.parquet": 3 problems',
      expect.stringMatching(
        /^ {2}required columns "purpose" are missing in "\/a.parquet"; the columns found are "id",/,
      ),
      '  column "type" has type INTEGER in "/b.parquet"; expected VARCHAR',
      '  column "amount" has types that differ: DOUBLE in "/a.parquet"; DECIMAL(18,2) in "/b.parquet"; expected the same type in every file',
    ]);
  });

  it("refuses a warehouse without rows", async () => {
    await put("a.parquet", {}, "LIMIT 0");
    await put("b.parquet", {}, "LIMIT 0");
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toBe(
      'WAREHOUSE "": no rows in "/a.parquet", "/b.parquet"; expected at least one',
    );
  });

  it("refuses more rows than a release can hold", async () => {
    await put("a.parquet");
    // The number of rows, 1, becomes 2^31 - 2, before the list of row groups.
    await patchFooter(await put("b.parquet"), "\x16\x02\x19\x1c", "\x16\xfc\xff\xff\xff\x0f\x19\x1c");
    expect((await checkWarehouse(connection(), folder.home)).rows).toBe(2 ** 31 - 1);
    await put("c.parquet");
    expect(await folder.refusal(checkWarehouse(connection(), folder.home))).toBe(
      'WAREHOUSE "" has 2147483648 rows; a release holds at most 2147483647: see docs/scale.md',
    );
  });
});

describe("readParquetList", () => {
  it("reads exactly the named files, with any names", async () => {
    const names = [
      "a[1].parquet",
      "a*.parquet",
      "**/b?.parquet",
      "d[1]/'q' \"u\".parquet",
      "[[]x].parquet",
      "$files",
    ];
    names.push(
      "é e\u0301 😀.parquet",
      "k=v/--;.parquet",
      "~/x,y{a,b}.parquet",
      "file:c%20d.parquet",
      "a\\b.parquet",
    );
    const decoys = ["a1.parquet", "x/bb.parquet", "d1/'q' \"u\".parquet", "[x].parquet"];
    const paths: string[] = [];
    for (const name of [...names, ...decoys]) paths.push(await put(name, { purpose: "$$x$$" }));
    const wanted = paths.slice(0, names.length);
    const { from, values } = readParquetList(wanted);
    const read = await connection().runAndReadAll(`SELECT ${sourceFileColumn} FROM ${from}`, values);
    expect(read.getRows().flat().sort()).toEqual([...wanted].sort());
    for (const path of wanted) {
      const { files } = await checkWarehouse(connection(), path);
      expect(files.map((file) => [file.path, file.rows])).toEqual([[path, 1]]);
    }
  });

  it("adds no column from the names of folders", async () => {
    const { from, values } = readParquetList([
      await put("k=v/purpose=x/a.parquet"),
      await put("k=w/purpose=y/a.parquet"),
    ]);
    const read = await connection().runAndReadAll(`SELECT * FROM ${from}`, values);
    expect(read.columnNames()).toEqual([...Object.keys(grant), sourceFileColumn]);
    expect(read.getRowObjects().map(({ purpose }) => purpose)).toEqual([
      "GENERAL SUPPORT",
      "GENERAL SUPPORT",
    ]);
  });

  it("matches columns by name in any order, width and case", async () => {
    await put("a.parquet", { amount: "1.25::DECIMAL(10,2)", id: "1::TINYINT", odd: "[1]", type: "" });
    const reversed = Object.fromEntries(Object.entries(grant).reverse());
    const list = Object.entries({
      ...reversed,
      amount: "2.5::DECIMAL(18,4)",
      id: "2::UBIGINT",
      odd: "{'x': 1}",
    });
    const columns = list.map(([name, expression]) => `${expression} AS "${name.toUpperCase()}"`).join(", ");
    await connection().run(
      `COPY (SELECT ${columns}) TO '${join(folder.home, "b.parquet")}' (FORMAT parquet)`,
    );
    const warehouse = await checkWarehouse(connection(), folder.home);
    expect(warehouse.unknownColumns).toEqual(["odd"]);
    const { from, values } = readParquetList(warehouse.files.map(({ path }) => path));
    await connection().run(
      `CREATE OR REPLACE TEMP TABLE loaded AS SELECT id, type, amount FROM ${from}`,
      values,
    );
    const loaded = await connection().runAndReadAll(
      "SELECT id::INT, type, amount::VARCHAR FROM loaded ORDER BY id",
    );
    expect(loaded.getRows()).toEqual([
      [1, null, "1.2500"],
      [2, "education", "2.5000"],
    ]);
  });
});
