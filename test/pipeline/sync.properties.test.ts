// Tests with random warehouses that the pages, rejects and counts follow the contract.

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LIST, listValue, VARCHAR } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { InputError } from "../../pipeline/base/failure.ts";
import { Progress } from "../../pipeline/base/progress.ts";
import { gateRules } from "../../pipeline/releases/gate.ts";
import type { Report } from "../../pipeline/report/report.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { text } from "../api-static/contract/arbitraries.ts";
import { proofs } from "../proofs.ts";
import { fewThreads, noSearches, walkPages } from "./release.fixture.ts";
import { expectRelease, readRows } from "./releases/release.model.fixture.ts";
import { smallSite } from "./smallSite.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection } = useParquet(folder);

const clock = new Date("2026-11-20T04:00:00Z");

/**
 * One way to carry a column: types that files may mix, values as text that is cast to them (else null), and unusual values,
 * most of which reject the row.
 */
type Carrier = {
  readonly types: readonly string[];
  readonly values: fc.Arbitrary<string>;
  readonly odd: readonly string[];
};

const texts = ["VARCHAR"];
const integers = ["INTEGER", "BIGINT", "UINTEGER", "UBIGINT"];

const decimal = fc
  .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 99 }))
  .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, "0")}`);
const amount = fc.oneof(fc.constantFrom("0", "5000", "10000", "-250", "1", "5000"), decimal);

const money: readonly Carrier[] = [
  {
    types: ["DECIMAL(18,2)", "DECIMAL(38,10)", "DECIMAL(9,3)"],
    values: amount,
    odd: ["0.005", "-0.005", "0.0049", "9999999999999999.99", "12345678901234567.5"],
  },
  { types: ["INTEGER", "BIGINT"], values: amount, odd: ["10000000000000000", "9999999999999999"] },
  { types: ["DOUBLE"], values: amount, odd: ["nan", "inf", "-inf", "0.125", "-0.375", "1e300", "-0.0"] },
  {
    types: texts,
    values: amount,
    odd: ["", " ", " 7.5\t", "1.005", "-1.005", "abc", "1,000", "NaN", "+3.", ".5", "1e"],
  },
];

const funders = ["131635294", "010211513", "000000001"];
const ein: readonly Carrier[] = [
  {
    types: texts,
    values: fc.constantFrom(...funders, "13-1635294", " 01 0211513 "),
    odd: ["000000000", "12345678", "1234567890", "13163529A", "", "  ", "-", "١٢٣٤٥٦٧٨٩"],
  },
  {
    types: integers,
    values: fc.constantFrom(...funders),
    odd: ["0", "-131635294", "1000000000", "18446744073709551615"],
  },
];

const words: readonly Carrier[] = [
  {
    types: texts,
    values: fc.oneof(text, fc.constantFrom("GENERAL SUPPORT", " EDUCATION\r\n", 'a,"b"')),
    odd: ["", " \u3000\n", "],\n", "\u0000"],
  },
];

const moment = fc.oneof(
  fc
    .date({ min: new Date("1700-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    "2019-05-12 04:00:00",
    "2019-05-12 04:00:00.123999",
    "1969-12-31 23:59:59.9999",
    "2019-05-12",
  ),
);

const carriers: Readonly<Record<string, readonly Carrier[]>> = {
  id: [
    {
      types: integers,
      values: fc.integer({ min: 1, max: 60 }).map(String),
      odd: ["0", "-7", "18446744073709551615"],
    },
  ],
  funder_ein: ein,
  transaction_year: [
    {
      types: ["SMALLINT", "INTEGER", "UBIGINT"],
      values: fc.constantFrom("2018", "2019", "2020", "1900", "2027"),
      odd: ["1899", "2028", "-2019", "20190", "0"],
    },
    {
      types: texts,
      values: fc.constantFrom("2018", " 2019 ", "2020", "1900", "2027"),
      odd: ["1899", "2028", "20l9", "19", ""],
    },
  ],
  recipient_name: words,
  recipient_ein: ein,
  type: words,
  amount: money,
  non_cash_amount: money,
  non_cash_description: words,
  purpose: words,
  created_at: [
    { types: ["TIMESTAMP", "TIMESTAMP_MS"], values: moment, odd: ["infinity"] },
    { types: ["TIMESTAMP_NS", "TIMESTAMP_S", "TIMESTAMP"], values: moment, odd: ["1970-01-01"] },
    { types: ["TIMESTAMP WITH TIME ZONE"], values: moment, odd: ["-infinity"] },
    { types: ["DATE"], values: moment, odd: ["infinity"] },
    {
      types: texts,
      values: fc.oneof(
        moment,
        fc.constantFrom("2019-05-12T06:00:00+02:00", " 2019-05-12T04:00Z ", "2019-05-11 22:30-05:30"),
      ),
      odd: ["soon", ""],
    },
  ],
};

const optional = ["type", "non_cash_amount", "non_cash_description"];
/** Names that the pipeline or DuckDB use internally. */
const strange = [
  ...["reason", "raw", "source", "normal", "judged", "place", "grants", "filename", "rowid"],
  ...["source_file", "source_row", "file_index", "recipient_ein_invalid", 'a "b"'],
];

/** Columns that feed no record, and how they may be spelled. With another type than text, they are ignored. */
const beside = ["city", "state", "zip", "country", "status", "relationship"]
  .map((name) => `recipient_${name}`)
  .concat("irs_return")
  .flatMap((name) => [name, name.toUpperCase(), name.replace(/^./, (letter) => letter.toUpperCase())]);

type Column = { readonly name: string; readonly type: string; readonly values: readonly (string | null)[] };

/** The table of one file: its columns in any order, with optional and unknown ones, and any value may be null. */
function file(chosen: Readonly<Record<string, Carrier>>): fc.Arbitrary<Column[]> {
  const shape = fc.record({
    rows: fc.integer({ min: 1, max: 20 }),
    absent: fc.subarray(optional),
    unknown: fc.subarray(strange, { maxLength: 3 }),
    others: fc.uniqueArray(fc.constantFrom(...beside), {
      maxLength: 9,
      selector: (name) => name.toLowerCase(),
    }),
    typeOfOthers: fc.constantFrom("VARCHAR", "VARCHAR", "INTEGER", "BLOB"),
    isUpper: fc.boolean(),
  });
  return shape.chain(({ rows, absent, unknown, others, typeOfOthers, isUpper }) => {
    const present = Object.keys(chosen).filter((name) => !absent.includes(name));
    const columns = present.map((name) => {
      const { types = [], values = fc.constant(""), odd = [] } = chosen[name] ?? {};
      const value = fc.oneof(
        { weight: 18, arbitrary: values },
        { weight: 1, arbitrary: fc.constantFrom(...odd) },
        { weight: 1, arbitrary: fc.constant(null) },
      );
      return fc.record({
        name: fc.constant(isUpper ? name.toUpperCase() : name),
        type: fc.constantFrom(...types),
        values: fc.array(value, { minLength: rows, maxLength: rows }),
      });
    });
    const sevens = (type: string) => (name: string) =>
      fc.constant({ name, type, values: Array(rows).fill("7") });
    return fc
      .tuple(...columns, ...unknown.map(sevens("VARCHAR")), ...others.map(sevens(typeOfOthers)))
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }));
  });
}

const table = fc
  .record(
    Object.fromEntries(Object.entries(carriers).map(([name, ways]) => [name, fc.constantFrom(...ways)])),
  )
  .chain((chosen) => fc.array(file(chosen), { minLength: 1, maxLength: 3 }));

/** Writes a file with several copies of each row under different ids, so that funders have more than one page. */
async function writeFile(path: string, columns: readonly Column[], copies: number): Promise<void> {
  const list = columns.map(({ name, type }, index) => {
    const value = `try_cast(c${index} AS ${type})`;
    const isId = name.toLowerCase() === "id";
    return `${isId ? `try_cast(${value} + 100 * copy AS ${type})` : value} AS "${name.replaceAll('"', '""')}"`;
  });
  const rows = columns.map((_, index) => `unnest($c${index}) AS c${index}`);
  const values = columns.map(({ values: column }, index) => [`c${index}`, listValue(column)] as const);
  const types = columns.map((_, index) => [`c${index}`, LIST(VARCHAR)] as const);
  await connection().run(
    `COPY (SELECT ${list} FROM (SELECT ${rows}), range(${copies}) copies(copy)) TO '${path}' (FORMAT parquet)`,
    Object.fromEntries(values),
    Object.fromEntries(types),
  );
}

