// Tests CSV rows: they have every value of a record exactly, whatever its text.
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvForm, formatCsvHeader, formatCsvRow } from "../../../../api-static/contract/answers/csv.ts";
import { recordFields } from "../../../../api-static/contract/answers/record.ts";
import { text } from "../arbitraries.ts";

/** Parses CSV as another program would: null and an empty cell are the same. */
const readCsv = (csv: string) => parse(csv, { record_delimiter: "\r\n" });

const plain: CsvForm = { isEscapingFormulas: false, isForExcel: false, hasNames: false };
const escaped: CsvForm = { ...plain, isEscapingFormulas: true };
const excel: CsvForm = { ...escaped, isForExcel: true };

const names: Readonly<Record<string, string>> = { "010211513": "=FUND, THE" };
const formatRow = (line: string, form = plain) => formatCsvRow(line, form, (ein) => names[ein] ?? "");

/** The JSON of a record from its cells, with amounts and ids as written. */
function lineOf(cells: readonly (string | null)[]): string {
  const numbers = new Set(["id", "transaction_year", "amount", "non_cash_amount"]);
  const members = recordFields.map((field, index) => {
    const cell = cells[index] ?? null;
    return `"${field}":${cell === null || numbers.has(field) ? cell : JSON.stringify(cell)}`;
  });
  return `{${members.join(",")}}`;
}

const grant: (string | null)[] = [
  "9223372036854775807",
  "010211513",
  "2020",
  "A School",
  "000000019",
  "education",
  "9999999999999999.99",
  "0.10",
  "books",
  "GENERAL SUPPORT",
  "2024-06-04T05:51:34.007Z",
];

const filed = fc.option(
  text.filter((text) => text !== "" && !text.includes("\0")),
  { nil: null },
);
const cents = fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }).map(
  (value) =>
    `${value < 0n ? "-" : ""}${String(value < 0n ? -value : value)
      .padStart(3, "0")
      .replace(/(..)$/, ".$1")}`,
);

const cells = fc.tuple(
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
  fc.integer({ min: 1, max: 999_999_999 }).map((ein) => String(ein).padStart(9, "0")),
  fc.integer({ min: 1900, max: 2100 }).map(String),
  filed,
  fc.option(fc.constant("012345678"), { nil: null }),
  filed,
  cents,
  fc.option(cents, { nil: null }),
  filed,
  filed,
  fc.constant("2024-06-04T05:51:34Z"),
);

describe("a row", () => {
  it("has the values as written, with whole EINs and decimals, and ends with CRLF", () => {
    expect(formatRow(lineOf(grant))).toBe(`${grant.join(",")}\r\n`);
  });

  it("has an empty cell for null, and the word null if it was filed", () => {
    const line = lineOf(
      grant.map((cell, index) => ([3, 4, 7].includes(index) ? null : index === 9 ? "null" : cell)),
    );
    expect(formatRow(line)).toBe(
      "9223372036854775807,010211513,2020,,,education,9999999999999999.99,,books,null,2024-06-04T05:51:34.007Z\r\n",
    );
  });

  it.each([
    ['say "hello"', '"say ""hello"""'],
    ["one, two", '"one, two"'],
    ["line\nbreak", '"line\nbreak"'],
    ["line\rbreak", '"line\rbreak"'],
    ["plain; text's | end", "plain; text's | end"],
    ['"amount":5.10,"id":7', '"""amount"":5.10,""id"":7"'],
    ['\\","amount":5.10', '"\\"",""amount"":5.10"'],
    ["back\\slash", "back\\slash"],
  ])("quotes %j as RFC 4180 requires", (purpose, cell) => {
    const row = formatRow(lineOf(grant.with(9, purpose)));
    expect(row).toBe(`${grant.slice(0, 9).join(",")},${cell},${grant[10]}\r\n`);
  });

  it("parses to the record it was made from, whatever its values", () => {
    const records = fc.sample(cells, { numRuns: 3_000, seed: 5 });
    const csv = records.map((record) => formatRow(lineOf(record))).join("");
    const rows = readCsv(formatCsvHeader(plain) + csv);
    expect(rows[0]).toStrictEqual([...recordFields]);
    expect(rows.slice(1)).toStrictEqual(records.map((record) => record.map((cell) => cell ?? "")));
  });

  it("cuts text for Excel that no cell of it holds, between characters, and says so", () => {
    const cellOf = (purpose: string, form: CsvForm) =>
      readCsv(formatRow(lineOf(grant.with(9, purpose)), form))[0]?.[9] ?? "";
    for (const [text, cut] of [
      ["a".repeat(32_767), "a".repeat(32_767)],
      ["a".repeat(32_768), `${"a".repeat(32_761)} [cut]`],
      [`${"😀".repeat(17_000)}`, `${"😀".repeat(16_380)} [cut]`],
      [`=${'"'.repeat(32_766)}`, `'=${'"'.repeat(32_759)} [cut]`],
    ] as const) {
      expect(cellOf(text, plain)).toBe(text);
      expect(cellOf(text, excel)).toBe(cut);
      expect(cut.length).toBeLessThanOrEqual(32_767);
    }
  });

  it("is an error if the line is not a record", () => {
    for (const line of ["", "{", lineOf(grant).slice(0, -1)])
      expect(() => formatRow(line)).toThrow(SyntaxError);
  });
});

describe("a formula", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠A1"])(
    "%j is written as filed by default",
    (formula) => {
      for (const index of [3, 5, 8, 9]) {
        const line = lineOf(grant.with(index, formula));
        expect(readCsv(formatRow(line))[0]?.[index]).toBe(formula);
        expect(readCsv(formatRow(line, escaped))[0]?.[index]).toBe(`'${formula}`);
      }
    },
  );

  it("is never found in an amount, even a negative one, or in other text", () => {
    const line = lineOf(grant.with(6, "-5.00").with(9, "a=b"));
    expect(formatRow(line, escaped)).toBe(formatRow(line));
  });
});

describe("a file for Excel", () => {
  it("starts with a byte order mark", () => {
    expect(formatCsvHeader(excel)).toBe(`\uFEFF${formatCsvHeader(plain)}`);
  });

  it("has EINs that no spreadsheet reads as numbers, and otherwise the same values", () => {
    const row = formatRow(lineOf(grant), excel);
    expect(row).toBe(
      formatRow(lineOf(grant)).replace("010211513", "01-0211513").replace("000000019", "00-0000019"),
    );
    expect(readCsv(formatRow(lineOf(grant.with(4, null)), excel))[0]?.[4]).toBe("");
  });
});

describe("names", () => {
  const named = { ...plain, hasNames: true };

  it("follow the record's values, and are empty without a recipient EIN or a name", () => {
    expect(readCsv(formatCsvHeader(named))[0]).toStrictEqual([
      ...recordFields,
      "funder_name",
      "recipient_organization_name",
    ]);
    for (const ein of ["000000019", null]) {
      const line = lineOf(grant.with(4, ein));
      expect(formatRow(line, named)).toBe(`${formatRow(line).trimEnd()},"=FUND, THE",\r\n`);
    }
    const own = readCsv(formatRow(lineOf(grant.with(4, "010211513")), named))[0];
    expect(own?.slice(11)).toStrictEqual(["=FUND, THE", "=FUND, THE"]);
  });

  it("are no formulas in a file for Excel", () => {
    const row = readCsv(formatRow(lineOf(grant), { ...excel, hasNames: true }))[0];
    expect(row?.slice(11)).toStrictEqual(["'=FUND, THE", ""]);
  });
});
