// Tests the binary tables of a release: values read back as written, up to the bounds and never beyond.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countRecords,
  type FunderRow,
  findFunderRow,
  formatPageRow,
  formatSearchPages,
  funderRowBytes,
  offsetBytes,
  pageRowBytes,
  partTable,
  readFunderRow,
  readOffset,
  readSearchPages,
  recordsMax,
  writeFunderRow,
  writeOffset,
} from "../../../api-static/release/layout.ts";
import { readDocument } from "../../docs/markdown.fixture.ts";

const offset = fc.maxSafeNat().map((number) => number % 2 ** 48);
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const funderRow: fc.Arbitrary<FunderRow> = fc.record(
  { ein: word, first: word, records: word },
  { noNullPrototype: true },
);

function funderTable(rows: readonly FunderRow[]): Buffer {
  const table = Buffer.alloc(rows.length * funderRowBytes);
  rows.forEach((row, index) => {
    writeFunderRow(table, index, row);
  });
  return table;
}

it("lists the parts as ARCHITECTURE.md does", () => {
  const rows = Object.values(partTable).map(({ file, about }) => `- \`${file}\`: ${about}\n`);
  expect(readDocument("ARCHITECTURE.md")).toContain(rows.join(""));
});

describe("the table of offsets", () => {
  it("reads every offset that was written, each at its index", () => {
    fc.assert(
      fc.property(fc.array(offset), (offsets) => {
        const table = Buffer.alloc(offsets.length * offsetBytes);
        offsets.forEach((offset, index) => {
          writeOffset(table, index, offset);
        });
        expect(offsets.map((_offset, index) => readOffset(table, index))).toStrictEqual(offsets);
      }),
    );
  });

  it("has six bytes per offset, little-endian", () => {
    const table = Buffer.alloc(2 * offsetBytes);
    writeOffset(table, 1, 0x0102_0304_0506);
    expect(table.toString("hex")).toBe(`${"00".repeat(6)}060504030201`);
  });

  it("holds the offsets 0 and 2^48 - 1", () => {
    const table = Buffer.alloc(2 * offsetBytes, 0xaa);
    writeOffset(table, 0, 0);
    writeOffset(table, 1, 2 ** 48 - 1);
    expect([readOffset(table, 0), readOffset(table, 1)]).toStrictEqual([0, 2 ** 48 - 1]);
  });

  it.each([2 ** 48, -1])("refuses the offset %d", (offset) => {
    expect(() => writeOffset(Buffer.alloc(offsetBytes), 0, offset)).toThrow(RangeError);
  });

  it("refuses to read or write past its end", () => {
    const table = Buffer.alloc(offsetBytes);
    expect(() => readOffset(table, 1)).toThrow(RangeError);
    expect(() => writeOffset(table, 1, 0)).toThrow(RangeError);
  });
});

describe("the table of funders", () => {
  it("reads every row that was written, each at its index", () => {
    fc.assert(
      fc.property(fc.array(funderRow), (rows) => {
        const table = funderTable(rows);
        expect(rows.map((_row, index) => readFunderRow(table, index))).toStrictEqual(rows);
      }),
    );
  });

  it("has rows of EIN, first position and number of records, little-endian", () => {
    const table = funderTable([{ ein: 0x01020304, first: 0x05060708, records: 0x090a0b0c }]);
    expect(table.toString("hex")).toBe("0403020108070605" + "0c0b0a09");
  });

  it("holds the maximum number of records and refuses one more", () => {
    const row = { ein: 999_999_999, first: recordsMax, records: recordsMax };
    expect(recordsMax).toBe(2 ** 31 - 1);
    expect(readFunderRow(funderTable([row]), 0)).toStrictEqual(row);
    expect(() => funderTable([{ ...row, first: 2 ** 32 }])).toThrow(RangeError);
    expect(() => funderTable([{ ...row, records: 2 ** 32 }])).toThrow(RangeError);
    expect(() => funderTable([{ ...row, ein: -1 }])).toThrow(RangeError);
  });

  it("refuses to read past its end", () => {
    expect(() => readFunderRow(Buffer.alloc(funderRowBytes), 1)).toThrow(RangeError);
  });
});

describe("findFunderRow", () => {
  const ein = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 999_999_999 }));

  it("finds exactly the rows that a linear search finds", () => {
    fc.assert(
      fc.property(fc.uniqueArray(ein, { maxLength: 60 }), fc.array(ein), (eins, others) => {
        const rows = eins
          .toSorted((a, b) => a - b)
          .map((ein, index) => ({ ein, first: index * 3, records: 3 }));
        const table = funderTable(rows);
        const searched = [...eins, ...eins.map((ein) => ein + 1), ...eins.map((ein) => ein - 1), ...others];
        for (const ein of searched)
          expect(findFunderRow(table, ein)).toStrictEqual(rows.find((row) => row.ein === ein));
      }),
    );
  });

  it("finds the first and the last of many rows", () => {
    const rows = Array.from({ length: 205_000 }, (_none, index) => ({
      ein: 2 * index,
      first: index,
      records: 1,
    }));
    const table = funderTable(rows);
    expect(findFunderRow(table, 0)).toStrictEqual(rows[0]);
    expect(findFunderRow(table, 409_998)).toStrictEqual(rows.at(-1));
    expect(findFunderRow(table, 409_999)).toBeUndefined();
    expect(findFunderRow(table, 204_999)).toBeUndefined();
  });

  it("finds nothing in an empty table", () => {
    expect(findFunderRow(Buffer.alloc(0), 131_635_294)).toBeUndefined();
  });
});

describe("countRecords", () => {
  it("is the sum of all funders' records", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1_000_000 })), (counts) => {
        let first = 0;
        const rows = counts.map((records, ein) => {
          first += records;
          return { ein, first: first - records, records };
        });
        expect(countRecords(funderTable(rows))).toBe(first);
      }),
    );
  });
});

describe("the table of pages", () => {
  it("has rows of a page file's size, little-endian, and the first half of its SHA-256", () => {
    const row = formatPageRow(Buffer.from("abc"));
    expect(row.toString("hex")).toBe("03000000" + "ba7816bf8f01cfea414140de5dae2223"); // FIPS 180-2, appendix B.1
    expect(row).toHaveLength(pageRowBytes);
  });
});

describe("the list of search pages", () => {
  it("reads back as written, one line per page", () => {
    const page = fc.record(
      { key: fc.string({ minLength: 1 }), total: fc.nat({ max: recordsMax }) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(page), (pages) => {
        const text = formatSearchPages(pages);
        expect(readSearchPages(text)).toStrictEqual(pages);
        expect(text.split("\n")).toHaveLength(pages.length + 1);
      }),
    );
    expect(formatSearchPages([{ key: "v1/history/all/100-0.json", total: 7 }])).toBe(
      '{"key":"v1/history/all/100-0.json","total":7}\n',
    );
  });
});