let runs = 0;

it("makes the pages, rejects and counts that the contract requires, from any tables", async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(1, 1, 1, 30), async (files, copies) => {
      const home = join(folder.home, String(runs++));
      const [warehouse, data] = [join(home, "warehouse"), join(home, "data")];
      await mkdir(warehouse, { recursive: true });
      const paths = files.map((_, index) => join(warehouse, `${index}.parquet`));
      for (const [index, columns] of files.entries()) await writeFile(paths[index] ?? "", columns, copies);
      const rows = await readRows(connection(), paths);
      const expected = expectRelease(rows, 2027);
      const settings = readSyncSettings({
        ...{ WAREHOUSE: warehouse, DATA: data, MEMORY: "1GB", ...fewThreads, ...noSearches },
        ACCEPT: gateRules.join(),
      });
      const progress = new Progress({ write: () => true }, () => 0);
      const synced = sync(settings, { progress, clock: () => clock, site: smallSite });
      if (expected.funders.size === 0) {
        await expect(synced).rejects.toThrow(InputError);
        await expect(synced).rejects.toThrow(/every row of the warehouse was rejected/);
        return;
      }
      const release = join(data, "releases", (await synced).release);
      const { funders: walked } = await walkPages(release);
      expect([...walked.keys()]).toEqual([...expected.funders.keys()]);
      for (const [funder, pages] of walked) {
        const records = expected.funders.get(funder) ?? [];
        expect(pages[100]).toEqual(records);
        expect(pages[1000]).toEqual(records.length > 100 ? records : []);
      }
      const report = JSON.parse(await readFile(join(release, "report.json"), "utf8")) as Report;
      expect(report.rows.read).toBe(rows.length);
      expect(report.rows.recipient_ein_invalid).toBe(expected.recipientEinInvalid);
      const rejects = await connection().runAndReadAll(
        `SELECT source_file AS file, source_row::INTEGER AS row, reason FROM '${join(release, "rejects.parquet")}'`,
      );
      expect(rejects.getRowObjectsJson()).toEqual(expected.rejects);
    }),
    // Shrinking a counterexample may take long, so it is stopped before the test times out.
    { numRuns: proofs.anyWarehouses, interruptAfterTimeLimit: 540_000, markInterruptAsFailure: true },
  );
}, 600_000);
